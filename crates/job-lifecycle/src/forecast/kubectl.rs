//! kubectl: `apply`, `apply --server-side`, `create`, `replace`.
//!
//! Sources: kubectl 0.1; kubectl 4; observed 1; observed p1-kubectl.

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::ClusterState,
    prediction::{Cause, Prediction, predict},
    resource::{self, Resource},
};
use crate::deployer::KubectlMode;

/// How each command sends an object, without and with force.
const MODES: &[(KubectlMode, ApplyStrategy, ApplyStrategy)] = &[
    (KubectlMode::Apply, ApplyStrategy::Patch, ApplyStrategy::Force),
    // `--force cannot be used with --server-side`
    (KubectlMode::ServerSide, ApplyStrategy::Patch, ApplyStrategy::Reject),
    // Force means `kubectl apply --force`.
    (KubectlMode::Create, ApplyStrategy::Post, ApplyStrategy::Force),
    (KubectlMode::Replace, ApplyStrategy::PutOnly, ApplyStrategy::Recreate),
];

pub(super) fn answer(state: &ClusterState<'_>) -> Option<Prediction> {
    let mode = state.deployer.kubectl_mode();
    let (strategy, forced) = MODES
        .iter()
        .find(|row| row.0 == mode)
        .map_or((ApplyStrategy::Patch, ApplyStrategy::Force), |row| (row.1, row.2));
    if state.work.object.is_unnamed() {
        return match mode {
            KubectlMode::Create => generated(state),
            _ => resource::never(state, NAMELESS),
        };
    }
    let plain = Resource {
        strategy: if state.event == Event::Forced { forced } else { strategy },
        fact: "kubectl 0.1",
        removed: predict(Outcome::LeftBehind, "`kubectl {mode}` deletes nothing", "kubectl 5.14"),
        uninstalled: predict(Outcome::Deleted, "", "kubernetes-jobs 5.3"),
        gone: None,
        heals: None,
    };
    plain.answer(state)
}

const NAMELESS: Prediction =
    predict(Outcome::Rejected, "only `kubectl create` takes `generateName`", "kubectl 4.2")
        .cause(&[Cause::GenerateName]);

/// Every `kubectl create` creates another Job that nothing tracks.
fn generated(state: &ClusterState<'_>) -> Option<Prediction> {
    let fact = "kubectl 4.2";
    Some(match state.event {
        Event::SelfHeal => return None,
        Event::AfterTtl if state.work.ttl().is_none() => return None,
        Event::Install => predict(Outcome::Runs, "", fact),
        Event::Forced => NAMELESS,
        Event::Removed | Event::Uninstall => {
            predict(Outcome::LeftBehind, "nothing knows the names that were made up", fact)
                .cause(&[Cause::GenerateName])
        }
        Event::AfterTtl => predict(Outcome::RunsAgain, "", fact),
        _ => predict(Outcome::RunsAgain, "every `kubectl create` makes another Job", fact)
            .also(Outcome::LeftBehind),
    })
}
