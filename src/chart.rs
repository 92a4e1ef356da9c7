//! Loads a Helm chart as a unit: renders it under each of its value sets and traces every object back to the
//! templates and values that a person wrote.

mod guards;
mod layers;
pub(crate) mod limits;
mod missed;
mod origin;
mod parsed;
mod placeholder_values;
pub(crate) mod secrets;
mod unrendered;
mod value_sets;

use std::{collections::BTreeMap, path::Path, sync::Arc};

use helm_render::{
    self as helm, Budget, Chart, Error, HelmVersion, KubeVersion, Pool, Reason, Release,
    RenderOptions, Rendered,
};
use job_lifecycle::{
    Object,
    kubernetes::{Version, api_versions},
};
use parsed::{Parsed, objects};
use yaml_spans::{Location, Source, Span};

use crate::{
    discover,
    settings::Settings,
    unit::{Boundary, Failure, File, HelmInput, Loaded, Problem, Rendering, Unit},
    words::one_line,
};

pub use layers::merged_values;
pub(crate) use value_sets::{ValueSet, is_test_set};

/// Native stack of a rendering thread, in bytes. Helm allows a thousand nested template includes.
#[cfg(not(target_family = "wasm"))]
const STACK: usize = 64 << 20;
/// The part of [`STACK`] that templates may use, in bytes. A browser gives about 1 MB to its own stack, which grows
/// with that of the module.
pub(crate) const MAX_STACK: usize = if cfg!(target_family = "wasm") { 512 << 10 } else { 48 << 20 };
/// The longest release name that Helm accepts, in characters.
const LONGEST_NAME: usize = 53;

/// Runs a task on a thread whose stack is large enough to render a chart.
///
/// # Errors
/// The operating system cannot start a thread.
#[cfg(not(target_family = "wasm"))]
pub fn with_stack<T: Send>(task: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, task)?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

/// Runs a task. WebAssembly has one thread, whose stack the module itself sets.
///
/// # Errors
/// None.
#[cfg(target_family = "wasm")]
pub fn with_stack<T: Send>(task: impl FnOnce() -> T + Send) -> std::io::Result<T> {
    Ok(task())
}

/// Renders the chart of a unit under each of its value sets. Returns the sets that render, in order; problems
/// that concern the whole chart are attached to the first.
///
/// Templates may go deep: call it [`with_stack`].
pub fn load(unit: &Unit, settings: &Settings) -> Vec<Loaded> {
    let (chart, mut loaded) = load_views(unit, settings, &limits::pool(1), Depth::Whole);
    if let Some(chart) = chart {
        missed::decide(&chart, &mut loaded);
    }
    loaded
}

/// The chart of a unit and its views. What its failures hide is not decided yet.
fn load_views(
    unit: &Unit,
    settings: &Settings,
    pool: &Pool,
    depth: Depth,
) -> (Option<Arc<Chart>>, Vec<Loaded>) {
    let version = HelmVersion::V4;
    let texts = texts(unit);
    let shown = discover::shown(&unit.root);
    let here = if shown.is_empty() { Path::new(".") } else { &unit.root };
    let chart = match Chart::load_linked(here, &shown, &texts, version, &unit.boundary) {
        Ok(chart) if is_blank(chart.name()) => return (None, vec![Loaded::foreign()]),
        Ok(chart) => chart,
        Err(_) if is_foreign(unit) => return (None, vec![Loaded::foreign()]),
        Err(error) => {
            let secrets = secrets::of_flags(&settings.values);
            let mut failed = Loaded { secrets, ..failed(&unit.root, &shown, &error) };
            let misses_work = missed::may_be_in_folder(unit);
            failed.problems.iter_mut().for_each(|problem| problem.misses_work |= misses_work);
            return (None, vec![failed]);
        }
    };
    let budget = limits::of_run(&chart, pool);
    let mut loaded = match chart.is_library() {
        true => vec![Loaded::default()],
        false => render_all(&chart, unit, &texts, settings, &budget, depth),
    };
    limits::report(unit, &mut loaded, &budget);
    if let Some(first) = loaded.first_mut() {
        first.counts.files = files(&chart);
    }
    (Some(chart), loaded)
}

