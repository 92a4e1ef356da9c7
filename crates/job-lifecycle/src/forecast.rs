//! What happens to a workload at an event: a pure function of the workload, its changes, the deployer and the event.
//!
//! Each tool has a module with its facts. `apply_strategy`, `resource` and `hook` hold what the tools share:
//! how the API server answers, how ordinary objects are treated, and what a hook finds of an earlier run.

mod apply_strategy;
mod argocd;
mod cluster_state;
mod conversion;
mod deletion;
mod fleet;
mod flux;
mod helm;
mod hook;
mod kubectl;
mod legend;
mod outcome;
mod prediction;
mod resource;
mod unit;
mod work;

use cluster_state::ClusterState;
use prediction::{Cause, Prediction, predict};

use crate::{
    Label,
    deploy::Role,
    deployer::{Deployer, Tool},
    object::Object,
    release_changes::ReleaseChanges,
};

pub use apply_strategy::MOMENT;
pub use legend::{EventWords, Legend, OutcomeWords, legend};
pub use outcome::{Event, Outcome};
pub use unit::{Row, forecast_unit};
pub use work::{DeployedWorkload, Shape};

/// What happens to a workload at an event, and why.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// What happens.
    pub outcome: Outcome,
    /// What else happens, to the old object of a renamed workload for example.
    pub also: Vec<Outcome>,
    /// Why, as a phrase; empty where the outcome says it all, never empty for `Unknown`.
    pub reason: String,
    /// The documented fact behind it: file and section, `helm A.5`.
    pub fact: &'static str,
    /// The immutable fields that change, as the API server names them, if that is why it is rejected.
    pub fields: Vec<&'static str>,
    /// The parts of the manifests that decide.
    pub labels: Vec<Label>,
}

/// What happens to a workload at an event. `None` when the event cannot happen to it: `after-ttl` without a
/// TTL, `self-heal` where drift is not corrected, `while-running` for a workload that never runs.
pub fn forecast(
    work: &DeployedWorkload<'_>,
    changes: &ReleaseChanges,
    deployer: &Deployer,
    event: Event,
) -> Option<Forecast> {
    let changes = changes.under(deployer);
    let state = state(work, changes, deployer, event);
    let cell = answer(&state, changes)?;
    Some(located(&state, changes, cell))
}

/// The outcome of an event alone, as [`forecast`] gives it.
pub fn outcome(
    work: &DeployedWorkload<'_>,
    changes: &ReleaseChanges,
    deployer: &Deployer,
    event: Event,
) -> Option<Outcome> {
    let changes = changes.under(deployer);
    let state = state(work, changes, deployer, event);
    Some(answer(&state, changes)?.outcome)
}

fn state<'a>(
    work: &'a DeployedWorkload<'a>,
    changes: &ReleaseChanges,
    deployer: &'a Deployer,
    event: Event,
) -> ClusterState<'a> {
    let is_gone = cluster_state::change(changes, event).is_some_and(|change| change.gone);
    let event = if is_gone { Event::Removed } else { event };
    ClusterState::new(work, changes, deployer, event)
}

fn answer(state: &ClusterState<'_>, changes: &ReleaseChanges) -> Option<Prediction> {
    if state.work.role == Role::Dropped {
        let fact = if state.deployer.tool == Tool::Argocd { "argocd 0.1" } else { "helm A.2" };
        let dropped = predict(Outcome::Skipped, "{tool} drops it without an error", fact);
        return resource::never(state, dropped.cause(&[Cause::Hook]));
    }
    if let Some(rejection) = resource::rejection(state) {
        return resource::never(state, rejection);
    }
    if let Some(converted) = conversion::answer(state, changes) {
        return Some(converted);
    }
    let cell = match state.deployer.tool {
        Tool::Helm3 | Tool::Helm4 | Tool::Fleet => helm::answer(state),
        Tool::Flux if state.is_helm_release() => helm::answer(state),
        Tool::Flux => flux::answer(state),
        Tool::Argocd => argocd::answer(state),
        Tool::Kubectl => kubectl::answer(state),
    };
    cell.map(|cell| deletion::explained(state, cell))
}

/// A prediction with its texts filled in and its causes located.
fn located(state: &ClusterState<'_>, changes: &ReleaseChanges, cell: Prediction) -> Forecast {
    let change = cluster_state::change(changes, state.event);
    let immutable = cell.outcome == Outcome::Rejected && cell.causes.contains(&Cause::Change);
    let fields = match change {
        Some(change) if immutable => change.fields.clone(),
        _ => Vec::new(),
    };
    let mut labels: Vec<_> = cell.causes.iter().filter_map(|cause| label(state, *cause)).collect();
    if let Some(change) = change.filter(|_| cell.causes.contains(&Cause::Change)) {
        labels.extend(change.causes.iter().cloned());
    }
    Forecast {
        outcome: cell.outcome,
        also: cell.also.into_iter().collect(),
        reason: filled_in(cell.why, state, &fields),
        fact: cell.fact,
        fields,
        labels,
    }
}

fn label(state: &ClusterState<'_>, cause: Cause) -> Option<Label> {
    match cause {
        Cause::Option(name) => {
            let at = state.deployer.because(name)?;
            Some(Label::at(at.clone(), format!("`{name}` is set here")))
        }
        Cause::Deleter => {
            let hook = state.deleted_by?;
            let span = hook.root.at(&["metadata", "name"])?.span;
            let text = format!("its command deletes `{}`", state.work.object.display_name());
            Some(Label { source: hook.source.clone(), span, text })
        }
        _ => state.work.label(cause),
    }
}

fn filled_in(why: &str, state: &ClusterState<'_>, fields: &[&str]) -> String {
    if !why.contains('{') {
        return why.to_owned();
    }
    let interval = match &state.deployer.flux().interval {
        Some(interval) => format!("every {}", interval.as_str()),
        None => "every `spec.interval`".to_owned(),
    };
    let ttl = state.work.ttl().and_then(|ttl| ttl.value.as_int()).unwrap_or_default();
    let deleter = state.deleted_by.map(Object::display_name).unwrap_or_default();
    why.replace("{tool}", state.title())
        .replace("{deleter}", &deleter)
        .replace("{name}", &state.work.object.display_name())
        .replace("{kind}", state.work.object.kind())
        .replace("{field}", &fields.join("`, `"))
        .replace("{interval}", &interval)
        .replace("{ttl}", &ttl.to_string())
        .replace("{mode}", state.deployer.kubectl_mode().name())
}

#[cfg(test)]
mod tests;
