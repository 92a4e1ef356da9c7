//! `cargo xtask predict`: shows or scores predictions for real charts.

mod history;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use helm_render::{
    Chart, HelmVersion, KubeVersion, Release, RenderOptions, Rendered, render,
    values::{Flag, FlagKind, collect},
};
use job_lifecycle::{ReleaseChanges, release_changes::Change};
use joblint::release_changes::{RenderedWorkload, predict};
use yaml_spans::{self as yaml, Node};

/// Native stack of the thread that renders.
const STACK: usize = 64 << 20;

/// Show what the next release of charts does to their Jobs, or score such predictions.
///
/// With --history, compares the prediction for each release of the charts in a table with what the next releases changed.
#[derive(clap::Args)]
pub struct Arguments {
    /// Folders of charts, each followed by values as for `--set`
    #[arg(value_name = "CHART [KEY=VALUE…]", required_unless_present = "history")]
    charts: Vec<String>,
    /// Table of charts; a line is a Git repository below --mirrors, the chart's folder in it, a pattern for its tags (or
    /// `commits@REVISION`: every commit up to the revision that changed the version), and values, separated by spaces;
    /// `#` starts a comment
    #[arg(long, value_name = "TABLE", requires = "work", conflicts_with = "charts")]
    history: Option<PathBuf>,
    /// Folder of bare Git repositories, each in `owner+name/repo`
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    mirrors: PathBuf,
    /// Folder for checked-out releases
    #[arg(long, value_name = "FOLDER")]
    work: Option<PathBuf>,
    /// Number of releases of each chart
    #[arg(long, value_name = "N", default_value_t = 20)]
    most: usize,
}

pub fn run(arguments: Arguments) -> crate::Outcome {
    let thread = std::thread::Builder::new().stack_size(STACK);
    let failures = thread.spawn(move || predict_all(&arguments))?.join();
    let failures = failures.map_err(|_| "a chart makes the prediction panic")??;
    Ok(ExitCode::from(u8::from(failures > 0)))
}

/// Predicts and returns the number of charts that do not render.
fn predict_all(arguments: &Arguments) -> io::Result<usize> {
    if let (Some(table), Some(work)) = (&arguments.history, &arguments.work) {
        let table = fs::read_to_string(table)?;
        score_all(&table, &arguments.mirrors, work, arguments.most);
        return Ok(0);
    }
    let (mut rest, mut failures) = (&arguments.charts[..], 0);
    while let Some((path, more)) = rest.split_first() {
        let count = more.iter().take_while(|argument| argument.contains('=')).count();
        if let Err(error) = show(Path::new(path), &more[..count]) {
            eprintln!("{path}: {error}");
            failures += 1;
        }
        rest = &more[count..];
    }
    Ok(failures)
}

/// Scores every chart of a table.
fn score_all(table: &str, mirrors: &Path, work: &Path, most: usize) {
    let mut all = [history::Score::default(), history::Score::default()];
    for (number, line) in table.lines().enumerate() {
        let words: Vec<_> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let [repository, path, pattern, sets @ ..] = &words[..] else { continue };
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let options = |chart: &Chart| options(chart, &sets).expect("values");
        let work = work.join(number.to_string());
        let scores =
            history::score(&(mirrors.join(repository), path, pattern), most, &options, &work);
        for (all, (score, what)) in all.iter_mut().zip(scores.iter().zip(["Jobs", "hooks"])) {
            score.print(&format!("{repository} {path}, {what}"));
            all.add(score);
        }
    }
    all.iter().zip(["all Jobs", "all hooks"]).for_each(|(score, what)| score.print(what));
}

fn options(chart: &Chart, sets: &[String]) -> Result<RenderOptions, helm_render::Error> {
    let name = chart.name().to_owned();
    let flag = |text: &String| Flag { kind: FlagKind::Set, text: text.clone() };
    let flags: Vec<_> = sets.iter().map(flag).collect();
    Ok(RenderOptions {
        values: collect(&[], &flags, HelmVersion::V4)?,
        skips_schema: true,
        kube_version: accepted(chart),
        release: Release { name, ..Release::default() },
        allows_missing: true,
        max_stack: STACK * 3 / 4,
        ..RenderOptions::default()
    })
}