/// Like [`load`], and adds views for Jobs that only explored values enable. A Job that no values enable is a
/// problem. The charts of a run share a pool.
pub(crate) fn load_explored(unit: &Unit, settings: &Settings, pool: &Pool) -> Vec<Loaded> {
    let (chart, mut loaded) = load_views(unit, settings, pool, Depth::Whole);
    if let Some(budget) = limits::budget(&loaded) {
        guards::explore(&mut loaded);
        limits::report(unit, &mut loaded, &budget);
    }
    if let Some(chart) = chart {
        missed::decide(&chart, &mut loaded);
    }
    loaded
}

/// The first view of the chart of a unit, without predictions: what an editor shows before [`load_explored`] is done.
pub(crate) fn load_draft(unit: &Unit, settings: &Settings, pool: &Pool) -> Vec<Loaded> {
    let (chart, mut loaded) = load_views(unit, settings, pool, Depth::Draft);
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
    Chart::load_linked(here, &shown, &texts, HelmVersion::V4, &unit.boundary)
}

/// The objects of another version of a chart, rendered with the values and options of an existing rendering.
pub(crate) fn with_rendered(
    rendering: &Rendering,
    chart: &Arc<Chart>,
    rendered: Arc<Rendered>,
) -> Loaded {
    objects(Rendering {
        chart: chart.clone(),
        rendered,
        options: rendering.options.clone(),
        values: rendering.values.clone(),
        is_explored: rendering.is_explored,
        deployments: rendering.deployments.clone(),
    })
}

/// In-memory texts that replace files of the chart and of what it links to, as (path from the chart, bytes).
fn texts(unit: &Unit) -> Vec<(String, Vec<u8>)> {
    let text = |file: &File| {
        let inside = discover::relative(&file.path, &unit.root);
        Some((discover::shown(&inside), file.text.clone()?))
    };
    unit.files.iter().filter_map(text).collect()
}

/// How much of a chart is rendered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    /// The first value set that renders, without predictions.
    Draft,
    /// Every value set.
    Whole,
}

impl Depth {
    fn objects(self, rendering: Rendering) -> Loaded {
        match self {
            Depth::Draft => Parsed::new(rendering).loaded,
            Depth::Whole => objects(rendering),
        }
    }

    /// Whether these views are all that is wanted.
    fn is_reached(self, loaded: &[Loaded]) -> bool {
        self == Depth::Draft && !loaded.is_empty()
    }
}

/// Renders every value set. If none renders, the first set is tried again: with placeholders for required
/// values, then without the templates that fail.
fn render_all(
    chart: &Arc<Chart>,
    unit: &Unit,
    texts: &[(String, Vec<u8>)],
    settings: &Settings,
    budget: &Budget,
    depth: Depth,
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
    let options = |set: &ValueSet| options(chart, set, settings, budget);
    let mut loaded = deployed(chart, &sets, &options, depth, &mut notes);
    // A chart that GitOps objects deploy with their own values is not deployed with its defaults, and nobody
    // deploys its `ci/` values.
    let is_deployed = !loaded.is_empty();
    let by = if is_deployed { &[][..] } else { &unit.deployments };
    let mut failure = None;
    let others = sets.iter().filter(|set| set.deployments.is_empty());
    // One render is enough for a chart without Jobs, hooks and GitOps objects.
    let is_idle = sets.len() > 1 && !value_sets::mention_work(chart, &sets);
    for set in others.filter(|set| !(is_deployed && set.is_default())) {
        if depth.is_reached(&loaded) {
            break;
        }
        if is_idle && !set.stated && !loaded.is_empty() {
            continue;
        }
        match render(chart, options(set), set) {
            Ok(rendering) => loaded.push(depth.objects(rendering.of(by))),
            Err(error) => {
                if set.stated && sets.len() > 1 {
                    notes.push(not_rendered_note(chart, set, &error));
                }
                failure.get_or_insert(error);
            }
        }
    }
    if let (true, Some(set), Some(failure)) = (loaded.is_empty(), sets.first(), failure) {
        loaded.push(partial(chart, unit, set, &failure, options(set), depth));
    }
    if let Some(first) = loaded.first_mut() {
        first.notes.extend(notes);
        first.secrets.extend(&secrets::of_values(chart, &sets, &settings.values));
    }
    loaded
}

