//! Objects that a hook's pod needs and that its deployer creates after it.
//!
//! helm A.4 (the order of hooks); argocd 0.2; OBSERVED 2 and 5.

use super::{Hook, Role, SYNC_PHASES, wave};
use crate::{
    deployer::{Deployer, Tool},
    object::Object,
    workload::{self, Kind, Reference},
};

/// Helm's operations with the hooks before and after the ordinary objects; the first is the install.
pub const OPERATIONS: [[&str; 2]; 3] = [
    ["pre-install", "post-install"],
    ["pre-upgrade", "post-upgrade"],
    ["pre-rollback", "post-rollback"],
];

/// What a hook finds where an object that it needs is created after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finds {
    /// It is not there, now or at any later try.
    Nothing,
    /// What the version before has left.
    Old,
}

/// A hook with an object of its unit that its pod cannot start without.
#[derive(Clone, Debug)]
pub struct Need<'a> {
    pub hook: &'a Object,
    pub reference: Reference<'a>,
    pub target: &'a Object,
}

/// What the pod of a Job or a Pod needs of its unit, as far as it cannot do without. Nobody waits for a CronJob.
pub fn needs<'a>(
    hook: &'a Object,
    objects: impl IntoIterator<Item = &'a Object> + Clone,
) -> Vec<Need<'a>> {
    let need = |reference: Reference<'a>| {
        let is_it = |object: &&Object| {
            (object.kind(), object.name()) == (reference.kind, Some(reference.name))
                && (object.namespace().is_none()
                    || hook.namespace().is_none()
                    || object.namespace() == hook.namespace())
        };
        let target = objects.clone().into_iter().find(is_it)?;
        Some(Need { hook, reference, target })
    };
    let is_waited_for = workload::kind_of(hook) != Some(Kind::CronJob);
    let all = workload::references(hook).into_iter().filter(|_| is_waited_for);
    all.filter(|reference| !reference.is_optional).filter_map(need).collect()
}

impl Need<'_> {
    /// What the hook finds in the first operation in which the object comes after it; `None` where it never does.
    pub fn finds(&self, hook: &Hook, target: &Role, deployer: &Deployer) -> Option<Finds> {
        if deployer.tool == Tool::Argocd {
            return self.is_later_in_sync(hook, target).then_some(Finds::Nothing);
        }
        let first = OPERATIONS.into_iter().find(|events| self.is_later(hook, target, *events))?;
        // An upgrade finds what the install has made.
        let is_old = |hook: &Hook| {
            OPERATIONS[0].iter().any(|event| hook.listens_to(event))
                && !hook.has_policy("hook-succeeded")
        };
        let is_fresh = first == OPERATIONS[0] || target.hook().is_some_and(|hook| !is_old(hook));
        Some(if is_fresh { Finds::Nothing } else { Finds::Old })
    }

    /// True when Helm comes to the object after the hook in an operation of these events.
    pub fn is_later(&self, hook: &Hook, target: &Role, events: [&str; 2]) -> bool {
        let own = helm_turn(&Role::Hook(hook.clone()), self.hook, events);
        let other = helm_turn(target, self.target, events);
        own.zip(other).is_some_and(|(own, other)| own < other)
    }

    /// Within a wave Argo CD applies ServiceAccounts and the like before Jobs.
    fn is_later_in_sync(&self, hook: &Hook, target: &Role) -> bool {
        let other = match target {
            Role::Plain => Some((1, wave(self.target))),
            Role::Hook(hook) => Some(turn(hook)).filter(|(phase, _)| *phase < SYNC_PHASES.len()),
            Role::Dropped => None,
        };
        other.is_some_and(|other| turn(hook) < other)
    }
}

/// Helm's order: before the ordinary objects, with them, after them; then weight and name. `None`: not in
/// this operation.
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

/// The first phase and the wave of a hook; after all of them where it is in no sync.
fn turn(hook: &Hook) -> (usize, i64) {
    let phase = SYNC_PHASES.iter().position(|phase| hook.listens_to(phase));
    (phase.unwrap_or(SYNC_PHASES.len()), hook.weight)
}
