//! What Fleet's agent adds to Helm: drift correction.
//!
//! Sources: fleet 3.4; fleet 3.5; observed fleet-agent.

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::{ClusterState, Sent},
    prediction::{Cause, Prediction, predict},
};
use crate::deployer::{Fleet, Tool};

pub(super) fn corrects(state: &ClusterState<'_>) -> bool {
    state.deployer.tool == Tool::Fleet && state.deployer.fleet().correct_drift == Some(true)
}

/// What Fleet does about a missing object: it reports `Modified`, or recreates it by a rollback to the live release.
pub(super) fn gone(state: &ClusterState<'_>) -> Prediction {
    let fact = "fleet 3.5";
    match corrects(state) {
        _ if state.deployer.ignores(state.work.object) => {
            let why = "`comparePatches` ignores that it is gone; the next changed deployment runs it again";
            return predict(Outcome::Skipped, why, "fleet 3.6").cause(&[Cause::Ttl]);
        }
        true => predict(
            Outcome::Loop,
            "`correctDrift` puts it back: a run every run time + {ttl} s + 3 to 5 s",
            fact,
        ),
        false => predict(
            Outcome::Drift,
            "Fleet reports `Modified` ({name} missing); the next changed deployment runs it again",
            "fleet 3.4",
        ),
    }
    .cause(&[Cause::Ttl, Cause::Option(Fleet::CORRECT_DRIFT)])
}

/// What the correcting rollback does to an unchanged object: nothing, or with force a PUT.
pub(super) fn heals(state: &ClusterState<'_>) -> Option<Prediction> {
    let strategy =
        if state.deployer.is_forced() { ApplyStrategy::Put } else { ApplyStrategy::Patch };
    let state = ClusterState { sent: Sent::Same, event: Event::SelfHeal, ..*state };
    let met = strategy.meets(&state, "fleet 3.5", predict(Outcome::Deleted, "", "fleet 3.5"));
    let healed = match met.outcome {
        Outcome::Unchanged => met.cause(&[Cause::Option(Fleet::CORRECT_DRIFT)]),
        _ => met,
    };
    corrects(&state).then_some(healed)
}
