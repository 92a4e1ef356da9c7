//! Flux: Kustomizations (kustomize-controller), and what helm-controller adds to Helm.
//!
//! Sources: flux 0.1; flux 1; flux 2; observed flux-controllers.

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::ClusterState,
    prediction::{Cause, Prediction, predict},
    resource::{self, Resource},
};
use crate::{
    annotations::{FLUX_PRUNE, FLUX_SSA},
    deploy::{Hook, OPERATIONS, drift_detection, forces, is_excluded},
    deployer::{Drift, Flux, Tool},
};

pub(super) fn answer(state: &ClusterState<'_>) -> Option<Prediction> {
    let work = state.work;
    if work.object.is_unnamed() {
        let rejection = predict(
            Outcome::Rejected,
            "the build of a Kustomization needs names: `missing metadata.name`",
            "flux 1.7",
        );
        return resource::never(state, rejection.cause(&[Cause::GenerateName]));
    }
    if is_excluded(work.object) {
        let skipped = predict(Outcome::Skipped, "Flux never applies it", "flux 1.4");
        return resource::never(state, skipped.cause(&[Cause::FluxReconcile]));
    }
    let forced = state.event == Event::Forced || forces(work.object, state.deployer, false);
    let (strategy, fact) = match forced {
        _ if work.says(FLUX_SSA, "ifnotpresent") => (ApplyStrategy::Once, "flux 1.4"),
        true => (ApplyStrategy::Force, "flux 1.4"),
        false => (ApplyStrategy::Patch, "flux 1.1"),
    };
    let plain = Resource {
        strategy,
        fact,
        removed: pruned(state),
        uninstalled: pruned(state),
        gone: Some(
            predict(
                Outcome::Loop,
                "Flux puts back what is gone: a run {interval}, as soon as the TTL has passed",
                "flux 1.5",
            )
            .cause(&[Cause::Ttl, Cause::Option(Flux::INTERVAL)]),
        ),
        heals: Some(predict(Outcome::Unchanged, "", "flux 1.1")),
    };
    plain.answer(state)
}

/// `spec.prune` has no default, and the live object can opt out (flux 1.4; flux 1.7; flux 1.8).
fn pruned(state: &ClusterState<'_>) -> Prediction {
    if state.work.says(FLUX_PRUNE, "disabled") {
        return predict(Outcome::LeftBehind, "`prune: disabled` keeps it", "flux 1.4")
            .cause(&[Cause::Prune]);
    }
    match state.deployer.flux().prune {
        Some(true) => {
            predict(Outcome::Deleted, "", "flux 1.7").cause(&[Cause::Option(Flux::PRUNE)])
        }
        // An object removed from the source leaves the inventory, so pruning does not find it later.
        Some(false) => predict(
            Outcome::LeftBehind,
            "`spec.prune` is off, and the Kustomization forgets what it does not prune at once",
            "flux 1.7",
        )
        .cause(&[Cause::Option(Flux::PRUNE)]),
        None => predict(
            Outcome::Unknown,
            "`spec.prune` of the Kustomization decides, and is not in the tree",
            "flux 1.8",
        ),
    }
}

/// True for `spec.driftDetection.mode: enabled`.
pub(super) fn corrects(state: &ClusterState<'_>) -> bool {
    state.deployer.tool == Tool::Flux
        && state.deployer.flux().drift_detection == Some(Drift::Enabled)
}

/// What a HelmRelease does about an ordinary object that is missing (flux 2.4).
pub(super) fn release_gone(state: &ClusterState<'_>) -> Prediction {
    let fact = "flux 2.4";
    match drift_detection(state.work.object, state.deployer) {
        Some(Drift::Enabled) => predict(
            Outcome::Loop,
            "drift detection creates what is gone: a run {interval}, as soon as the TTL has passed",
            fact,
        )
        .cause(&[
            Cause::Ttl,
            Cause::Option(Flux::DRIFT_DETECTION),
            Cause::Option(Flux::INTERVAL),
        ]),
        Some(Drift::Warn) => predict(
            Outcome::Drift,
            "an event says `DriftDetected`; the next upgrade runs it again",
            fact,
        )
        .cause(&[Cause::Ttl, Cause::Option(Flux::DRIFT_DETECTION)]),
        _ => predict(Outcome::Skipped, "nobody notices; the next upgrade runs it again", fact),
    }
}

pub(super) fn release_heals(state: &ClusterState<'_>) -> Option<Prediction> {
    let healed = predict(Outcome::Unchanged, "", "flux 2.4");
    corrects(state).then_some(healed.cause(&[Cause::Option(Flux::DRIFT_DETECTION)]))
}

/// An upgrade that fails over an ordinary object, under a remediation that uninstalls: the next try installs the
/// object anew. An uninstall keeps objects with a resource policy (flux 2.5; helm B.9).
pub(super) fn remediated(state: &ClusterState<'_>, met: Prediction) -> Prediction {
    let fails = met.outcome.fails() && !matches!(state.event, Event::Install | Event::Redeploy);
    let reinstalls = state.is_helm_release() && state.deployer.reinstalls_failed_upgrades();
    if !fails || !reinstalls || state.work.policy().is_some() {
        return met;
    }
    predict(
        Outcome::Replaced,
        "the upgrade fails over `{name}`, its remediation uninstalls the whole release, and the next try installs it",
        "flux 2.5",
    )
    .cause(&[Cause::Option(Flux::UPGRADE_REMEDIATION), Cause::Change])
}

/// True when the tries that follow a failed run are installs: under a remediation of failed installs (flux 2.5).
pub(super) fn reinstalls(state: &ClusterState<'_>) -> bool {
    state.event == Event::AfterFailure
        && state.is_helm_release()
        && state.deployer.reinstalls().is_some()
}

/// The reason for another run of a hook after a failure (flux 2.2; flux 2.5).
pub(super) fn tried_again(state: &ClusterState<'_>, hook: &Hook, met: Prediction) -> Prediction {
    let runs = state.event == Event::AfterFailure && met.outcome == Outcome::RunsAgain;
    if !runs || !state.is_helm_release() {
        return met;
    }
    let listens = |events: [&str; 2]| events.iter().any(|event| hook.listens_to(event));
    let [installs, upgrades, _] = OPERATIONS;
    let (why, causes): (_, &'static [Cause]) =
        if listens(upgrades) && state.deployer.repeats_failed_upgrades() {
            (
                "the failed upgrade is repeated until it succeeds, and its hooks with it",
                &[Cause::Option(Flux::UPGRADE_STRATEGY)],
            )
        } else if listens(installs) && state.deployer.reinstalls().is_some() {
            (
                "a failed install is uninstalled and tried again, and its hooks with it",
                &[Cause::Option(Flux::INSTALL_RETRIES)],
            )
        } else {
            return met;
        };
    Prediction { why, fact: "flux 2.5", ..met }.cause(causes)
}
