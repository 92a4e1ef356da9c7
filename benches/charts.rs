//! Rendering charts with provenance, against real Helm: a process each, and all of them in one process.
//! `HELM=/path/to/helm cargo bench --bench charts -- PATH`; PATH is a chart or a folder of them. Without
//! `HELM` only joblint is measured; `JOBLINT` is another build of the command than that of the bench.
//!
//! For every chart, `helm template`, `joblint render` and a render inside this process take turns, and the
//! median of each counts. At the end all charts are rendered at once, on all cores, as `joblint check` does it.
//! Times on a shared machine are noise; the ratios of one run are what counts.

#![allow(clippy::print_stdout)]

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use joblint::helm::{Chart, Error, HelmVersion, RenderOptions, Selection, print, render};
use rayon::prelude::*;

const ROUNDS: usize = 5;

/// As in the command.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let Some(root) = env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench --bench charts -- PATH");
        return ExitCode::SUCCESS;
    };
    let helm = env::var_os("HELM");
    let mut charts = Vec::new();
    collect(Path::new(&root), &mut charts);
    charts.sort();
    charts.retain(|chart| match whole(chart) {
        Ok(_) => true,
        Err(error) => {
            println!("{:>34}  {}: {error}", "", chart.display());
            false
        }
    });
    let all: Vec<_> = charts.iter().map(|chart| measure(chart, helm.as_ref())).collect();
    let at_once = median(
        (0..ROUNDS).map(|_| time(|| charts.par_iter().for_each(|chart| drop(whole(chart))))),
    );
    summary(&all, at_once);
    ExitCode::SUCCESS
}

/// What one chart takes.
struct Times {
    /// As a process of joblint.
    process: Duration,
    /// In this process.
    inside: Duration,
    /// As a process of Helm.
    helm: Option<Duration>,
}

fn measure(chart: &Path, helm: Option<&OsString>) -> Times {
    let own = || OsString::from(env!("CARGO_BIN_EXE_joblint"));
    let joblint = env::var_os("JOBLINT").unwrap_or_else(own);
    let rounds: Vec<_> = (0..ROUNDS)
        .map(|_| {
            let helm = helm.map(|helm| time(|| run(helm, "template", chart)));
            let process = time(|| run(&joblint, "render", chart));
            Times { process, inside: time(|| drop(whole(chart))), helm }
        })
        .collect();
    let times = Times {
        process: median(rounds.iter().map(|round| round.process)),
        inside: median(rounds.iter().map(|round| round.inside)),
        helm: helm.map(|_| median(rounds.iter().filter_map(|round| round.helm))),
    };
    let faster = times.helm.map(|helm| {
        format!("{:6.1} x {:6.1} x", ratio(helm, times.process), ratio(helm, times.inside))
    });
    let (process, inside) = (milliseconds(times.process), milliseconds(times.inside));
    println!(
        "{process:8.2} ms {inside:8.2} ms {}  {}",
        faster.unwrap_or_default(),
        chart.display()
    );
    times
}

fn summary(all: &[Times], at_once: Duration) {
    let helm = all.iter().map(|times| times.helm).sum();
    let ratios = |own: fn(&Times) -> Duration| {
        all.iter().filter_map(|times| Some(ratio(times.helm?, own(times)))).collect()
    };
    let cores = rayon::current_num_threads();
    println!("{} charts, medians of {ROUNDS} rounds, {cores} cores", all.len());
    if let Some(helm) = helm {
        println!("helm template, a process each   {:9.1} ms", milliseconds(helm));
    }
    let process = all.iter().map(|times| times.process).sum();
    line("joblint render, a process each", process, helm, ratios(|times| times.process));
    let inside = all.iter().map(|times| times.inside).sum();
    line("in one process, one by one", inside, helm, ratios(|times| times.inside));
    line("in one process, on all cores", at_once, helm, Vec::new());
}

/// A line of the summary. The ratios are those of single charts, if they were measured one by one.
fn line(name: &str, took: Duration, helm: Option<Duration>, mut ratios: Vec<f64>) {
    ratios.sort_by(f64::total_cmp);
    let sum = helm.map(|helm| format!(": {:.1} x in sum", ratio(helm, took)));
    let middle =
        ratios.get(ratios.len() / 2).map(|middle| format!(", {middle:.1} x in the median"));
    let (sum, middle) = (sum.unwrap_or_default(), middle.unwrap_or_default());
    println!("{name:31} {:9.1} ms{sum}{middle}", milliseconds(took));
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn ratio(theirs: Duration, ours: Duration) -> f64 {
    theirs.as_secs_f64() / ours.as_secs_f64()
}

fn time(run: impl FnOnce()) -> Duration {
    let start = Instant::now();
    run();
    start.elapsed()
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<_> = times.collect();
    times.sort();
    times[times.len() / 2]
}

/// Charts that are no dependencies of others.
fn collect(folder: &Path, charts: &mut Vec<PathBuf>) {
    if folder.join("Chart.yaml").is_file() {
        charts.push(folder.to_path_buf());
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            collect(&entry.path(), charts);
        }
    }
}

/// From the files to the text, as one `joblint render` does it.
fn whole(path: &Path) -> Result<usize, Error> {
    let version = HelmVersion::V4;
    let chart = Chart::load(path, version)?;
    let rendered = render(&chart, &RenderOptions { version, ..RenderOptions::default() })?;
    Ok(print(&rendered, &Selection::default(), version)?.text.len())
}

fn run(program: &OsString, verb: &str, chart: &Path) {
    let mut command = Command::new(program);
    command.arg(verb).arg(chart).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("the program runs");
}
