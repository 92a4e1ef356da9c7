//! Whether an object that a hook's pod references exists in the event of Helm that runs the hook.
//!
//! Source: helm A.4 (the order of hooks): `hook-succeeded` deletes the hooks of an event once all of them have succeeded.

use super::{Hook, Need, Role};
use crate::{annotations::RESOURCE_POLICY, object::Object};

/// Helm's events, each with those that the same release has gone through before.
const BEFORE: &[(&str, &[&str])] = &[
    ("pre-install", &[]),
    ("post-install", &["pre-install"]),
    ("pre-upgrade", &["pre-install", "post-install"]),
    ("post-upgrade", &["pre-install", "post-install", "pre-upgrade"]),
    ("pre-rollback", DEPLOYED),
    ("post-rollback", DEPLOYED),
    ("test", DEPLOYED),
    ("pre-delete", DEPLOYED),
    ("post-delete", REMOVED),
];

const DEPLOYED: &[&str] = &[
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "test",
];

const REMOVED: &[&str] = &[
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "test",
    "pre-delete",
];

impl Need<'_> {
    /// The first event of Helm in which the hook finds none of the objects that the reference may mean: all of them are
    /// hooks of other events, or deleted by then. `all` are the needs of the hook, `role` is the role of an object.
    pub fn lacks(
        &self,
        all: &[Need<'_>],
        hook: &Hook,
        role: impl Fn(&Object) -> Role,
    ) -> Option<&'static str> {
        let is_lacking = |event: &str, before: &[&str]| {
            self.twins(all).all(|need| is_absent(need, hook, &role(need.target), event, before))
        };
        let mut events = BEFORE.iter().filter(|(event, _)| hook.listens_to(event));
        events.find(|(event, before)| is_lacking(event, before)).map(|(event, _)| *event)
    }
}

fn is_absent(need: &Need<'_>, hook: &Hook, target: &Role, event: &str, before: &[&str]) -> bool {
    match target {
        Role::Plain if event == "post-delete" => need.target.annotation(RESOURCE_POLICY).is_none(),
        Role::Plain => event == "pre-install",
        Role::Dropped => false,
        Role::Hook(target) => {
            let turn = |hook: &Hook, object: &Object| {
                (hook.weight, object.name().unwrap_or_default().to_owned())
            };
            let is_made =
                target.listens_to(event) && turn(target, need.target) <= turn(hook, need.hook);
            let is_left = !target.has_policy("hook-succeeded")
                && before.iter().any(|event| target.listens_to(event));
            !is_made && !is_left
        }
    }
}
