//! Measures the rendering of charts with provenance against Helm: in a process per chart, and in one process.
//! `HELM=/path/to/helm cargo bench --bench charts -- PATH`, where PATH is a chart or a folder of charts. Without
//! `HELM` only joblint is measured. `JOBLINT` names another build of the command to measure.
//!
//! In each round every tool renders all charts in turn, as in a pipeline; a chart counts with the median of its rounds.
//! joblint is also measured right after each run of Helm, which evicts it from the caches. At the end all charts are
//! rendered at once on all cores, as `joblint check` does. Absolute times vary on a shared machine; compare the ratios
//! within one run.

#![allow(clippy::print_stdout)]

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use helm_render::{Chart, Error, HelmVersion, RenderOptions, Selection, print, render};
use rayon::prelude::*;

const ROUNDS: usize = 5;

/// The allocator of the command.
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
    charts.retain(|chart| match load_and_render(chart) {
        Ok(_) => true,
        Err(error) => {
            println!("{:>34}  {}: {error}", "", chart.display());
            false
        }
    });
    let all = measure(&charts, helm.as_ref());
    charts.iter().zip(&all).for_each(|(chart, times)| chart_line(chart, times));
    let at_once = |_| time(|| charts.par_iter().for_each(|chart| drop(load_and_render(chart))));
    let at_once: Vec<_> = (0..ROUNDS).map(at_once).collect();
    summary(&all, median(&at_once));
    ExitCode::SUCCESS
}

/// The times of one chart, one per round.
#[derive(Clone, Default)]
struct Times {
    /// A process of Helm.
    helm: Vec<Duration>,
    /// A process of joblint, right after that of Helm.
    after_helm: Vec<Duration>,
    /// A process of joblint.
    process: Vec<Duration>,
    /// Within this process.
    inside: Vec<Duration>,
}

fn measure(charts: &[PathBuf], helm: Option<&OsString>) -> Vec<Times> {
    let own = || OsString::from(env!("CARGO_BIN_EXE_joblint"));
    let joblint = env::var_os("JOBLINT").unwrap_or_else(own);
    let mut all = vec![Times::default(); charts.len()];
    for _ in 0..ROUNDS {
        for (chart, times) in charts.iter().zip(&mut all) {
            if let Some(helm) = helm {
                times.helm.push(time(|| run(helm, "template", chart)));
                times.after_helm.push(time(|| run(&joblint, "render", chart)));
            }
        }
        for (chart, times) in charts.iter().zip(&mut all) {
            times.process.push(time(|| run(&joblint, "render", chart)));
        }
        for (chart, times) in charts.iter().zip(&mut all) {
            times.inside.push(time(|| drop(load_and_render(chart))));
        }
    }
    all
}

/// Prints the medians of a chart and how many times faster than Helm they are.
fn chart_line(chart: &Path, times: &Times) {
    let [process, inside] = [&times.process, &times.inside].map(|own| median(own));
    print!("{:8.2} ms {:8.2} ms", milliseconds(process), milliseconds(inside));
    if !times.helm.is_empty() {
        let helm = median(&times.helm);
        print!(" {:6.1} x {:6.1} x", ratio(helm, process), ratio(helm, inside));
    }
    println!("  {}", chart.display());
}

fn summary(all: &[Times], at_once: Duration) {
    let of = |rounds: fn(&Times) -> &Vec<Duration>| -> Vec<Duration> {
        all.iter().map(rounds).filter(|own| !own.is_empty()).map(|own| median(own)).collect()
    };
    let helm = of(|times| &times.helm);
    let cores = rayon::current_num_threads();
    println!("{} charts, medians of {ROUNDS} rounds, {cores} cores", all.len());
    line("helm template, a process each", &helm, &[]);
    line("joblint render, a process each", &of(|times| &times.process), &helm);
    line("the same, each right after Helm", &of(|times| &times.after_helm), &helm);
    line("in one process, one by one", &of(|times| &times.inside), &helm);
    let all_helm: Option<Duration> = (!helm.is_empty()).then(|| helm.iter().sum());
    line("in one process, on all cores", &[at_once], all_helm.as_slice());
}

/// Prints a line of the summary: the time of all charts and how many times faster than `theirs` it is.
fn line(name: &str, took: &[Duration], theirs: &[Duration]) {
    if took.is_empty() {
        return;
    }
    let all: Duration = took.iter().sum();
    print!("{name:32} {:9.1} ms", milliseconds(all));
    if !theirs.is_empty() {
        print!(": {:.1} x in sum", ratio(theirs.iter().sum(), all));
    }
    if theirs.len() > 1 {
        let mut ratios: Vec<_> =
            theirs.iter().zip(took).map(|(theirs, own)| ratio(*theirs, *own)).collect();
        ratios.sort_by(f64::total_cmp);
        print!(", {:.1} x in the median", ratios[ratios.len() / 2]);
    }
    println!();
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

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

/// Collects charts, without looking for more inside a chart.
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

/// Renders a chart from its files to the printed text, as `joblint render` does; returns the length.
fn load_and_render(path: &Path) -> Result<usize, Error> {
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
