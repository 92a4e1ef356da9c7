//! Renders a chart under each of its value sets, as far as it renders.

use std::sync::Arc;

use helm_render::{
    self as helm, Budget, Chart, CurrentValues, Error, Override, Parsing, Reason, RenderOptions,
    Rendered, guards,
    values::{Setting, Tree},
};
use job_lifecycle::workload::is_work;

use super::{
    Shared, ValueSet, failed, failure, missed,
    options::options,
    parsed::{Parsed, objects},
    secrets,
    threads::in_parallel,
    umbrella, value_sets,
};
use crate::{
    load,
    settings::Settings,
    unit::{Failure, Loaded, Problem, Rendering, Unit},
    words::one_line,
};

/// How much of a chart is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Depth {
    /// The first value set that renders, without predictions.
    Draft,
    /// Every value set.
    Checked,
    /// Every value set, and all manifests of charts that have nothing to check.
    Whole,
}

impl Depth {
    fn objects(self, rendering: Rendering) -> Loaded {
        match self {
            Depth::Draft => Parsed::new(rendering).loaded,
            Depth::Checked | Depth::Whole => objects(rendering),
        }
    }

    /// Only work is checked, and what is rendered together with it.
    fn parsing(self) -> Parsing {
        match self {
            Depth::Draft | Depth::Checked => {
                Parsing::If(|text| load::may_hold_work(text.as_bytes()))
            }
            Depth::Whole => Parsing::All,
        }
    }

    /// Whether these views are all that is wanted.
    fn is_reached(self, loaded: &[Loaded]) -> bool {
        self == Depth::Draft && !loaded.is_empty()
    }
}

