//! An upgrade by Helm that turns an ordinary object into a hook, or a hook into an ordinary object (helm A.10).

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::{ClusterState, Live, change},
    helm,
    prediction::{Cause, Prediction, predict},
};
use crate::{
    deploy::{Hook, OPERATIONS, Role},
    deployer::Tool,
    release_changes::{Change, HookChange, ReleaseChanges},
};

/// What an upgrade does to a workload that it converts; `None` where nothing is converted, or Helm is not called.
pub(super) fn answer(state: &ClusterState<'_>, changes: &ReleaseChanges) -> Option<Prediction> {
    let change = change(changes, state.event)?;
    let converts = change.hook.as_ref().filter(|_| !change.name)?;
    let is_helm = match state.deployer.tool {
        Tool::Helm3 | Tool::Helm4 | Tool::Fleet => true,
        Tool::Flux => state.is_helm_release(),
        Tool::Argocd | Tool::Kubectl => false,
    };
    if !is_helm || helm::calls(state) != Some(OPERATIONS[1]) {
        return None;
    }
    if state.event == Event::AfterTtl && state.work.ttl().is_none() {
        return None;
    }
    let (strategy, _) = helm::strategy(state, helm::host(state));
    match (&state.work.role, converts) {
        // Helm 4 rejects its own flags: force together with server-side apply (helm B.4).
        (Role::Plain, _) if strategy == ApplyStrategy::Reject => None,
        (Role::Plain, HookChange::Becomes(hook)) => Some(becomes(state, hook, change)),
        (Role::Hook(hook), HookChange::Ceases) => Some(ceases(state, hook)),
        _ => None,
    }
}

const DELETED: &str =
    "the hook runs, then the update deletes `{name}`: it is no longer part of the release";
const NOT_RUN: &str =
    "`{name}` is no longer part of the release, and an upgrade does not run the hook";

/// The release no longer contains the object, so the upgrade deletes it, including the object that a
/// pre-upgrade hook of the same name has just created.
fn becomes(state: &ClusterState<'_>, hook: &Hook, change: &Change) -> Prediction {
    let fact = "helm A.10";
    let kept = state.work.policy() == Some("keep");
    let is_gone = state.live() == Live::Gone;
    let runs = predict(Outcome::RunsAgain, "", fact).cause(&[Cause::Change]);
    match (hook.listens_to("pre-upgrade"), hook.listens_to("post-upgrade")) {
        (false, false) if kept => predict(Outcome::LeftBehind, NOT_RUN, fact),
        (false, false) => predict(Outcome::Deleted, NOT_RUN, fact),
        (true, _) if !hook.is_recreated() && !is_gone => meets(state, change),
        (true, _) if kept => runs,
        (true, _) => Prediction { why: DELETED, ..runs }.also(Outcome::Deleted),
        // The upgrade deletes the object before post-upgrade hooks run.
        (false, true) if kept && !hook.is_recreated() && !is_gone => meets(state, change),
        (false, true) => runs,
    }
}

/// A hook without a prior deletion finds the ordinary object in the cluster (helm A.5; helm A.6).
fn meets(state: &ClusterState<'_>, change: &Change) -> Prediction {
    const EXISTS: &str = "`{name}` is still there, and hooks are created: `already exists`";
    const IMMUTABLE: &str = "`{name}` is still there, and `{field}` is immutable";
    const COUNTED: &str = "the old {kind} `{name}`, which is done, counts as the run of the hook";
    let found = match (helm::is_server_side(state), change.fields.is_empty()) {
        (false, _) => predict(Outcome::Blocked, EXISTS, "helm A.5"),
        (true, false) => predict(Outcome::Rejected, IMMUTABLE, "helm A.6"),
        (true, true) => predict(Outcome::FalseSuccess, COUNTED, "helm A.6"),
    };
    found.cause(&[Cause::Change])
}

/// Helm does not adopt objects that it created as hooks.
fn ceases(state: &ClusterState<'_>, hook: &Hook) -> Prediction {
    const FOREIGN: &str = "the hook left `{name}` without Helm's labels: `{kind} \"{name}\" … exists and cannot be \
                           imported into the current release: invalid ownership metadata`";
    let fact = "helm A.10";
    let events = OPERATIONS[0].iter().chain(&OPERATIONS[1]);
    let has_run = events.copied().any(|event| hook.listens_to(event));
    let is_left = !hook.has_policy("hook-succeeded") && state.work.ttl().is_none();
    match (has_run, is_left) {
        (true, true) => predict(Outcome::Rejected, FOREIGN, fact).cause(&[Cause::Hook]),
        (true, false) => {
            let why = "nothing is left of the hook `{name}`, so it is created";
            predict(Outcome::RunsAgain, why, fact)
        }
        (false, _) => predict(Outcome::Runs, "", fact),
    }
}
