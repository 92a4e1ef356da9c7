//! Explores Jobs that no value set renders: chooses values that satisfy the conditions around them, and
//! reports the Jobs that remain unrendered.

use std::{collections::BTreeSet, sync::Arc};

use helm_render::{
    Chart, Error, Reason, RenderOptions,
    guards::{self, GuardedObject},
    values::{Setting, Table, Tree},
};
use job_lifecycle::Object;
use yaml_spans::Location;

use super::{
    Parsed, ValueSet, render,
    required_inputs::{RequiredInputs, template_path},
    sub_charts,
    unrendered::{self, Failures},
};
use crate::unit::{Loaded, Rendering};

/// The most extra renders to spend on disabled Jobs. Whatever is left is reported as not rendered.
const MOST_RENDERS: usize = 32;

/// The most Jobs that are rendered for an entry without fields.
const MOST_OF_ENTRIES: usize = 8;

/// Kinds of the objects whose conditions are explored.
const KINDS: [&str; 2] = ["Job", "CronJob"];

/// Identifies an object across renders: the path of the template that prints it, and path and byte offset of its
/// `kind` field, which may stand in a helper that several templates include.
type ObjectKey = (String, String, u32);

/// Adds views for Jobs that no existing view contains, rendered with values that enable their chart or satisfy their
/// conditions. Jobs that still do not render become a problem.
pub(super) fn explore(loaded: &mut Vec<Loaded>) {
    let Some(base) = loaded.first().and_then(|first| first.rendering.clone()) else { return };
    let chart = &base.chart;
    let mut reached: BTreeSet<ObjectKey> =
        loaded.iter().flat_map(|view| view.objects.iter().filter_map(kind)).collect();
    let of_sub_charts = RequiredInputs::from_values(sub_charts::enabling(&base));
    if !of_sub_charts.is_nothing()
        && let Ok(view) = view(chart, &base, &of_sub_charts, &reached)
    {
        keep(view, &mut reached, loaded);
    }
    let mut left = guards::guarded_objects(&base.rendered, &KINDS);
    left.retain(|job| !reached.contains(&key(&base, job)) && is_own(&base, &job.at));
    left.sort_by_key(|job| key(&base, job));
    let mut failures = Failures::new();
    let mut known = BTreeSet::new();
    for tried in attempts(&base, &left) {
        let is_left = |job: &&GuardedObject| !reached.contains(&key(&base, job));
        let wanted = RequiredInputs::of(&base, tried.iter().copied().filter(is_left));
        let is_new = known.insert(wanted.name(|_| true)) && known.len() <= MOST_RENDERS;
        if wanted.is_nothing() || !is_new {
            continue;
        }
        let view = match view(chart, &base, &wanted, &reached) {
            Ok(view) => view,
            Err(error) => {
                let words = format!("the chart fails: {}", unrendered::core(&error));
                let of = |job: &&GuardedObject| unrendered::template(job).to_owned();
                let values = format!("`{}`", wanted.name(|_| true));
                let reasons = tried.iter().filter(|_| error.reason == Reason::Fail).map(of);
                failures.extend(reasons.map(|job| (job, (values.clone(), words.clone()))));
                continue;
            }
        };
        if let Some(rendering) = &view.rendering {
            failures.extend(left.iter().filter_map(|job| failed(job, rendering)));
        }
        keep(view, &mut reached, loaded);
    }
    left.retain(|job| !reached.contains(&key(&base, job)));
    add_of_entries(&left, &base, &failures, &mut reached, loaded);
    unrendered::report(&left, &base, &failures, loaded);
}

/// What Go says of an entry that is no map, and of a value that has no entries.
const NO_ENTRIES: [&str; 2] = ["can't evaluate field", "range can't iterate over true"];

/// Adds views for Jobs that a template prints for each entry of an empty list or map, with an entry that has no fields: what
/// the template itself says of a Job is the same for each of them.
fn add_of_entries(
    left: &[GuardedObject],
    base: &Rendering,
    failures: &Failures,
    reached: &mut BTreeSet<ObjectKey>,
    loaded: &mut Vec<Loaded>,
) {
    let asks_for_fields = |job: &&GuardedObject| {
        let failure = failures.get(unrendered::template(job));
        failure.is_some_and(|(_, words)| NO_ENTRIES.iter().any(|said| words.contains(said)))
    };
    let jobs = left.iter().filter(asks_for_fields).take(MOST_OF_ENTRIES);
    for job in jobs {
        let wanted = RequiredInputs::of(base, [job]).with_fields(base);
        if wanted.is_of_entries
            && let Ok(view) = view(&base.chart, base, &wanted, reached)
        {
            keep(view, reached, loaded);
        }
    }
}

/// Adds a view if it holds objects that no earlier one does.
fn keep(view: Loaded, reached: &mut BTreeSet<ObjectKey>, loaded: &mut Vec<Loaded>) {
    if view.only.as_ref().is_some_and(|fresh| !fresh.is_empty()) {
        reached.extend(view.objects.iter().filter_map(kind));
        loaded.push(view);
    }
}

