//! Hooks that delete another workload of their unit by name.
//!
//! Sources: helm A.4 and argocd 0.2 (hooks run before what follows them, and are waited for).

use std::cmp::Ordering;

use super::{
    ClusterState, Event, Outcome,
    cluster_state::Live,
    helm, hook,
    prediction::{Cause, Prediction},
    unit::order,
    work::DeployedWorkload,
};
use crate::{
    deploy::{Hook, SYNC_PHASES, classify},
    deployer::Tool,
    object::Object,
};

/// The events that send the workload again, and whether the deploy before went through to its last hook.
const SENDS: &[(Event, bool)] = &[
    (Event::Redeploy, true),
    (Event::Upgrade, true),
    (Event::Forced, true),
    (Event::Rollback, true),
    (Event::WhileRunning, false),
    (Event::AfterFailure, false),
];

/// The hook that has deleted the old object when the operation comes to the workload: earlier in this operation, or
/// after the run of the first deploy.
pub(super) fn deleter<'a>(state: &ClusterState<'a>) -> Option<&'a Object> {
    let ClusterState { work, deployer, event, .. } = *state;
    let (_, went_through) = SENDS.iter().find(|(own, _)| *own == event)?;
    let first = ClusterState { event: Event::Install, ..*state };
    let is_order = |object: &'a Object, state: &ClusterState<'_>, expected: Ordering| {
        let role = classify(object, deployer, work.from_chart);
        let runs = role.hook().is_some_and(|hook| runs(hook, state));
        let other = DeployedWorkload::new(object, role, work.from_chart).filter(|_| runs);
        let own = order(work, deployer, state.event);
        other.is_some_and(|other| order(&other, deployer, state.event).cmp(&own) == expected)
    };
    work.deleters.iter().copied().find(|object| {
        is_order(object, state, Ordering::Less)
            || *went_through && is_order(object, &first, Ordering::Greater)
    })
}

fn runs(hook: &Hook, state: &ClusterState<'_>) -> bool {
    let listens = |events: &[&str]| events.iter().any(|event| hook.listens_to(event));
    match state.deployer.tool {
        Tool::Argocd => listens(&SYNC_PHASES),
        Tool::Kubectl => false,
        Tool::Flux if !state.is_helm_release() => false,
        _ => helm::calls(state).is_some_and(|events| listens(&events)),
    }
}

/// What the operation finds of a hook's earlier run once the deletions are done.
pub(super) fn left(state: &ClusterState<'_>, hook: &Hook, has_run: bool) -> Live {
    match hook::live(hook, state.event, has_run) {
        Live::Done | Live::Failed | Live::Running if state.deleted_by.is_some() => Live::Gone,
        live => live,
    }
}

/// The reason for a run that a deletion makes possible.
pub(super) fn explained(state: &ClusterState<'_>, cell: Prediction) -> Prediction {
    let is_recreated = state.work.role.hook().is_some_and(Hook::is_recreated);
    if state.deleted_by.is_none() || cell.outcome != Outcome::RunsAgain || is_recreated {
        return cell;
    }
    let fact = if state.deployer.tool == Tool::Argocd { "argocd 0.2" } else { "helm A.4" };
    Prediction {
        outcome: Outcome::Replaced,
        also: None,
        why: "the hook `{deleter}` deletes the old `{name}`",
        fact,
        causes: &[Cause::Deleter],
    }
}
