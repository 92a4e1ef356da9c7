//! What Fleet's agent adds to Helm: drift.
//!
//! flux-fleet-kustomize.md 3.4, 3.5; OBSERVED, "Fleet agent".

use super::{
    Event, Outcome,
    apply_strategy::Way,
    cluster_state::{Scene, Sent},
    prediction::{Cause, Cell, cell},
};
use crate::deploy::Tool;

pub fn corrects(scene: &Scene<'_>) -> bool {
    scene.deployer.tool == Tool::Fleet && scene.deployer.is("correctDrift")
}

/// An object that is gone: `Modified`, or put back by a rollback to the live release.
pub fn gone(scene: &Scene<'_>) -> Cell {
    let fact = "fleet 3.5";
    match corrects(scene) {
        _ if scene.deployer.ignores(scene.work.object) => {
            let why = "`comparePatches` ignores that it is gone; the next changed deployment runs it again";
            return cell(Outcome::Skipped, why, "fleet 3.6").cause(&[Cause::Ttl]);
        }
        true => cell(
            Outcome::Loop,
            "`correctDrift` puts it back: a run every run time + {ttl} s + 3 to 5 s",
            fact,
        ),
        false => cell(
            Outcome::Drift,
            "Fleet reports `Modified` ({name} missing); the next changed deployment runs it again",
            "fleet 3.4",
        ),
    }
    .cause(&[Cause::Ttl, Cause::Option("correctDrift")])
}

/// The rollback leaves alone what is as it was, except with force: then it is a PUT.
pub fn heals(scene: &Scene<'_>) -> Option<Cell> {
    let way = if scene.deployer.is("force") { Way::Put } else { Way::Patch };
    let scene = Scene { sent: Sent::Same, event: Event::SelfHeal, ..*scene };
    let met = way.meets(&scene, "fleet 3.5", cell(Outcome::Deleted, "", "fleet 3.5"));
    let healed = match met.outcome {
        Outcome::Unchanged => met.cause(&[Cause::Option("correctDrift")]),
        _ => met,
    };
    corrects(&scene).then_some(healed)
}
