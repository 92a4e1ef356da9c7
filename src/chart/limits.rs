//! Reports charts that need more than the budget of their renders. All renders of a check share one budget: those
//! of the value sets, of the guards, of the predictions and of the proofs of fixes.

use helm_render::{Budget, Chart, Error, Limit, Limits, Pool};

use super::failed;
use crate::{
    discover,
    progress::Progress,
    unit::{Loaded, Problem, Unit},
};

/// What to say about templates that call each other without end; Helm's message lists every call.
pub(super) const TOO_DEEP: &str =
    "the chart exceeded maximum template depth: its templates call each other without end";

/// Template steps and bytes of text that all charts of a run may spend together, beyond their shares. A repository of
/// 1 MB is checked in ten seconds and 1 GB. Builds without optimisation are slower.
const POOL: [u64; 2] = [if cfg!(debug_assertions) { 10_000_000 } else { 100_000_000 }, 64 << 20];
/// The shares of all charts together: what a chart may always spend, whatever the others do.
const SHARES: [u64; 2] = [if cfg!(debug_assertions) { 5_000_000 } else { 50_000_000 }, 32 << 20];
/// Steps and bytes of text that each byte of a chart adds to the pool. Charts that include many helpers make 2,000 bytes
/// of text for each of theirs, nearly all of it short-lived.
const PER_BYTE: [u64; 2] = [100, 1000];

/// Bytes of text that each byte of a chart adds to what one render may make. A chart that reads its
/// CustomResourceDefinitions several times makes a hundred bytes of each.
const AT_ONCE: u64 = 128;

/// What the charts of a run may spend together.
pub(crate) fn pool(charts: usize) -> Pool {
    pool_of(charts, &Progress::default())
}

/// The same for a run that may be stopped.
pub(crate) fn pool_of(charts: usize, progress: &Progress) -> Pool {
    let shares = SHARES.map(|all| all / (charts as u64).max(1));
    Pool::stopped_by(progress.stop_flag(), POOL, shares)
}

/// The budget of a chart in a run.
pub(crate) fn of_run(chart: &Chart, pool: &Pool) -> Budget {
    let size = size(chart);
    let [steps, bytes] = PER_BYTE.map(|each| each.saturating_mul(size));
    pool.grow(steps, bytes);
    let limits = Limits::default();
    // Whole MiB, as the message says it.
    let more = size.saturating_mul(AT_ONCE) >> 20 << 20;
    let bytes_at_once = limits.bytes_at_once.saturating_add(more);
    Budget::within(Limits { bytes_at_once, ..limits }, Some(pool.clone()))
}

/// The bytes in the files of a chart and its dependencies.
fn size(chart: &Chart) -> u64 {
    let files = chart.templates.iter().chain(&chart.files);
    let own: u64 = files.map(|file| file.data.len() as u64).sum();
    own + chart.dependencies.iter().map(|one| size(one)).sum::<u64>()
}

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
    let problem = failed(&unit.root, &path, &Error::from(limit)).problems.pop()?;
    let reason = format!("the chart {name}: not checked completely");
    Some(Problem { reason, ..problem })
}
