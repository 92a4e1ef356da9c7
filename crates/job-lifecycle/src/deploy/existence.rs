//! Whether an object that a hook's pod references exists in the event of Helm that runs the hook.
//!
//! Source: helm A.4 (the order of hooks): `hook-succeeded` deletes the hooks of an event once all of them have succeeded.

use super::{Hook, Need, Role};
use crate::{annotations::RESOURCE_POLICY, object::Object};

/// Helm's events, each with the number of those from the start of the list that the same release may have gone through
/// before.
const EVENTS: [(&str, usize); 9] = [
    ("pre-install", 0),
    ("post-install", 1),
    ("pre-upgrade", 2),
    ("post-upgrade", 3),
    ("pre-rollback", 7),
    ("post-rollback", 7),
    ("test", 7),
    ("pre-delete", 7),
    ("post-delete", 8),
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
        let is_lacking = |&(event, count): &(&str, usize)| {
            let before = &EVENTS[..count];
            self.twins(all).all(|need| is_absent(need, hook, &role(need.target), event, before))
        };
        let mut events = EVENTS.into_iter().filter(|(event, _)| hook.listens_to(event));
        events.find(is_lacking).map(|(event, _)| event)
    }
}

fn is_absent(
    need: &Need<'_>,
    hook: &Hook,
    target: &Role,
    event: &str,
    before: &[(&str, usize)],
) -> bool {
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
                && before.iter().any(|(event, _)| target.listens_to(event));
            !is_made && !is_left
        }
    }
}
