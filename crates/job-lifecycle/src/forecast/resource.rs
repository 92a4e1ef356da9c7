//! Ordinary objects: what all tools have in common.

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::{ClusterState, Live},
    prediction::{Cause, Prediction, predict},
    work::Shape,
};
use crate::deployer::{Helm3, HelmWait, Tool};

/// How a tool treats an ordinary object.
pub(super) struct Resource {
    pub strategy: ApplyStrategy,
    /// The source for `strategy`.
    pub fact: &'static str,
    /// What happens when the manifest is removed, and to the old object when the name changes.
    pub removed: Prediction,
    pub uninstalled: Prediction,
    /// What the tool does about a Job that a TTL has removed; `None`: nothing before the next deploy.
    pub gone: Option<Prediction>,
    /// What the correction of another object's drift does to it; `None`: drift is not corrected.
    pub heals: Option<Prediction>,
}

impl Resource {
    pub(super) fn answer(&self, state: &ClusterState<'_>) -> Option<Prediction> {
        let met = || self.strategy.meets(state, self.fact, self.removed);
        match state.event {
            Event::Removed => Some(self.removed),
            Event::Uninstall => Some(self.uninstalled),
            Event::SelfHeal => self.heals,
            // A suspended Job runs nothing, so it never finishes.
            Event::AfterTtl if state.work.ttl().is_none() || state.work.is_suspended() => None,
            Event::WhileRunning | Event::AfterFailure if state.work.is_suspended_job() => None,
            Event::AfterTtl => Some(self.gone.unwrap_or_else(met)),
            _ => Some(held_up(state, met())),
        }
    }
}

/// A failed Job that nothing replaces stays failed, and a deployer that waits for Jobs fails at every deploy
/// (helm B.5; flux 1.6; flux 2.2).
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

/// True when the deploy waits for its Jobs.
fn waits(state: &ClusterState<'_>) -> bool {
    let deployer = state.deployer;
    match deployer.tool {
        Tool::Helm3 => deployer.waits_for_jobs(),
        // The watcher fails on a failed Job, whether or not it waits for Jobs.
        Tool::Helm4 => match deployer.helm4().wait {
            Some(HelmWait::Watcher | HelmWait::True) => true,
            Some(HelmWait::Legacy) => deployer.helm4().wait_for_jobs == Some(true),
            _ => false,
        },
        Tool::Flux => state.is_helm_release() || deployer.flux().wait == Some(true),
        Tool::Argocd | Tool::Fleet | Tool::Kubectl => false,
    }
}

/// The answer for an object that never reaches the cluster: every deploy has the same outcome, and there is
/// nothing to run, to fail or to delete.
pub(super) fn never(state: &ClusterState<'_>, rejection: Prediction) -> Option<Prediction> {
    match state.event {
        Event::Removed | Event::Uninstall => Some(predict(Outcome::Skipped, "", rejection.fact)),
        Event::WhileRunning | Event::AfterFailure | Event::AfterTtl | Event::SelfHeal => None,
        _ => Some(rejection),
    }
}

/// The rejections that do not depend on how the object is sent.
pub(super) fn rejection(state: &ClusterState<'_>) -> Option<Prediction> {
    const ANNOTATION: &str = "an annotation is no string: the object cannot be decoded";
    const LABEL: &str =
        "a label, or an annotation of the pod template, is no string: the object cannot be decoded";
    const RESTART_POLICY: Prediction = predict(
        Outcome::Rejected,
        "the API server takes no Job whose `restartPolicy` is `Always`, the default of pods",
        "kubernetes-jobs 1.4",
    )
    .cause(&[Cause::RestartPolicy]);
    // The build of a Kustomization quotes the value (observed k21).
    let quoted = state.deployer.tool == Tool::Flux && !state.is_helm_release();
    if state.work.bad_annotation().is_some() && !quoted {
        let argocd = state.deployer.tool == Tool::Argocd;
        let fact = if argocd { "argocd 0.1" } else { "helm A.3" };
        let rejected = predict(Outcome::Rejected, ANNOTATION, fact);
        return Some(rejected.cause(&[Cause::Annotation]));
    }
    if state.work.bad_label().is_some() {
        return Some(predict(Outcome::Rejected, LABEL, "helm A.3").cause(&[Cause::Label]));
    }
    state.work.bad_restart_policy().then_some(RESTART_POLICY)
}
