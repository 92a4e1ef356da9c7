//! Flux: a Kustomization (kustomize-controller), and what helm-controller adds to Helm.
//!
//! flux-fleet-kustomize.md 0.1, 1, 2; OBSERVED, "Flux controllers".

use super::{
    Event, Outcome,
    apply_strategy::Way,
    cluster_state::Scene,
    prediction::{Cause, Cell, cell},
    resource::{self, Plain},
    work::FLUX_PRUNE,
};
use crate::deploy::{FLUX_SSA, Tool, drift_detection, forces, is_excluded};

pub fn answer(scene: &Scene<'_>) -> Option<Cell> {
    let work = scene.work;
    if work.object.is_unnamed() {
        let refusal = cell(
            Outcome::Rejected,
            "the build of a Kustomization needs names: `missing metadata.name`",
            "flux 1.7",
        );
        return resource::never(scene, refusal.cause(&[Cause::GenerateName]));
    }
    if is_excluded(work.object) {
        let skipped = cell(Outcome::Skipped, "Flux never applies it", "flux 1.4");
        return resource::never(scene, skipped.cause(&[Cause::FluxReconcile]));
    }
    let forced = scene.event == Event::Forced || forces(work.object, scene.deployer, false);
    let (way, fact) = match forced {
        _ if work.says(FLUX_SSA, "ifnotpresent") => (Way::Once, "flux 1.4"),
        true => (Way::Force, "flux 1.4"),
        false => (Way::Patch, "flux 1.1"),
    };
    let plain = Plain {
        way,
        fact,
        removed: pruned(scene),
        uninstalled: pruned(scene),
        gone: Some(
            cell(
                Outcome::Loop,
                "Flux puts back what is gone: a run {interval}, as soon as the TTL has passed",
                "flux 1.5",
            )
            .cause(&[Cause::Ttl, Cause::Option("interval")]),
        ),
        heals: Some(cell(Outcome::Unchanged, "", "flux 1.1")),
    };
    plain.answer(scene)
}

/// `spec.prune` has no default, and the live object can opt out (flux 1.4, 1.8).
fn pruned(scene: &Scene<'_>) -> Cell {
    if scene.work.says(FLUX_PRUNE, "disabled") {
        return cell(Outcome::LeftBehind, "`prune: disabled` keeps it", "flux 1.4")
            .cause(&[Cause::Prune]);
    }
    match scene.deployer.flag("prune") {
        Some(true) => cell(Outcome::Deleted, "", "flux 1.8").cause(&[Cause::Option("prune")]),
        // What is out of the source is out of its inventory, so that pruning later does not find it.
        Some(false) => cell(
            Outcome::LeftBehind,
            "`spec.prune` is off, and the Kustomization forgets what it does not prune at once",
            "flux 1.8",
        )
        .cause(&[Cause::Option("prune")]),
        None => cell(
            Outcome::Unknown,
            "`spec.prune` of the Kustomization decides, and is not in the tree",
            "flux 1.8",
        ),
    }
}

/// `spec.driftDetection.mode: enabled`.
pub fn corrects(scene: &Scene<'_>) -> bool {
    scene.deployer.tool == Tool::Flux && scene.deployer.text("driftDetection") == Some("enabled")
}

/// An ordinary object of a HelmRelease that is gone (flux 2.4).
pub fn release_gone(scene: &Scene<'_>) -> Cell {
    let fact = "flux 2.4";
    match drift_detection(scene.work.object, scene.deployer) {
        Some("enabled") => cell(
            Outcome::Loop,
            "drift detection creates what is gone: a run {interval}, as soon as the TTL has passed",
            fact,
        )
        .cause(&[Cause::Ttl, Cause::Option("driftDetection"), Cause::Option("interval")]),
        Some("warn") => cell(
            Outcome::Drift,
            "an event says `DriftDetected`; the next upgrade runs it again",
            fact,
        )
        .cause(&[Cause::Ttl, Cause::Option("driftDetection")]),
        _ => cell(Outcome::Skipped, "nobody notices; the next upgrade runs it again", fact),
    }
}

pub fn release_heals(scene: &Scene<'_>) -> Option<Cell> {
    let healed = cell(Outcome::Unchanged, "", "flux 2.4");
    corrects(scene).then_some(healed.cause(&[Cause::Option("driftDetection")]))
}