/// Renders the value sets of GitOps objects. A set that does not render becomes a note.
fn deployed(
    chart: &Arc<Chart>,
    sets: &[ValueSet],
    options: &dyn Fn(&ValueSet) -> RenderOptions,
    depth: Depth,
    notes: &mut Vec<String>,
) -> Vec<Loaded> {
    let mut loaded = Vec::new();
    for set in sets.iter().filter(|set| !set.deployments.is_empty()) {
        if depth.is_reached(&loaded) {
            break;
        }
        match render(chart, options(set), set) {
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
    depth: Depth,
) -> Loaded {
    let mut whole = failed(&unit.root, &chart.chart_yaml.path, failure);
    if set.stated {
        // Whoever stated values expects the chart to render with them.
        let lacking = whole.problems.iter_mut().filter(|one| one.failure == Failure::LacksValues);
        lacking.for_each(|problem| problem.failure = Failure::Unrenderable);
    }
    if !set.stated {
        (options.is_lint, options.skips_schema) = (true, true);
        let set = ValueSet { name: format!("{} and placeholders", set.name), ..set.clone() };
        if let Ok(rendering) = render(chart, options.clone(), &set) {
            return depth.objects(rendering.of(&unit.deployments));
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

fn render(chart: &Arc<Chart>, options: RenderOptions, set: &ValueSet) -> Result<Rendering, Error> {
    let rendered = Arc::new(helm::render(chart, &options)?);
    let (values, deployments) = (set.name.as_str().into(), set.deployments.clone());
    Ok(Rendering {
        chart: chart.clone(),
        options,
        rendered,
        values,
        is_explored: false,
        deployments,
    })
}

/// Renders a chart with the values of a GitOps object, or with its defaults, and returns its objects. Used to
/// find GitOps objects that charts render (app of apps).
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
    let chart = Chart::load_linked(root, shown, &[], HelmVersion::V4, boundary)?;
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
    Ok(Parsed::new(render(&chart, options, &set)?).loaded.objects)
}

/// The manifests of a render in the order of Helm, each traced to the templates and values that people wrote.
pub(crate) fn documents(rendering: &Arc<Rendering>) -> Vec<Arc<Source>> {
    let rendered = &rendering.rendered;
    let source = |document: &helm::Document| {
        let (file, start) = (document.file, document.range.start);
        let manifest = Arc::new(origin::Manifest { rendering: rendering.clone(), file, start });
        let path = manifest.source().path.clone();
        Arc::new(Source::rendered(path, rendered.text(document), manifest))
    };
    rendered.documents.iter().map(source).collect()
}

/// Joins a Helm message into one line.
/// Applies the release settings of a GitOps object.
fn apply_input(options: &mut RenderOptions, input: &HelmInput) {
    if let Some(release) = &input.release {
        options.release.name.clone_from(release);
    }
    if let Some(namespace) = &input.namespace {
        options.release.namespace.clone_from(namespace);
    }
    let version = input.kube_version.as_deref();
    if let Some(Ok(version)) = version.map(|version| KubeVersion::parse(version, HelmVersion::V4)) {
        options.kube_version = Some(version);
    }
    options.api_versions.clone_from(&input.api_versions);
    options.skips_schema |= input.skip_schema;
}

fn options(chart: &Chart, set: &ValueSet, settings: &Settings, budget: &Budget) -> RenderOptions {
    let name: String = chart.name().chars().take(LONGEST_NAME).collect();
    let mut options = RenderOptions {
        release: Release { name: name.trim_end_matches('-').to_owned(), ..Release::default() },
        values: set.table.clone(),
        kube_version: kube_version(chart, settings),
        allows_missing: true,
        max_stack: MAX_STACK,
        budget: budget.clone(),
        ..RenderOptions::default()
    };
    if let Some(input) = set.input() {
        apply_input(&mut options, input);
    }
    options.api_versions.extend(kinds(options.kube_version.as_ref()));
    options
}

/// The API versions and kinds that a chart can test with `.Capabilities.APIVersions.Has "batch/v1/CronJob"`.
/// Helm lists kinds only when it is connected to a cluster (`pkg/action/action.go`, `GetVersionSet`).
fn kinds(version: Option<&KubeVersion>) -> impl Iterator<Item = String> {
    let number = |text: &str| text.parse().ok();
    let version = version.and_then(|v| Some(Version::new(number(&v.major)?, number(&v.minor)?)));
    api_versions::served_by(version.unwrap_or(Version::NEWEST))
}

/// The Kubernetes version of the settings, else the newest known version that the chart accepts.
fn kube_version(chart: &Chart, settings: &Settings) -> Option<KubeVersion> {
    let parse =
        |version: Version| KubeVersion::parse(&format!("{version}.0"), HelmVersion::V4).ok();
    if let Some(version) = settings.kubernetes {
        return parse(version);
    }
    let Version { major, minor } = Version::NEWEST;
    let all = (0..=minor).rev().filter_map(|minor| parse(Version::new(major, minor)));
    let mut accepted = all.filter(|version| chart.accepts(version));
    accepted.next().or_else(|| parse(Version::NEWEST))
}

/// A result that holds only a failure of the whole chart.
fn failed(path: &Path, shown: &str, error: &Error) -> Loaded {
    let here = || {
        let is_folder = path.is_dir() && !shown.ends_with("Chart.yaml");
        let file = if is_folder { format!("{shown}/Chart.yaml") } else { shown.to_owned() };
        let source = Arc::new(Source::read_only(file.trim_start_matches('/'), String::new()));
        Location { source, span: Span::default() }
    };
    let Location { source, span } = error.at.clone().unwrap_or_else(here);
    let failure = match error.reason {
        Reason::Chart => Failure::Unreadable,
        Reason::Limit(_) => Failure::TooLarge,
        _ if lacks_values(error) => Failure::LacksValues,
        _ => Failure::Unrenderable,
    };
    let reason = match error.reason {
        Reason::Limit(limit) => limits::not_rendered(limit),
        _ if error.is_too_deep() => limits::TOO_DEEP.to_owned(),
        _ => unrendered::core(error),
    };
    let span = first_line(&source, span);
    // What a limit cut off is unknown.
    let misses_work = matches!(error.reason, Reason::Limit(_)) || error.is_too_deep();
    let name = path.file_name().map(|name| format!("chart `{}`", name.to_string_lossy()));
    let name = name.unwrap_or_else(|| "this chart".to_owned());
    let fails = matches!(failure, Failure::Unrenderable | Failure::LacksValues);
    let headline = fails.then(|| format!("cannot render {name}: {reason}"));
    let help = matches!(error.reason, Reason::Limit(_))
        .then(|| "Check the chart alone, or with the values that you deploy".to_owned());
    let problem = Problem {
        misses_work,
        headline,
        help,
        ..Problem::new(failure, Location { source, span }, reason)
    };
    Loaded { problems: vec![problem], ..Loaded::default() }
}

/// Returns whether a chart fails because nobody set a value that it needs. Whoever deploys it sets that.
fn lacks_values(error: &Error) -> bool {
    const OF_NIL: [&str; 3] =
        ["nil pointer evaluating", "index of untyped nil", "can't iterate over nil"];
    match error.reason {
        Reason::Required | Reason::Fail => true,
        Reason::Execution => OF_NIL.iter().any(|text| error.message.contains(text)),
        _ => false,
    }
}

/// Cuts a span at the end of its first line.
fn first_line(source: &Source, span: Span) -> Span {
    let line = source.line_span(source.line_of(span.start));
    Span { start: span.start, end: span.end.min(line.end).max(span.start) }
}

/// Returns whether `Chart.yaml` is itself a template, of Cookiecutter or a similar tool.
fn is_foreign(unit: &Unit) -> bool {
    unit.boundary.read(&unit.root.join("Chart.yaml")).is_ok_and(|text| {
        ["{{", "{%", "<%"].iter().any(|mark| memchr::memmem::find(&text, mark.as_bytes()).is_some())
    })
}

/// Returns whether a name stands for that of a chart which a tool makes of this one: `__name__`, `<name>`.
fn is_blank(name: &str) -> bool {
    [("__", "__"), ("<", ">"), ("[", "]"), ("@@", "@@"), ("%", "%"), ("${", "}")]
        .iter()
        .any(|(open, close)| name.len() > 4 && name.starts_with(open) && name.ends_with(close))
}

/// The files of a chart as printed: what is read of it, or its root if it cannot be loaded. An archive is one file.
pub(crate) fn files_of(unit: &Unit) -> Vec<String> {
    let shown = discover::shown(&unit.root);
    let here = if shown.is_empty() { Path::new(".") } else { &unit.root };
    let chart = Chart::load_within(here, &shown, &texts(unit), HelmVersion::V4, &unit.boundary);
    match chart {
        Ok(chart) if here.is_dir() => {
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
