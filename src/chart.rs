//! Loads a Helm chart as a unit: renders it under each of its value sets and traces every object back to the
//! templates and values that a person wrote.

mod example_entries;
mod failure;
mod filled;
mod found_values;
mod guards;
mod ineffective;
mod layers;
mod lenient;
pub(crate) mod limits;
mod link;
mod missed;
mod of_helm_2;
mod options;
mod origin;
pub(crate) mod own_name;
mod parsed;
mod placeholder_values;
mod rendering;
mod required_inputs;
mod same_line;
pub(crate) mod secrets;
mod sub_charts;
mod threads;
mod umbrella;
mod unrendered;
mod value_sets;
mod vendored;

use std::{
    collections::BTreeMap,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use failure::failed;
pub(crate) use failure::for_helm_3;
pub(crate) use filled::is_entry;
use helm_render::{
    self as helm, Budget, Chart, ChartCache, Error, HelmVersion, Parsing, Pool, RenderOptions,
    Rendered,
};
use job_lifecycle::Object;
use options::{apply_input, options};
use parsed::{Parsed, objects};
use rendering::{Depth, render, render_all};
use yaml_spans::Source;

use crate::{
    discover,
    settings::Settings,
    unit::{Boundary, File, HelmInput, Loaded, Rendering, Unit, is_filled_in},
};

pub(crate) use found_values::ValuesFiles;
pub use layers::merged_values;
pub(crate) use lenient::{Loaders, Texts, load_by};
pub(crate) use options::target;
pub use threads::with_stack;
pub(crate) use threads::{MAX_STACK, on_large_stacks};
pub(crate) use value_sets::{DEFAULTS, ValueSet, is_environment, is_test_set};
pub(crate) use vendored::{is_copy, is_vendored};

/// Renders the chart of a unit under each of its value sets. Returns the sets that render, in order; problems
/// that concern the whole chart are attached to the first.
///
/// Templates may go deep: call it [`with_stack`].
pub fn load(unit: &Unit, settings: &Settings) -> Vec<Loaded> {
    let (pool, cache, elsewhere) = (&limits::pool(1), LastVersion::default(), &Default::default());
    let shared = Shared { pool, cache, elsewhere };
    let (chart, mut loaded) = load_views(unit, settings, &shared, Depth::Whole);
    if let Some(chart) = chart {
        missed::decide(&chart, &mut loaded);
    }
    loaded
}

/// What the charts of a run share, and the versions of a chart.
pub(crate) struct Shared<'a> {
    pub(crate) pool: &'a Pool,
    pub(crate) cache: LastVersion,
    pub(crate) elsewhere: &'a ValuesFiles,
}

/// What a version of a chart leaves for the next, which then need not be parsed and executed again. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct LastVersion {
    parsed: ChartCache,
    /// The first render of the last version.
    rendered: Arc<Mutex<Option<Arc<Rendered>>>>,
}

