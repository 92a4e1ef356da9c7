//! Tries the prediction on real charts.
//!
//! `cargo run --example predict -- CHART [KEY=VALUE…] …` prints what the next release of each chart does to its
//! Jobs; values as for `--set`. `… -- --history TABLE WORK [MOST]` compares the predictions of each release
//! with what then happened: a line of the table is a Git repository, the folder of a chart in it, a pattern of
//! its tags (or `commits`: what changed its version on the main branch), and values, apart by blanks; `#` starts a comment. Releases are checked out below WORK.

#![allow(clippy::print_stdout)]

mod history;

use std::{path::Path, sync::Arc};

use helm_render::{
    Chart, HelmVersion, KubeVersion, Release, RenderOptions, Rendered, render,
    values::{Flag, FlagKind, collect},
};
use joblint::release_changes::{Change, Churn, Made, predict};
use yaml_spans::{self as yaml, Node};

/// Native stack of the thread that renders.
const STACK: usize = 64 << 20;

fn main() {
    let task = || {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        if let [mode, table, work, most @ ..] = &arguments[..]
            && mode == "--history"
        {
            let most = most.first().and_then(|text| text.parse().ok()).unwrap_or(20);
            return tell(&std::fs::read_to_string(table).expect("a table"), Path::new(work), most);
        }
        let mut rest = &arguments[..];
        while let Some((path, more)) = rest.split_first() {
            let count = more.iter().take_while(|argument| argument.contains('=')).count();
            if let Err(error) = show(Path::new(path), &more[..count]) {
                println!("{path}: {error}");
            }
            rest = &more[count..];
        }
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(task);
    thread.expect("a thread").join().expect("charts do not panic");
}

/// Scores every chart of a table.
fn tell(table: &str, work: &Path, most: usize) {
    let mut all = [history::Score::default(), history::Score::default()];
    for (number, line) in table.lines().enumerate() {
        let words: Vec<_> = line.split('#').next().unwrap_or_default().split_whitespace().collect();
        let [repository, path, pattern, sets @ ..] = &words[..] else { continue };
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        let options = |chart: &Chart| options(chart, &sets).expect("values");
        let work = work.join(number.to_string());
        let scores = history::score((repository, path, pattern), most, &options, &work);
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
    let works: Vec<_> =
        jobs.iter().map(|(file, root)| Made { file: *file, start: 0, root }).collect();
    let start = std::time::Instant::now();
    let churns = predict(&chart, &options, &rendered, &works);
    let (rendering, predicting) = (rendering.as_millis(), start.elapsed().as_millis());
    println!("{}: rendered in {rendering} ms, predicted in {predicting} ms", path.display());
    for ((_, root), churn) in jobs.iter().zip(&churns) {
        let text = |path: &[&str]| root.at(path).and_then(Node::as_str).unwrap_or_default();
        let hook = root.at(&["metadata", "annotations", "helm.sh/hook"]).map_or("", |_| " (hook)");
        println!("  {} {}{hook}", text(&["kind"]), text(&["metadata", "name"]));
        print_churn(churn, "    ");
        if let Some(stateless) = &churn.stateless {
            println!("    without a release");
            print_churn(stateless, "      ");
        }
    }
    Ok(())
}

fn print_churn(churn: &Churn, indent: &str) {
    for (step, change) in &churn.steps {
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
    if !churn.upgrade.is_none() {
        println!("{indent}all: {}", outcome(&churn.upgrade));
    }
    if !churn.settled.is_empty() {
        println!("{indent}settled: {}", churn.settled.len());
    }
}

fn outcome(change: &Change) -> String {
    match (&change.new_name, change.gone, change.is_refused()) {
        (_, true, _) => "gone".to_owned(),
        (Some(name), ..) => format!("renamed to {name}"),
        (None, _, true) => "REFUSED".to_owned(),
        (None, ..) => "taken".to_owned(),
    }
}

/// The Jobs and CronJobs of a render.
fn jobs(rendered: &Rendered) -> Vec<(usize, Node)> {
    let mut found = Vec::new();
    for (number, file) in rendered.files.iter().enumerate() {
        for document in yaml::parse(&file.text).into_iter().flatten() {
            let kind = document.root.get("kind").and_then(Node::as_str);
            if matches!(kind, Some("Job" | "CronJob")) {
                found.push((number, document.root));
            }
        }
    }
    found
}
