//! Prints what the next release of each chart does to its Jobs, for people who try the prediction on real
//! charts: `cargo run --example predict -- CHART [KEY=VALUE…] …`, values as for `--set`.

use std::{path::Path, sync::Arc};

use joblint::{
    churn::{Change, Churn, Made, predict},
    helm::{
        Chart, HelmVersion, Release, RenderOptions, Rendered, render,
        values::{Flag, FlagKind, collect},
    },
    yaml::{self, Node},
};

/// Native stack of the thread that renders.
const STACK: usize = 64 << 20;

fn main() {
    let task = || {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
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

fn show(path: &Path, sets: &[String]) -> Result<(), joblint::helm::Error> {
    let chart = Chart::load(path, HelmVersion::V4)?;
    let name = chart.name().to_owned();
    let flag = |text: &String| Flag { kind: FlagKind::Set, text: text.clone() };
    let flags: Vec<_> = sets.iter().map(flag).collect();
    let options = RenderOptions {
        values: collect(&[], &flags, HelmVersion::V4)?,
        skips_schema: true,
        release: Release { name, ..Release::default() },
        allows_missing: true,
        max_stack: STACK * 3 / 4,
        ..RenderOptions::default()
    };
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
