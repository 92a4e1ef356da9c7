//! What each deploy does to a workload: (workload, role, churn, deployer, event) → outcome. Pure.
//!
//! One file per tool, each beside the facts it states; `way` and `hook` hold what all tools share: how the API
//! server answers, and what a hook meets that an earlier run has left.

mod apply_strategy;
mod argocd;
mod cluster_state;
mod fleet;
mod flux;
mod helm;
mod hook;
mod kubectl;
mod outcome;
mod prediction;
mod resource;
mod unit;
mod work;

pub use outcome::{Event, Outcome};
pub use unit::{Row, forecast_unit};
pub use work::{Shape, Work};

use super::{Deployer, Role, Tool};
use crate::{finding::Label, release_changes::Churn};
use cluster_state::Scene;
use prediction::{Cause, Cell, cell};

/// What happens to a workload at an event.
#[derive(Clone, Debug)]
pub struct Forecast {
    pub outcome: Outcome,
    /// What else happens to objects.
    pub also: Vec<Outcome>,
    /// Empty where the outcome says it all; of `unknown` never empty.
    pub reason: String,
    /// File and section of the facts it rests on.
    pub fact: &'static str,
    /// The fields that the API server refuses to change.
    pub fields: Vec<&'static str>,
    /// Places in the source of the workload, unless a label names another.
    pub labels: Vec<Label>,
}

/// What happens to a workload at an event; `None` when that cannot happen to it: `after-ttl` without a
/// TTL, `self-heal` where drift is not corrected, `while-running` of what never runs.
pub fn forecast(
    work: &Work<'_>,
    churn: &Churn,
    deployer: &Deployer,
    event: Event,
) -> Option<Forecast> {
    let churn = churn.under(deployer);
    let is_gone = cluster_state::change(churn, event).is_some_and(|change| change.gone);
    let event = if is_gone { Event::Removed } else { event };
    let scene = Scene::new(work, churn, deployer, event);
    let cell = answer(&scene)?;
    Some(told(&scene, churn, cell))
}

fn answer(scene: &Scene<'_>) -> Option<Cell> {
    if scene.work.role == Role::Dropped {
        let dropped =
            cell(Outcome::Skipped, "{tool} drops it without an error", "helm A.2, argocd 0.1");
        return resource::never(scene, dropped.cause(&[Cause::Hook]));
    }
    if let Some(refusal) = resource::refusal(scene) {
        return resource::never(scene, refusal);
    }
    match scene.deployer.tool {
        Tool::Helm3 | Tool::Helm4 | Tool::Fleet => helm::answer(scene),
        Tool::Flux if scene.is_helm_release() => helm::answer(scene),
        Tool::Flux => flux::answer(scene),
        Tool::Argocd => argocd::answer(scene),
        Tool::Kubectl => kubectl::answer(scene),
    }
}

/// An answer in words and places.
fn told(scene: &Scene<'_>, churn: &Churn, cell: Cell) -> Forecast {
    let change = cluster_state::change(churn, scene.event);
    let immutable = cell.outcome == Outcome::Rejected && cell.causes.contains(&Cause::Change);
    let fields = match change {
        Some(change) if immutable => change.fields.clone(),
        _ => Vec::new(),
    };
    let mut labels: Vec<_> = cell.causes.iter().filter_map(|cause| label(scene, *cause)).collect();
    if let Some(change) = change.filter(|_| cell.causes.contains(&Cause::Change)) {
        labels.extend(change.causes.iter().map(|place| Label {
            source: Some(place.source.clone()),
            span: place.span,
            text: place.text.clone(),
        }));
    }
    Forecast {
        outcome: cell.outcome,
        also: cell.also.into_iter().collect(),
        reason: filled_in(cell.why, scene, &fields),
        fact: cell.fact,
        fields,
        labels,
    }
}

fn label(scene: &Scene<'_>, cause: Cause) -> Option<Label> {
    let Cause::Option(name) = cause else { return scene.work.label(cause) };
    let at = scene.deployer.because(name)?;
    let text = format!("`{name}` is set here");
    Some(Label { source: Some(at.source.clone()), span: at.span, text })
}

fn filled_in(why: &str, scene: &Scene<'_>, fields: &[&str]) -> String {
    if !why.contains('{') {
        return why.to_owned();
    }
    let interval = match scene.deployer.text("interval") {
        Some(interval) => format!("every {interval}"),
        None => "every `spec.interval`".to_owned(),
    };
    let ttl = scene.work.ttl().and_then(|ttl| ttl.value.as_int()).unwrap_or_default();
    why.replace("{tool}", scene.title())
        .replace("{name}", &scene.work.object.display_name())
        .replace("{kind}", scene.work.object.kind())
        .replace("{field}", &fields.join("`, `"))
        .replace("{interval}", &interval)
        .replace("{ttl}", &ttl.to_string())
        .replace("{mode}", scene.deployer.text("mode").unwrap_or("apply"))
}

#[cfg(test)]
mod tests;
