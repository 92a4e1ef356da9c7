//! Reports charts that need more than the budget of their renders. All renders of a check share one budget: those
//! of the value sets, of the guards, of the predictions and of the proofs of fixes.

use helm_render::{Budget, Error, Limit};

use super::failed;
use crate::{
    discover,
    unit::{Loaded, Problem, Unit},
};

/// What to say about templates that call each other without end; Helm's message lists every call.
pub(super) const TOO_DEEP: &str =
    "the chart exceeded maximum template depth: its templates call each other without end";

/// The budget of a rendered chart.
pub(crate) fn budget(views: &[Loaded]) -> Option<Budget> {
    let rendering = views.iter().find_map(|view| view.rendering.as_ref());
    rendering.map(|rendering| rendering.options.budget.clone())
}

/// What to say about a chart of which nothing was rendered.
pub(super) fn not_rendered(limit: Limit) -> String {
    format!("the chart {limit}: not rendered")
}

/// Adds a problem to the first view if a limit was exceeded and no view says so yet.
pub(super) fn report(unit: &Unit, views: &mut [Loaded], budget: &Budget) {
    if let (Some(problem), Some(first)) = (problem(unit, views, budget), views.first_mut()) {
        first.problems.push(problem);
    }
}

/// The problem that a limit was exceeded, unless a view says so already.
pub(crate) fn problem(unit: &Unit, views: &[Loaded], budget: &Budget) -> Option<Problem> {
    let limit = budget.exceeded()?;
    let name = limit.to_string();
    let is_known = |view: &Loaded| view.problems.iter().any(|one| one.reason.contains(&name));
    if views.iter().any(is_known) {
        return None;
    }
    let path = format!("{}/Chart.yaml", discover::shown(&unit.root));
    let mut problem = failed(&unit.root, &path, &Error::from(limit)).problems.pop()?;
    problem.reason = format!("the chart {name}: not checked completely");
    Some(problem)
}