/// Renders every value set. If none renders, the first set, or that of an environment, is tried again: with placeholders
/// for required values, then without the templates that fail.
pub(super) fn render_all(
    chart: &Arc<Chart>,
    unit: &Unit,
    texts: &[(String, Vec<u8>)],
    settings: &Settings,
    budget: &Budget,
    (depth, shared): (Depth, &Shared<'_>),
) -> Vec<Loaded> {
    let mut notes = Vec::new();
    let sets = match value_sets::all(chart, unit, texts, settings, &mut notes) {
        Ok(sets) => sets,
        Err(error) => {
            let secrets = secrets::of_values(chart, &[], &settings.values);
            let failed = failed(&unit.root, &chart.chart_yaml.path, &error);
            return vec![Loaded { secrets, ..failed }];
        }
    };
    let is_idle = !value_sets::mention_work(chart, &sets);
    let options = |set: &ValueSet| RenderOptions {
        parsing: depth.parsing(),
        ..options(chart, set, settings, budget)
    };
    let before = shared.cache.rendered().take();
    let mut loaded = deployed(chart, &sets, &options, (depth, &before), &mut notes);
    // A chart that GitOps objects deploy with their own values is not deployed with its defaults, and nobody
    // deploys its `ci/` values.
    let is_deployed = !loaded.is_empty();
    let by = if is_deployed { &[][..] } else { &unit.deployments };
    let mut others: Vec<_> = sets.iter().filter(|set| set.deployments.is_empty()).collect();
    others.retain(|set| !(is_deployed && set.is_default()));
    let one = |set: &ValueSet, known: Option<&Arc<Rendered>>, failing: Option<&Arc<str>>| {
        if let Some(template) = failing {
            alone(chart, template, options(set))?;
        }
        // The chart's own tests fail if the files of the chart are broken.
        let trusts_files = known.is_some() && !set.stated && value_sets::is_test_set(&set.name);
        let options = RenderOptions { known: known.cloned(), trusts_files, ..options(set) };
        render(chart, options, set).map(|rendering| depth.objects(rendering.of(by)))
    };
    let mut failure: Option<(&ValueSet, Error)> = None;
    let mut of_checks = None;
    let mut take = |set, result, loaded: &mut Vec<_>| match result {
        Ok(view) => loaded.push(view),
        Err(error) => {
            let kept = (&mut failure, &mut of_checks);
            failed_set(chart, &sets, (set, error), kept, &mut notes);
        }
    };
    // One render is enough for a draft, and for a chart without Jobs, hooks and GitOps objects. The others take from it
    // what does not change with the values.
    let mut left = others.into_iter();
    let mut failing = None;
    while loaded.is_empty()
        && let Some(set) = left.next()
    {
        let result = one(set, before.as_ref(), failing.as_ref());
        failing = failing.or(result.as_ref().err().and_then(|error| error.template.clone()));
        take(set, result, &mut loaded);
    }
    let mut left: Vec<_> = left.collect();
    left.retain(|set| depth != Depth::Draft && (set.stated || !is_idle));
    let known = known(&loaded);
    shared.cache.rendered().clone_from(&known);
    let results = in_parallel(&left, |set| one(set, known.as_ref(), failing.as_ref()));
    for (set, result) in left.iter().zip(results) {
        take(set, result, &mut loaded);
    }
    notes.extend(of_checks.filter(|_| !loaded.is_empty()));
    let mut is_searched = false;
    let may_help = |(_, error): &(&ValueSet, Error)| failure::depends_on_values(error);
    let is_left = loaded.is_empty() && depth != Depth::Draft;
    if is_left
        && failure.as_ref().is_some_and(may_help)
        && sets.iter().all(|set| !set.stated && set.deployments.is_empty())
    {
        let found = shared.elsewhere.of(chart, unit);
        loaded.extend(found.iter().find_map(|set| one(set, None, None).ok()));
        is_searched = true;
    }
    if let (true, Some((set, failure))) = (loaded.is_empty(), failure) {
        loaded.push(match umbrella::note(unit, &failure) {
            Some(note) => Loaded { notes: vec![note], ..Loaded::default() },
            None => partial(chart, unit, set, &failure, options(set), (depth, settings)),
        });
    }
    if let Some(first) = loaded.first_mut() {
        first.is_searched = is_searched;
        first.notes.extend(notes);
        first.secrets.extend(&secrets::of_values(chart, &sets, &settings.values));
    }
    loaded
}

/// Executes nothing but a template that fails with other values. With these it mostly fails too, often for want of a
/// dependency, and then the rest need not be rendered.
///
/// # Errors
/// The template fails, or something does before it is executed.
fn alone(chart: &Arc<Chart>, template: &Arc<str>, options: RenderOptions) -> Result<(), Error> {
    let only = Some([template.clone()].into());
    helm::render(chart, &RenderOptions { only, provenance: false, ..options }).map(drop)
}

/// The first render.
fn known(loaded: &[Loaded]) -> Option<Arc<Rendered>> {
    loaded.first()?.rendering.as_ref().map(|rendering| rendering.rendered.clone())
}

/// Records that a chart does not render with a set: as a note if the user asks for it, as one for the first set of its own
/// checks, and as the failure of the chart, which is that of the first set or else of an environment.
fn failed_set<'a>(
    chart: &Chart,
    sets: &[ValueSet],
    (set, error): (&'a ValueSet, Error),
    (failure, of_checks): (&mut Option<(&'a ValueSet, Error)>, &mut Option<String>),
    notes: &mut Vec<String>,
) {
    if set.is_of_checks() && of_checks.is_none() {
        *of_checks = Some(not_rendered_note(chart, set, &error));
    }
    if set.stated && sets.len() > 1 {
        notes.push(not_rendered_note(chart, set, &error));
    }
    let counts =
        |(first, _): &(&ValueSet, Error)| set.is_of_environment() && !first.is_of_environment();
    if failure.as_ref().is_none_or(counts) {
        *failure = Some((set, error));
    }
}

/// Renders the value sets of GitOps objects. A set that does not render becomes a note.
fn deployed(
    chart: &Arc<Chart>,
    sets: &[ValueSet],
    options: &dyn Fn(&ValueSet) -> RenderOptions,
    (depth, before): (Depth, &Option<Arc<Rendered>>),
    notes: &mut Vec<String>,
) -> Vec<Loaded> {
    let mut loaded = Vec::new();
    for set in sets.iter().filter(|set| !set.deployments.is_empty()) {
        if depth.is_reached(&loaded) {
            break;
        }
        let known = known(&loaded).or_else(|| before.clone());
        let options = RenderOptions { known, ..options(set) };
        match render(chart, options, set) {
            Ok(rendering) => loaded.push(depth.objects(rendering)),
            Err(error) => notes.push(not_rendered_note(chart, set, &error)),
        }
    }
    loaded
}

/// The note for a chart that does not render with values that somebody chose.
fn not_rendered_note(chart: &Chart, set: &ValueSet, error: &Error) -> String {
    format!("chart {} does not render for {}: {}", chart.name(), set.name, one_line(&error.message))
}

/// Loads a chart whose value sets all fail: with placeholders, of values that the user stated only for those that
/// `required` asks for, else whichever templates still render.
fn partial(
    chart: &Arc<Chart>,
    unit: &Unit,
    set: &ValueSet,
    failure: &Error,
    mut options: RenderOptions,
    (depth, settings): (Depth, &Settings),
) -> Loaded {
    let mut whole = failed(&unit.root, &chart.chart_yaml.path, failure);
    if let Some(file) = failure::absent_file(failure, chart) {
        for problem in &mut whole.problems {
            problem.failure = Failure::LacksValues;
            problem.reason = format!("needs `{file}`, which is not in the chart");
            problem.headline = None;
        }
    }
    if failure::lacks_template(failure) && !chart.missing_dependencies().is_empty() {
        for problem in &mut whole.problems {
            problem.failure = Failure::LacksValues;
            problem.help = Some("Run `helm dependency build`".to_owned());
        }
    }
    if set.stated {
        // Whoever stated values expects the chart to render with them.
        let lacking = whole.problems.iter_mut().filter(|one| one.failure == Failure::LacksValues);
        lacking.for_each(|problem| problem.failure = Failure::Unrenderable);
    }
    if !set.stated {
        (options.is_lint, options.skips_schema) = (true, true);
        let set = ValueSet { name: format!("{} and placeholders", set.name), ..set.clone() };
        let rendered = render(chart, options.clone(), &set);
        let is_filled = rendered.is_err();
        let rendered = rendered.or_else(|error| match settings.strict {
            true => Err(error),
            false => filled(chart, &options, &set, &error),
        });
        let loaded = rendered.map(|one| depth.objects(one.of(&unit.deployments)));
        // Without a Job among what comes of the placeholders, the failure says more.
        let says_more = |loaded: &Loaded| {
            !missed::is_hollow(chart, loaded) && (!is_filled || loaded.objects.iter().any(is_work))
        };
        if let Some(mut loaded) = loaded.ok().filter(says_more) {
            if failure.reason == Reason::Execution || is_filled {
                loaded.notes.extend(whole.problems.iter().map(filled_note));
            }
            return loaded;
        }
    } else if failure.reason == Reason::Required {
        let options = RenderOptions { is_lint: true, honours_fail: true, ..options.clone() };
        let set = ValueSet { name: format!("{} and placeholders", set.name), ..set.clone() };
        if let Ok(rendering) = render(chart, options, &set) {
            let mut loaded = depth.objects(rendering.of(&unit.deployments));
            loaded.problems.extend(whole.problems);
            return loaded;
        }
    }
    options.is_tolerant = true;
    let Ok(rendering) = render(chart, options, set) else { return whole };
    let mut loaded = depth.objects(rendering.of(&unit.deployments));
    loaded.problems.extend(whole.problems);
    loaded
}

/// The note for a chart that is checked although it fails with its defaults.
fn filled_note(problem: &Problem) -> String {
    let (path, line) = (&problem.source.path, problem.source.position(problem.span.start).line);
    format!("{path}:{line}: {}; checked with a placeholder instead", problem.headline())
}

/// The most placeholders for values that templates fail without.
const MOST_FILLED: usize = 32;

/// Renders a chart that fails, with a placeholder for each value that its templates fail without: first with those beside
/// it, then alone.
///
/// # Errors
/// Something else is wrong with the chart.
fn filled(
    chart: &Arc<Chart>,
    options: &RenderOptions,
    set: &ValueSet,
    error: &Error,
) -> Result<Rendering, Error> {
    let with = |beside| filled_with(chart, options.clone(), set, error.clone(), beside);
    with(true).or_else(|_| with(false))
}

fn filled_with(
    chart: &Arc<Chart>,
    mut options: RenderOptions,
    set: &ValueSet,
    mut error: Error,
    beside: bool,
) -> Result<Rendering, Error> {
    let current = CurrentValues::of(chart, &options).ok();
    let is_known = |path: &Vec<_>| current.as_ref().is_some_and(|values| values.is_set(path));
    for _ in 0..MOST_FILLED {
        let is_set = |path: &Vec<_>| options.overrides.iter().any(|one| one.path == *path);
        let Some(path) = failure::unset_value(&error).filter(|path| !is_set(path)) else { break };
        let mut paths = if beside { failure::unset_beside(&error, &path) } else { Vec::new() };
        paths.retain(|other| *other != path && !is_set(other) && !is_known(other));
        paths.push(path);
        let text = || Tree::Str(guards::PLACEHOLDER.into());
        let value = || match failure::wants_list(&error) {
            true => Tree::List(vec![Setting::new(text(), None)]),
            false => text(),
        };
        let placeholders = paths.into_iter().map(|path| Override { path, value: value() });
        options.overrides.extend(placeholders);
        match render(chart, options.clone(), set) {
            Ok(rendering) => return Ok(rendering),
            Err(next) => error = next,
        }
    }
    Err(error)
}

pub(super) fn render(
    chart: &Arc<Chart>,
    mut options: RenderOptions,
    set: &ValueSet,
) -> Result<Rendering, Error> {
    let rendered = Arc::new(helm::render(chart, &options)?);
    // Nobody asks how it was made.
    options.known = None;
    let (values, deployments) = (set.name.as_str().into(), set.deployments.clone());
    Ok(Rendering {
        chart: chart.clone(),
        options,
        rendered,
        values,
        is_explored: false,
        is_of_entries: false,
        is_compared: set.compared,
        deployments,
    })
}
