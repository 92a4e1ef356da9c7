//! Provenance of whole charts, tested by perturbation.
//!
//! One input at a time gets other values, and the chart is rendered again. Every range that changes
//! must name that input, and every range that names an input as data must change for some value of
//! it. A render that takes templates from the first one prints what any other render prints.
//!
//! By default the test uses the charts of this repository. `JOBLINT_CHARTS=FOLDER` uses the charts
//! below a directory instead and prints figures (with `--nocapture`). `JOBLINT_CHARTS_LIMIT` limits
//! the number of charts, spread evenly, and `JOBLINT_CHARTS_INPUTS` the number of inputs of each.
//! `JOBLINT_CHARTS_ALL` prints all problems instead of the first per input.

mod bumps;
mod compare;
mod inputs;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use bumps::{Bump, bumps};
use compare::{Change, changes, changes_by_place};
use go_template::provenance::{Input, Span};
use helm_render::{Chart, HelmVersion, RenderOptions, Rendered, render};
use inputs::all;

/// Results of one chart, or of all of them.
#[derive(Default)]
struct Figures {
    charts: usize,
    renders: usize,
    /// Ranges that a perturbation changed, and those of them that do not name the input.
    changes: usize,
    silent: Vec<String>,
    /// Pairs of a range and an input that it names as data, without approximate ones, and those of
    /// them that no value of the input changed.
    pairs: usize,
    still: Vec<String>,
    approximate: usize,
    /// Templates that print something else in a render that knows the first one.
    unlike: Vec<String>,
}

impl Figures {
    fn add(&mut self, other: Self) {
        self.charts += other.charts;
        self.renders += other.renders;
        self.changes += other.changes;
        self.silent.extend(other.silent);
        self.pairs += other.pairs;
        self.still.extend(other.still);
        self.approximate += other.approximate;
        self.unlike.extend(other.unlike);
    }

    fn announced(&self) -> f64 {
        100.0 * (1.0 - self.silent.len() as f64 / self.changes.max(1) as f64)
    }

    fn exact(&self) -> f64 {
        100.0 * (1.0 - self.still.len() as f64 / self.pairs.max(1) as f64)
    }
}

/// A render with its spans.
pub struct Traced {
    pub rendered: Rendered,
    /// The text and spans of each template, including empty ones.
    pub files: BTreeMap<Arc<str>, (String, Vec<Span>)>,
}

impl Traced {
    fn new(chart: &Arc<Chart>, options: &RenderOptions) -> Option<Self> {
        let rendered = render(chart, options).ok()?;
        let files = rendered.files.iter().map(|file| {
            let name = rendered.templates[file.template.0 as usize].name.clone();
            let spans = file.spans.trace(&rendered.provenance, 0..file.text.len());
            (name, (file.text.clone(), spans))
        });
        Some(Self { files: files.collect(), rendered })
    }
}

fn options(version: HelmVersion) -> RenderOptions {
    RenderOptions {
        version,
        skips_schema: true,
        allows_missing: true,
        max_stack: 16 << 20,
        ..RenderOptions::default()
    }
}

/// Perturbs at most `limit` inputs of a chart.
fn perturb(path: &Path, limit: usize) -> Option<Figures> {
    let options = options(HelmVersion::V4);
    let chart = Chart::load(path, options.version).ok()?;
    let mut base = Traced::new(&chart, &options)?;
    let known = Some(Arc::new(render(&chart, &options).ok()?));
    let mut figures = Figures { charts: 1, ..Figures::default() };
    let inputs = all(&chart, &mut base);
    let step = inputs.len().div_ceil(limit).max(1);
    for input in inputs.into_iter().step_by(step) {
        let options = RenderOptions { known: known.clone(), ..options.clone() };
        perturb_input(&chart, path, &options, &mut base, input, &mut figures);
    }
    Some(figures)
}

fn perturb_input(
    chart: &Arc<Chart>,
    path: &Path,
    options: &RenderOptions,
    base: &mut Traced,
    input: Input,
    figures: &mut Figures,
) {
    let name = base.rendered.provenance.inputs.path(input);
    let mut moved = BTreeSet::new();
    let mut is_rendered = false;
    for Bump { options, what } in bumps(&base.rendered.provenance.inputs, input, chart, options) {
        let anew = Traced::new(chart, &RenderOptions { known: None, ..options.clone() });
        let of_known = Traced::new(chart, &options);
        let unlike = differing(anew.as_ref(), of_known.as_ref());
        let problem = |file| format!("{} {name} := {what}\n  {file}", path.display());
        figures.unlike.extend(unlike.map(problem));
        let Some(mut after) = anew else { continue };
        is_rendered = true;
        figures.renders += 1;
        let found = changes(base, &after);
        figures.changes += found.len();
        let silent = silences(&found, base, &mut after, input);
        let problem = |problem| format!("{} {name} := {what}\n{problem}", path.display());
        figures.silent.extend(silent.into_iter().map(problem));
        moved.extend(found.iter().flat_map(|change| change.spans(base)));
    }
    if is_rendered {
        count_pairs(path, base, input, &moved, figures);
    }
}