/// The newest version of Kubernetes that the chart accepts.
fn accepted(chart: &Chart) -> Option<KubeVersion> {
    let version = |minor| KubeVersion::parse(&format!("1.{minor}.0"), HelmVersion::V4).ok();
    (16..=36).rev().filter_map(version).find(|version| chart.accepts(version))
}

fn show(path: &Path, sets: &[String]) -> Result<(), helm_render::Error> {
    let chart = Chart::load(path, HelmVersion::V4)?;
    let options = options(&chart, sets)?;
    let start = std::time::Instant::now();
    let rendered = Arc::new(render(&chart, &options)?);
    let rendering = start.elapsed();
    let jobs = jobs(&rendered);
    let works: Vec<_> = jobs.iter().map(Printed::workload).collect();
    let start = std::time::Instant::now();
    let predicted = predict(&chart, &options, &rendered, &works);
    let (rendering, predicting) = (rendering.as_millis(), start.elapsed().as_millis());
    println!("{}: rendered in {rendering} ms, predicted in {predicting} ms", path.display());
    for (job, changes) in jobs.iter().zip(&predicted) {
        let hook = if job.is_hook() { " (hook)" } else { "" };
        println!("  {} {}{hook}", job.text(&["kind"]), job.text(&["metadata", "name"]));
        print_changes(changes, "    ");
        if let Some(stateless) = &changes.stateless {
            println!("    without a release");
            print_changes(stateless, "      ");
        }
    }
    Ok(())
}

fn print_changes(changes: &ReleaseChanges, indent: &str) {
    for (step, change) in &changes.steps {
        println!("{indent}{step:?}: {}", outcome(change));
        for one in &change.differences {
            let field = one.field.unwrap_or("mutable");
            let doubt = if one.approximate { " approximate" } else { "" };
            let condition = if one.by_condition { " by condition" } else { "" };
            println!(
                "{indent}  {field}{doubt}{condition} {} by {:?}: {:?} → {:?}",
                one.path, one.inputs, one.old, one.new
            );
        }
    }
    if !changes.upgrade.is_none() {
        println!("{indent}all: {}", outcome(&changes.upgrade));
    }
    if !changes.settled.is_empty() {
        println!("{indent}settled: {}", changes.settled.len());
    }
}

fn outcome(change: &Change) -> String {
    match (&change.new_name, change.gone, change.is_rejected()) {
        (_, true, _) => "gone".to_owned(),
        (Some(name), ..) => format!("renamed to {name}"),
        (None, _, true) => "REFUSED".to_owned(),
        (None, ..) => "taken".to_owned(),
    }
}

/// A Job or CronJob of a render.
struct Printed {
    /// Index in [`Rendered::files`].
    file: usize,
    /// Where its manifest begins in that file, in bytes.
    start: usize,
    root: Node,
}

impl Printed {
    fn workload(&self) -> RenderedWorkload<'_> {
        RenderedWorkload { file: self.file, start: self.start, root: &self.root }
    }

    fn text(&self, path: &[&str]) -> &str {
        self.root.at(path).and_then(Node::as_str).unwrap_or_default()
    }

    fn is_hook(&self) -> bool {
        self.root.at(&["metadata", "annotations", "helm.sh/hook"]).is_some()
    }
}

/// The Jobs and CronJobs of a render, as Helm splits its output into manifests.
fn jobs(rendered: &Rendered) -> Vec<Printed> {
    let parsed = rendered.documents.iter().flat_map(|document| {
        let roots = yaml::parse(rendered.text(document)).into_iter().flatten();
        roots.map(|one| Printed {
            file: document.file,
            start: document.range.start,
            root: one.root,
        })
    });
    parsed.filter(|one| matches!(one.text(&["kind"]), "Job" | "CronJob")).collect()
}