impl LastVersion {
    fn rendered(&self) -> MutexGuard<'_, Option<Arc<Rendered>>> {
        self.rendered.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The chart of a unit and its views. What its failures hide is not decided yet.
fn load_views(
    unit: &Unit,
    settings: &Settings,
    shared: &Shared<'_>,
    depth: Depth,
) -> (Option<Arc<Chart>>, Vec<Loaded>) {
    let texts = texts(unit);
    let shown = discover::shown(&unit.root);
    let here = if shown.is_empty() { Path::new(".") } else { &unit.root };
    let loaders = Loaders::of(unit, settings);
    let (chart, notes) = match lenient::load((here, &shown), &texts, loaders, &unit.boundary) {
        Ok((chart, _)) if is_filled_in(chart.name()) => return (None, vec![Loaded::foreign()]),
        Ok(loaded) => loaded,
        Err(_) if is_foreign(unit) => return (None, vec![Loaded::foreign()]),
        Err(error) => {
            let secrets = secrets::of_flags(&settings.values);
            let of_link = link::problem(unit, &shown, &error).map(Loaded::of_problem);
            let failed = of_link.unwrap_or_else(|| failed(&unit.root, &shown, &error));
            let mut failed = Loaded { secrets, ..failed };
            let misses_work = missed::may_be_in_folder(unit);
            // Nothing is known to be wrong with what is kept elsewhere.
            let broken = failed.problems.iter_mut().filter(|problem| !problem.is_gap());
            broken.for_each(|problem| problem.misses_work |= misses_work);
            return (None, vec![failed]);
        }
    };
    if let Some(problem) = of_helm_2::problem(&chart, unit, settings) {
        return (None, vec![Loaded::of_problem(problem)]);
    }
    chart.reuse(&shared.cache.parsed);
    let budget = limits::of_run(&chart, shared.pool);
    let mut loaded = match chart.is_library() {
        true => vec![Loaded::default()],
        false => render_all(&chart, unit, &texts, settings, &budget, (depth, shared)),
    };
    limits::report(unit, &mut loaded, &budget);
    if let Some(first) = loaded.first_mut() {
        first.counts.files = files(&chart);
        first.notes.extend(notes);
    }
    (Some(chart), loaded)
}

/// Like [`load`], and adds views for Jobs that only explored values enable. A Job that no values enable is a
/// problem.
pub(crate) fn load_explored(unit: &Unit, settings: &Settings, shared: &Shared<'_>) -> Vec<Loaded> {
    let (chart, mut loaded) = load_views(unit, settings, shared, Depth::Checked);
    if let Some(budget) = limits::budget(&loaded) {
        guards::explore(&mut loaded);
        filled::add(&mut loaded);
        limits::report(unit, &mut loaded, &budget);
    }
    if let Some(chart) = chart {
        missed::decide(&chart, &mut loaded);
    }
    loaded
}

/// The first view of the chart of a unit, without predictions: what an editor shows before [`load_explored`] is done.
pub(crate) fn load_draft(unit: &Unit, settings: &Settings, shared: &Shared<'_>) -> Vec<Loaded> {
    let (chart, mut loaded) = load_views(unit, settings, shared, Depth::Draft);
    if let Some(chart) = chart {
        missed::decide(&chart, &mut loaded);
    }
    loaded
}

/// Renders a chart once, under a single value set. `adjust` changes the options: the release, the time.
///
/// Templates may go deep: call it [`with_stack`].
///
/// # Errors
/// The chart does not render; the message is Helm's.
pub(crate) fn load_release(
    chart: &Arc<Chart>,
    set: &ValueSet,
    adjust: impl FnOnce(&mut RenderOptions),
    settings: &Settings,
) -> Result<Loaded, Error> {
    let mut options = options(chart, set, settings, &Budget::default());
    adjust(&mut options);
    let mut loaded = objects(render(chart, options, set)?);
    loaded.secrets.extend(&secrets::of_values(chart, std::slice::from_ref(set), &settings.values));
    loaded.counts.files = files(chart);
    Ok(loaded)
}

/// Loads the chart of a unit with other texts of some files, by path.
///
/// # Errors
/// The chart cannot be loaded.
pub(crate) fn load_edited(
    unit: &Unit,
    edited: BTreeMap<String, String>,
) -> Result<Arc<Chart>, Error> {
    let shown = discover::shown(&unit.root);
    let here = if shown.is_empty() { Path::new(".") } else { &unit.root };
    let mut texts: BTreeMap<_, _> = texts(unit).into_iter().collect();
    for (path, text) in edited {
        let inside = discover::relative(Path::new(&path), Path::new(&*shown));
        texts.insert(discover::shown(&inside), text.into_bytes());
    }
    let texts: Vec<_> = texts.into_iter().collect();
    let loaded = lenient::load((here, &shown), &texts, Loaders::Any, &unit.boundary);
    loaded.map(|(chart, _)| chart)
}

/// The objects of another version of a chart, rendered with the values and options of an existing view; `None` if that
/// was not rendered. Objects that are the same are taken to change in the same way with the next releases; all are, if
/// what the edit changes depends on nothing (`is_literal`).
pub(crate) fn with_rendered(
    before: &Loaded,
    chart: &Arc<Chart>,
    rendered: Arc<Rendered>,
    is_literal: bool,
) -> Option<Loaded> {
    let rendering = before.rendering.as_ref()?;
    let mut parsed = Parsed::new(Rendering {
        chart: chart.clone(),
        rendered,
        options: rendering.options.clone(),
        values: rendering.values.clone(),
        is_explored: rendering.is_explored,
        is_of_entries: rendering.is_of_entries,
        is_compared: rendering.is_compared,
        deployments: rendering.deployments.clone(),
    });
    let is_alike = before.objects.len() == parsed.loaded.objects.len();
    parsed.loaded.only = before.only.clone().filter(|_| is_alike);
    match is_literal && is_alike {
        true => parsed.loaded.take_all_changes_of(before),
        false => {
            parsed.loaded.take_changes_of(before);
            parsed.predict();
        }
    }
    Some(parsed.loaded)
}

/// In-memory texts that replace files of the chart and of what it links to, as (path from the chart, bytes).
fn texts(unit: &Unit) -> Vec<(String, Vec<u8>)> {
    let text = |file: &File| {
        let inside = discover::relative(&file.path, &unit.root);
        Some((discover::shown(&inside), file.text.clone()?))
    };
    unit.files.iter().filter_map(text).collect()
}

/// Renders a chart with the values of a GitOps object, or with its defaults, and returns its objects. Used to
/// find the GitOps objects (app of apps) and admission policies that charts render.
///
/// # Errors
/// The chart cannot be loaded or rendered.
pub(crate) fn objects_of(
    root: &Path,
    shown: &str,
    input: Option<&HelmInput>,
    boundary: &Boundary,
    pool: &Pool,
) -> Result<Vec<Object>, Error> {
    let (chart, _) = lenient::load((root, shown), &[], Loaders::Any, boundary)?;
    let table = input.map_or_else(
        || Ok(Default::default()),
        |input| layers::merged_values(input, HelmVersion::V4),
    )?;
    let settings = Settings::default();
    let set = ValueSet::new(String::new(), table, true);
    let mut options = options(&chart, &set, &settings, &limits::of_run(&chart, pool));
    if let Some(input) = input {
        apply_input(&mut options, input);
    }
    Ok(Parsed::whole(render(&chart, options, &set)?).loaded.objects)
}

/// The manifests of a render in the order of Helm, each traced to the templates and values that people wrote.
pub(crate) fn documents(rendering: &Arc<Rendering>) -> Vec<Arc<Source>> {
    let parsed = rendering.rendered.is_unparsed.then(|| parsed_again(rendering)).flatten();
    let rendering = parsed.as_ref().unwrap_or(rendering);
    let rendered = &rendering.rendered;
    let source = |document: &helm::Document| {
        let (file, start) = (document.file, document.range.start);
        let manifest = Arc::new(origin::Manifest { rendering: rendering.clone(), file, start });
        let path = manifest.source().path.clone();
        Arc::new(Source::rendered(path, rendered.text(document), manifest))
    };
    rendered.documents.iter().map(source).collect()
}

/// The same render with parsed manifests, if it has none; `None` if it does not render so.
fn parsed_again(rendering: &Rendering) -> Option<Arc<Rendering>> {
    let options = RenderOptions { parsing: Parsing::All, ..rendering.options.clone() };
    let rendered = Arc::new(helm::render(&rendering.chart, &options).ok()?);
    Some(Arc::new(Rendering { rendered, options, ..rendering.clone() }))
}

/// Returns whether `Chart.yaml` is itself a template, of Cookiecutter or a similar tool.
fn is_foreign(unit: &Unit) -> bool {
    unit.boundary.read(&unit.root.join("Chart.yaml")).is_ok_and(|text| {
        ["{{", "{%", "<%"].iter().any(|mark| memchr::memmem::find(&text, mark.as_bytes()).is_some())
    })
}

/// The files of a chart as printed: what is read of it, or its root if it cannot be loaded. An archive is one file.
pub(crate) fn files_of(unit: &Unit) -> Vec<String> {
    let shown = discover::shown(&unit.root);
    let here = if shown.is_empty() { Path::new(".") } else { &unit.root };
    let loaded = lenient::load((here, &shown), &texts(unit), Loaders::Any, &unit.boundary);
    match loaded {
        Ok((chart, _)) if here.is_dir() => {
            let mut files = Vec::new();
            add_files(&chart, &mut files);
            files
        }
        _ => vec![shown],
    }
}

fn add_files(chart: &Chart, files: &mut Vec<String>) {
    let folder = chart.chart_yaml.path.trim_end_matches("Chart.yaml");
    let values = format!("{folder}values.yaml");
    files.push(chart.chart_yaml.path.clone());
    files.extend(Path::new(&values).is_file().then_some(values));
    let own = chart.templates.iter().chain(&chart.files).chain(&chart.schema);
    files.extend(own.map(|file| file.path.clone()));
    chart.dependencies.iter().for_each(|one| add_files(one, files));
}

/// The number of files read: `Chart.yaml`, `values.yaml` and templates, including dependencies.
fn files(chart: &Chart) -> usize {
    2 + chart.templates.len() + chart.dependencies.iter().map(|sub| files(sub)).sum::<usize>()
}