/// The files that only one of two renders has, or that differ.
fn differing<'t>(
    a: Option<&'t Traced>,
    b: Option<&'t Traced>,
) -> impl Iterator<Item = &'t Arc<str>> {
    let text = |traced: Option<&'t Traced>, name| Some(&traced?.files.get(name)?.0);
    let names: BTreeSet<_> =
        [a, b].into_iter().flatten().flat_map(|one| one.files.keys()).collect();
    names.into_iter().filter(move |name| text(a, *name) != text(b, *name))
}

/// The changes that do not name the input. A byte diff can pair the wrong ranges, so a change
/// counts only if a comparison by template position also finds it.
fn silences(found: &[Change], base: &mut Traced, after: &mut Traced, input: Input) -> Vec<String> {
    let mut silent = Vec::new();
    for change in found {
        silent.extend(change.silence(base, after, input).map(|why| (change.file.clone(), why)));
    }
    if silent.is_empty() {
        return Vec::new();
    }
    let mut by_place = BTreeSet::new();
    for change in changes_by_place(base, after) {
        if change.silence(base, after, input).is_some() {
            by_place.insert(change.file);
        }
    }
    silent.retain(|(file, _)| by_place.contains(file));
    silent.into_iter().map(|(_, why)| why).collect()
}

/// Counts the ranges that name the input as data, and those of them that never changed.
fn count_pairs(
    path: &Path,
    base: &Traced,
    input: Input,
    moved: &BTreeSet<(Arc<str>, usize)>,
    figures: &mut Figures,
) {
    let inputs = &base.rendered.provenance.inputs;
    for (name, (text, spans)) in &base.files {
        for (number, span) in spans.iter().enumerate() {
            if span.range.is_empty() || !inputs.members(span.data).contains(&input) {
                continue;
            }
            if inputs.is_approximate(span.data) {
                figures.approximate += 1;
                continue;
            }
            figures.pairs += 1;
            if !moved.contains(&(name.clone(), number)) {
                let path = path.display();
                let input = inputs.path(input);
                let bytes = &text[span.range.clone()];
                figures.still.push(format!("{path} {input} := anything\n  {name} {bytes:?}"));
            }
        }
    }
}

/// The first problem of each chart and input, at most `limit`.
fn first_of_each(problems: &[String], limit: usize) -> String {
    let key = |problem: &&String| problem.split(" := ").next().map(str::to_owned);
    let mut seen = BTreeSet::new();
    let firsts = problems.iter().filter(|problem| seen.insert(key(problem)));
    firsts.take(limit).cloned().collect::<Vec<_>>().join("\n")
}

fn charts_below(folder: &Path, charts: &mut Vec<PathBuf>) {
    if folder.join("Chart.yaml").is_file() {
        charts.push(folder.to_path_buf());
        return;
    }
    let mut entries: Vec<_> =
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries.iter().filter(|path| path.is_dir()).for_each(|path| charts_below(path, charts));
}

fn number(name: &str, default: usize) -> usize {
    std::env::var(name).map_or(default, |text| text.parse().unwrap())
}

/// A thousand nested includes need a large stack.
#[test]
fn changes_name_their_input_and_data_changes() {
    let thread = std::thread::Builder::new().stack_size(64 << 20);
    thread.spawn(perturb_all).unwrap().join().unwrap();
}

fn perturb_all() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/charts");
    let given = std::env::var_os("JOBLINT_CHARTS").map(PathBuf::from);
    let mut charts = Vec::new();
    charts_below(given.as_ref().unwrap_or(&own), &mut charts);
    let limit = number("JOBLINT_CHARTS_LIMIT", usize::MAX);
    let step = charts.len().div_ceil(limit).max(1);
    let mut figures = Figures::default();
    for chart in charts.iter().step_by(step) {
        if let Some(one) = perturb(chart, number("JOBLINT_CHARTS_INPUTS", 400)) {
            if given.is_some() {
                println!(
                    "{:6.2} % of {:6} announced {:6.2} % of {:6} exact  {}",
                    one.announced(),
                    one.changes,
                    one.exact(),
                    one.pairs,
                    chart.display()
                );
            }
            figures.add(one);
        }
    }
    let Figures { charts, renders, changes, pairs, approximate, .. } = figures;
    println!("{charts} charts, {renders} renders");
    println!("{:.3} % of {changes} changed ranges name the input", figures.announced());
    println!("{:.2} % of {pairs} ranges change with an input they name as data", figures.exact());
    println!("{approximate} more are marked approximate");
    if std::env::var_os("JOBLINT_CHARTS_ALL").is_some() {
        println!("{}\n{}", figures.silent.join("\n"), figures.still.join("\n"));
    } else {
        println!("{}", first_of_each(&figures.silent, 40));
        println!("{}", first_of_each(&figures.still, 100));
    }
    assert!(charts > 30 || given.is_some(), "too few charts rendered: {charts}");
    assert!(figures.unlike.is_empty(), "{}", figures.unlike.join("\n"));
    assert!(figures.silent.is_empty(), "{} changes are not announced", figures.silent.len());
    // The charts of this repository print whole tables, including keys that Helm always sets.
    let least = if given.is_some() { 95.0 } else { 90.0 };
    assert!(figures.exact() >= least, "{:.2} %", figures.exact());
}
