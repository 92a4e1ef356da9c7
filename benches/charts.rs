//! Rendering charts, all in one process, with provenance, against real Helm.
//! `cargo bench --bench charts -- PATH`; PATH is a chart or a folder of them. `HELM=/path/to/helm` adds what
//! `helm template` takes for each, one process per chart.
//!
//! Times on a shared machine are noise; the ratio of one run is what counts.

#![allow(clippy::print_stdout)]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

use joblint::helm::{Chart, Error, HelmVersion, RenderOptions, Selection, print, render};

const ROUNDS: usize = 5;

fn main() -> ExitCode {
    let Some(root) = env::args().skip(1).find(|argument| !argument.starts_with('-')) else {
        println!("usage: cargo bench --bench charts -- PATH");
        return ExitCode::SUCCESS;
    };
    let helm = env::var_os("HELM");
    let mut charts = Vec::new();
    collect(Path::new(&root), &mut charts);
    charts.sort();
    let (mut own, mut real, mut count) = (Duration::ZERO, Duration::ZERO, 0);
    for chart in &charts {
        if let Err(error) = whole(chart) {
            println!("{:>19}  {}: {error}", "", chart.display());
            continue;
        }
        count += 1;
        let took = median(|| drop(whole(chart)));
        own += took;
        let path = chart.display();
        let Some(helm) = &helm else {
            println!("{:7.2} ms  {path}", milliseconds(took));
            continue;
        };
        let theirs = median(|| template(Path::new(helm), chart));
        real += theirs;
        let ratio = theirs.as_secs_f64() / took.as_secs_f64();
        println!("{:7.2} ms {ratio:6.1} x  {path}", milliseconds(took));
    }
    println!("{count} charts in {:.1} ms", milliseconds(own));
    if helm.is_some() {
        let ratio = real.as_secs_f64() / own.as_secs_f64();
        println!("helm template {:.1} ms, {ratio:.1} times as long", milliseconds(real));
    }
    ExitCode::SUCCESS
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn median(mut run: impl FnMut()) -> Duration {
    let mut times = [Duration::ZERO; ROUNDS];
    for time in &mut times {
        let start = Instant::now();
        run();
        *time = start.elapsed();
    }
    times.sort();
    times[ROUNDS / 2]
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

fn template(helm: &Path, chart: &Path) {
    let mut command = Command::new(helm);
    command.arg("template").arg(chart).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("HELM runs");
}