/// The groups of Jobs to enable together, most promising first: all Jobs that installs render, all that
/// upgrades render, all that need no invented lists or maps, then each Job alone.
fn attempts<'a>(base: &Rendering, jobs: &'a [GuardedObject]) -> Vec<Vec<&'a GuardedObject>> {
    let is_plain = |job: &&GuardedObject| {
        let wanted = RequiredInputs::of(base, [*job]);
        !wanted.values.values().any(|one| matches!(one.value, Tree::List(_) | Tree::Table(_)))
    };
    let plain: Vec<_> = jobs.iter().filter(is_plain).collect();
    let is_of_upgrade = |job: &&GuardedObject| RequiredInputs::of(base, [*job]).is_upgrade;
    let (upgrades, rest): (Vec<_>, Vec<_>) = jobs.iter().partition(is_of_upgrade);
    let mut attempts = vec![rest, upgrades];
    if plain.len() < jobs.len() {
        attempts.push(plain.clone());
    }
    let others = jobs.iter().filter(|job| !is_plain(job));
    attempts.extend(plain.iter().copied().chain(others).map(|job| vec![job]));
    attempts.retain(|jobs| !jobs.is_empty());
    attempts
}

/// The failure of a Job's template in a view, with the values of that view.
fn failed(job: &GuardedObject, rendering: &Rendering) -> Option<(String, (String, String))> {
    let error = unrendered::failure_of(job, &rendering.rendered.failures)?;
    let name = unrendered::template(job).to_owned();
    let words = format!("its template fails: {}", unrendered::core(error));
    Some((name, (format!("`{}`", rendering.values), words)))
}

/// Renders the chart with explored inputs. Findings count only for objects that no earlier view reached.
///
/// # Errors
/// The chart does not render, or refuses the inputs.
fn view(
    chart: &Arc<Chart>,
    base: &Rendering,
    wanted: &RequiredInputs,
    reached: &BTreeSet<ObjectKey>,
) -> Result<Loaded, Error> {
    let mut options = RenderOptions {
        is_lint: true,
        // A chart whose defaults it refuses too refuses any values that are not the user's.
        honours_fail: !base.options.is_lint,
        is_tolerant: true,
        trusts_files: true,
        skips_schema: true,
        known: Some(base.rendered.clone()),
        overrides: base.options.overrides.iter().chain(wanted.values.values()).cloned().collect(),
        ..base.options.clone()
    };
    if wanted.is_upgrade {
        options.release.is_upgrade = true;
        options.release.revision += 1;
    }
    let set = ValueSet::new(wanted.name(|_| true), Table::new(), false);
    let mut rendering = render(chart, options, &set)?;
    if let Some(refusal) = refusal(base, &rendering) {
        return Err(refusal.clone());
    }
    rendering.is_explored = true;
    rendering.is_of_entries = wanted.is_of_entries;
    rendering.deployments.clone_from(&base.deployments);
    let mut parsed = Parsed::new(rendering);
    parsed.loaded.problems.clear();
    let is_fresh = |object: &Object| kind(object).is_some_and(|kind| !reached.contains(&kind));
    let objects = parsed.loaded.objects.iter().enumerate();
    let fresh: Vec<_> = objects
        .filter(|(_, object)| is_fresh(object))
        .map(|(index, _)| (index, wanted.name_for(&parsed, index)))
        .collect();
    parsed.loaded.only = Some(fresh);
    parsed.predict();
    Ok(parsed.loaded)
}

/// The `fail` by which the chart refuses explored values: such a set is none.
fn refusal<'e>(base: &Rendering, explored: &'e Rendering) -> Option<&'e Error> {
    let known = &base.rendered.failures;
    let is_new = |error: &&Error| !known.iter().any(|other| other.message == error.message);
    let mut failures = explored.rendered.failures.iter().filter(is_new);
    failures.find(|error| error.reason == Reason::Fail)
}

/// The key of a rendered object.
fn kind(object: &Object) -> Option<ObjectKey> {
    let span = object.root.get("kind")?.span;
    let at = Location { source: object.source.clone(), span }.written();
    Some((object.source.path.clone(), at.source.path.clone(), at.span.start))
}

/// The key of an object in the text of a template.
fn key(base: &Rendering, job: &GuardedObject) -> ObjectKey {
    (template_path(base, job), job.at.source.path.clone(), job.at.span.start)
}

/// Returns whether a template belongs to the chart itself or to an unpacked sub-chart of the same repository;
/// templates of vendored dependencies are not explored.
fn is_own(base: &Rendering, at: &Location) -> bool {
    let folder = base.chart.chart_yaml.path.trim_end_matches("Chart.yaml");
    let inside = at.source.path.strip_prefix(folder).unwrap_or(&at.source.path);
    let Some(below) = inside.strip_prefix("charts/") else { return true };
    let entry = below.split('/').next().unwrap_or(below);
    let folder = format!("charts/{entry}");
    let mut sub_charts = base.chart.dependencies.iter();
    sub_charts.any(|sub| sub.folder == folder && sub_charts::is_own(&base.chart, sub))
}

impl Rendering {
    /// The value at a path: from the values that were set, else from the chart's defaults.
    pub(super) fn value(&self, path: &[String]) -> Option<serde_json::Value> {
        self.setting(path).map(Setting::to_json)
    }

    /// The same with the location that sets it.
    pub(crate) fn setting(&self, path: &[String]) -> Option<&Setting> {
        setting(&self.options.values, path).or_else(|| default(&self.chart, path))
    }
}

/// The default value at a path, including the defaults of dependencies.
fn default<'c>(chart: &'c Chart, path: &[String]) -> Option<&'c Setting> {
    let below = || {
        let (first, rest) = path.split_first()?;
        let own = chart.dependencies.iter().find(|one| one.name() == first)?;
        default(own, rest)
    };
    setting(&chart.values, path).or_else(below)
}

fn setting<'t>(table: &'t Table, path: &[String]) -> Option<&'t Setting> {
    let (first, rest) = path.split_first()?;
    let mut now = table.get(&**first)?;
    for key in rest {
        now = now.as_table()?.get(&**key)?;
    }
    Some(now)
}
