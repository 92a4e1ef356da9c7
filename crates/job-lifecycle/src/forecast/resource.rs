//! An ordinary object: what all tools have in common about it.

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::{ClusterState, Live},
    prediction::{Cause, Prediction, predict},
    work::Shape,
};
use crate::deployer::{Helm3, HelmWait, Tool};

/// How a tool treats one ordinary object.
pub struct Resource {
    pub strategy: ApplyStrategy,
    /// What the way rests on.
    pub fact: &'static str,
    /// The manifest is taken out, or the name changes.
    pub removed: Prediction,
    pub uninstalled: Prediction,
    /// What the tool does by itself about a Job that a TTL has removed; `None`: nothing before the next deploy.
    pub gone: Option<Prediction>,
    /// What a correction of drift does to it; `None`: drift is not corrected.
    pub heals: Option<Prediction>,
}

impl Resource {
    pub fn answer(&self, state: &ClusterState<'_>) -> Option<Prediction> {
        let met = || self.strategy.meets(state, self.fact, self.removed);
        match state.event {
            Event::Removed => Some(self.removed),
            Event::Uninstall => Some(self.uninstalled),
            Event::SelfHeal => self.heals,
            // Nothing runs in a suspended Job, so nothing ends.
            Event::AfterTtl if state.work.ttl().is_none() || state.work.is_suspended() => None,
            Event::WhileRunning | Event::AfterFailure if state.work.is_suspended_job() => None,
            Event::AfterTtl => Some(self.gone.unwrap_or_else(met)),
            _ => Some(held_up(state, met())),
        }
    }
}

/// A Job that has failed stays failed where nothing replaces it, and who waits for Jobs fails over it at every
/// deploy (helm B.5; flux 1.6, 2.2).
fn held_up(state: &ClusterState<'_>, met: Prediction) -> Prediction {
    let stays = met.outcome == Outcome::Unchanged && state.live() == Live::Failed;
    if !stays || state.work.shape != Shape::Job || !waits(state) {
        return met;
    }
    let why = "the `{name}` that has failed is left as it is, and {tool} fails over it";
    let fact = match state.deployer.tool {
        Tool::Flux if state.is_helm_release() => "flux 2.2",
        Tool::Flux => "flux 1.6",
        _ => "helm B.5",
    };
    predict(Outcome::Blocked, why, fact).cause(&[Cause::Option(Helm3::WAIT)])
}

/// The deploy ends when its Jobs have ended.
fn waits(state: &ClusterState<'_>) -> bool {
    let deployer = state.deployer;
    match deployer.tool {
        Tool::Helm3 => deployer.waits_for_jobs(),
        // The watcher fails over a Job that has failed, whether it waits for Jobs or not.
        Tool::Helm4 => match deployer.helm4().wait {
            Some(HelmWait::Watcher | HelmWait::True) => true,
            Some(HelmWait::Legacy) => deployer.helm4().wait_for_jobs == Some(true),
            _ => false,
        },
        Tool::Flux => state.is_helm_release() || deployer.flux().wait == Some(true),
        Tool::Argocd | Tool::Fleet | Tool::Kubectl => false,
    }
}

/// An object that never gets into the cluster: every deploy fails the same way, and nothing is there to run,
/// to fail or to be deleted.
pub fn never(state: &ClusterState<'_>, refusal: Prediction) -> Option<Prediction> {
    match state.event {
        Event::Removed | Event::Uninstall => Some(predict(Outcome::Skipped, "", refusal.fact)),
        Event::WhileRunning | Event::AfterFailure | Event::AfterTtl | Event::SelfHeal => None,
        _ => Some(refusal),
    }
}

/// What every tool, or the API server, refuses whatever the way.
pub fn refusal(state: &ClusterState<'_>) -> Option<Prediction> {
    let annotation = |fact| {
        predict(Outcome::Rejected, "an annotation is no string: the object cannot be decoded", fact)
            .cause(&[Cause::Annotation])
    };
    const RESTART_POLICY: Prediction = predict(
        Outcome::Rejected,
        "the API server takes no Job whose `restartPolicy` is `Always`, the default of pods",
        "kubernetes-jobs 1.4",
    )
    .cause(&[Cause::RestartPolicy]);
    // The build of a Kustomization quotes it (observed k21).
    let quoted = state.deployer.tool == Tool::Flux && !state.is_helm_release();
    if state.work.bad_annotation().is_some() && !quoted {
        let argocd = state.deployer.tool == Tool::Argocd;
        return Some(annotation(if argocd { "argocd 0.1" } else { "helm A.3" }));
    }
    state.work.bad_restart_policy().then_some(RESTART_POLICY)
}
