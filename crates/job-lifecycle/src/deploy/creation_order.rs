//! Whether the objects that a hook's pod references exist when the hook runs.
//!
//! Sources: helm A.4 (the order of hooks); argocd 0.2; argocd 8; observed 2; observed 5.

use super::{Hook, Role, SYNC_PHASES, made_secrets::made_secret, stand_in::only_lets_render, wave};
use crate::{
    deployer::{Deployer, Tool},
    object::Object,
    workload::{self, Kind, Reference},
};

/// The hook events of Helm's operations (install, upgrade, rollback): before and after the ordinary objects.
pub(crate) const OPERATIONS: [[&str; 2]; 3] = [
    ["pre-install", "post-install"],
    ["pre-upgrade", "post-upgrade"],
    ["pre-rollback", "post-rollback"],
];

/// What a hook finds of an object that is created after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finds {
    /// Nothing: the object does not exist, and retrying does not help.
    Nothing,
    /// The object of the previous version.
    Old,
}

/// A hook, and an object deployed with it that its pod cannot start without.
#[derive(Clone, Debug)]
pub struct Need<'a> {
    /// The hook.
    pub hook: &'a Object,
    /// The reference in its pod.
    pub reference: Reference<'a>,
    /// The referenced object, or the one of which a controller makes it.
    pub target: &'a Object,
}

/// Objects that each namespace has from the start, as controllers make them
/// (<https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/>).
const IN_EACH_NAMESPACE: [(&str, &str); 2] =
    [("ConfigMap", "kube-root-ca.crt"), ("ServiceAccount", "default")];

/// The objects among `objects` that the pod of a Job or Pod cannot start without: its required references.
/// Empty for a CronJob, because no deployer waits for its pods. A Secret that only lets the chart render is none of them.
pub fn needs<'a>(
    hook: &'a Object,
    objects: impl IntoIterator<Item = &'a Object> + Clone,
) -> Vec<Need<'a>> {
    let need = |reference: Reference<'a>| {
        let is_it = move |object: &&Object| {
            let is_named = (object.kind(), object.name()) == (reference.kind, Some(reference.name));
            let is_made =
                || reference.kind == "Secret" && made_secret(object) == Some(reference.name);
            (is_named && !only_lets_render(object) || is_made())
                && (object.namespace().is_none()
                    || hook.namespace().is_none()
                    || object.namespace() == hook.namespace())
        };
        let targets = objects.clone().into_iter().filter(is_it);
        targets.map(move |target| Need { hook, reference, target })
    };
    let is_waited_for = workload::kind_of(hook) != Some(Kind::CronJob);
    let all = workload::references(hook).into_iter().filter(|_| is_waited_for);
    let is_open = |one: &Reference<'_>| {
        !one.is_optional && !IN_EACH_NAMESPACE.contains(&(one.kind, one.name))
    };
    all.filter(is_open).flat_map(need).collect()
}

impl<'a> Need<'a> {
    /// The needs among `all` that the same reference states. Charts create an object twice: as a hook before the other
    /// objects, and as a hook after them.
    pub fn twins<'n>(
        &self,
        all: &'n [Need<'a>],
    ) -> impl Iterator<Item = &'n Need<'a>> + use<'n, 'a> {
        let span = self.reference.span;
        all.iter().filter(move |other| other.reference.span == span)
    }
}

impl Need<'_> {
    /// What the hook finds in the first operation that creates the object after it; `None` when no operation
    /// does. `hook` and `target` are the roles of the two objects under `deployer`.
    pub fn finds(&self, hook: &Hook, target: &Role, deployer: &Deployer) -> Option<Finds> {
        if deployer.tool == Tool::Argocd {
            return self.is_later_in_sync(hook, target).then_some(Finds::Nothing);
        }
        let first = OPERATIONS.into_iter().find(|events| self.is_later(hook, target, *events))?;
        // An upgrade finds what the install created.
        let is_old = |hook: &Hook| {
            OPERATIONS[0].iter().any(|event| hook.listens_to(event))
                && !hook.has_policy("hook-succeeded")
        };
        let is_fresh = first == OPERATIONS[0] || target.hook().is_some_and(|hook| !is_old(hook));
        Some(if is_fresh { Finds::Nothing } else { Finds::Old })
    }

    /// True when Helm creates the object after the hook in the operation with these hook events.
    pub(crate) fn is_later(&self, hook: &Hook, target: &Role, events: [&str; 2]) -> bool {
        let own = helm_turn(&Role::Hook(hook.clone()), self.hook, events);
        let other = helm_turn(target, self.target, events);
        own.zip(other).is_some_and(|(own, other)| own < other)
    }

    /// Within a wave Argo CD applies ServiceAccounts, Secrets and ConfigMaps before Jobs.
    fn is_later_in_sync(&self, hook: &Hook, target: &Role) -> bool {
        sync_turn(self.target, target).is_some_and(|other| turn(hook) < other)
    }
}

/// Whether Argo CD waits until the first object is healthy before it creates the second: it is in an earlier phase or wave.
pub fn is_healthy_before(first: (&Object, &Role), second: (&Object, &Role)) -> bool {
    let [first, second] = [first, second].map(|(object, role)| sync_turn(object, role));
    first.zip(second).is_some_and(|(first, second)| first < second)
}

/// The phase of a sync in which Argo CD creates an object, and its wave there; `None` if no sync does.
fn sync_turn(object: &Object, role: &Role) -> Option<(usize, i64)> {
    match role {
        Role::Plain => Some((1, wave(object))),
        Role::Hook(hook) => Some(turn(hook)).filter(|(phase, _)| *phase < SYNC_PHASES.len()),
        Role::Dropped => None,
    }
}

/// The position in Helm's order: before, with or after the ordinary objects, then weight and name. `None`
/// when the object is not part of the operation.
fn helm_turn<'a>(
    role: &Role,
    object: &'a Object,
    [pre, post]: [&str; 2],
) -> Option<(i8, i64, &'a str)> {
    let name = object.name().unwrap_or_default();
    match role {
        Role::Plain => Some((0, 0, "")),
        Role::Hook(hook) if hook.listens_to(pre) => Some((-1, hook.weight, name)),
        Role::Hook(hook) if hook.listens_to(post) => Some((1, hook.weight, name)),
        Role::Hook(_) | Role::Dropped => None,
    }
}

/// The first sync phase of a hook, and its wave; after all phases for a hook that no sync runs.
fn turn(hook: &Hook) -> (usize, i64) {
    let phase = SYNC_PHASES.iter().position(|phase| hook.listens_to(phase));
    (phase.unwrap_or(SYNC_PHASES.len()), hook.weight)
}
