//! An ordinary object: what all tools have in common about it.

use super::{
    Event, Outcome,
    apply_strategy::Way,
    cluster_state::{Live, Scene},
    prediction::{Cause, Cell, cell},
    work::Shape,
};
use crate::deploy::Tool;

/// How a tool treats one ordinary object.
pub struct Plain {
    pub way: Way,
    /// What the way rests on.
    pub fact: &'static str,
    /// The manifest is taken out, or the name changes.
    pub removed: Cell,
    pub uninstalled: Cell,
    /// What the tool does by itself about a Job that a TTL has removed; `None`: nothing before the next deploy.
    pub gone: Option<Cell>,
    /// What a correction of drift does to it; `None`: drift is not corrected.
    pub heals: Option<Cell>,
}

impl Plain {
    pub fn answer(&self, scene: &Scene<'_>) -> Option<Cell> {
        let met = || self.way.meets(scene, self.fact, self.removed);
        match scene.event {
            Event::Removed => Some(self.removed),
            Event::Uninstall => Some(self.uninstalled),
            Event::SelfHeal => self.heals,
            // Nothing runs in a suspended Job, so nothing ends.
            Event::AfterTtl if scene.work.ttl().is_none() || scene.work.is_suspended() => None,
            Event::WhileRunning | Event::AfterFailure if scene.work.is_suspended_job() => None,
            Event::AfterTtl => Some(self.gone.unwrap_or_else(met)),
            _ => Some(held_up(scene, met())),
        }
    }
}

/// A Job that has failed stays failed where nothing replaces it, and who waits for Jobs fails over it at every
/// deploy (helm B.5; flux 1.6, 2.2).
fn held_up(scene: &Scene<'_>, met: Cell) -> Cell {
    let stays = met.outcome == Outcome::Unchanged && scene.live() == Live::Failed;
    if !stays || scene.work.shape != Shape::Job || !waits(scene) {
        return met;
    }
    let why = "the `{name}` that has failed is left as it is, and {tool} fails over it";
    let fact = if scene.deployer.tool == Tool::Flux { "flux 1.6, 2.2" } else { "helm B.5" };
    cell(Outcome::Blocked, why, fact).cause(&[Cause::Option("wait")])
}

/// The deploy ends when its Jobs have ended.
fn waits(scene: &Scene<'_>) -> bool {
    let deployer = scene.deployer;
    match deployer.tool {
        Tool::Helm3 => deployer.is("wait") && deployer.is("waitForJobs"),
        // The watcher fails over a Job that has failed, whether it waits for Jobs or not.
        Tool::Helm4 => match deployer.text("wait") {
            Some("watcher" | "true") => true,
            Some("legacy") => deployer.is("waitForJobs"),
            _ => false,
        },
        Tool::Flux => scene.is_helm_release() || deployer.is("wait"),
        Tool::Argocd | Tool::Fleet | Tool::Kubectl => false,
    }
}

/// An object that never gets into the cluster: every deploy fails the same way, and nothing is there to run,
/// to fail or to be deleted.
pub fn never(scene: &Scene<'_>, refusal: Cell) -> Option<Cell> {
    match scene.event {
        Event::Removed | Event::Uninstall => Some(cell(Outcome::Skipped, "", refusal.fact)),
        Event::WhileRunning | Event::AfterFailure | Event::AfterTtl | Event::SelfHeal => None,
        _ => Some(refusal),
    }
}

/// What every tool, or the API server, refuses whatever the way.
pub fn refusal(scene: &Scene<'_>) -> Option<Cell> {
    const ANNOTATION: Cell = cell(
        Outcome::Rejected,
        "an annotation is no string: the object cannot be decoded",
        "helm A.3, argocd 0.1",
    )
    .cause(&[Cause::Annotation]);
    const RESTART_POLICY: Cell = cell(
        Outcome::Rejected,
        "the API server takes no Job whose `restartPolicy` is `Always`, the default of pods",
        "kubernetes-jobs 1.4",
    )
    .cause(&[Cause::RestartPolicy]);
    // The build of a Kustomization quotes it (OBSERVED, k21).
    let quoted = scene.deployer.tool == Tool::Flux && !scene.is_helm_release();
    if scene.work.bad_annotation().is_some() && !quoted {
        return Some(ANNOTATION);
    }
    scene.work.bad_restart_policy().then_some(RESTART_POLICY)
}
