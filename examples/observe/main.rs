//! Plays the cases of `testdata/observed` on a real API server, and writes down what happened.
//!
//! `cargo run --example observe -- TOOLS [WORD…]`: plays the cases whose name, deployer or event holds every
//! word (`=helm3` is the whole deployer; `--missing`: those without a row), replaces their rows in
//! `testdata/observed/*.tsv` and marks with `!` where joblint forecasts something else. What it needs: docs/observed.md.

#![allow(clippy::print_stdout)]

mod cases;
mod cluster;
mod hooks;
mod judge;
mod play;
mod table;
mod tools;

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use joblint::deploy::{Deployer, Event, Outcome, Tool};
use rayon::prelude::*;

use play::{Play, is_playable};
use table::{Row, Scene, Table};
use tools::Tools;

const FOLDER: &str = "testdata/observed";
/// Plays only what no row is there for.
const MISSING: &str = "--missing";
/// Namespaces that are busy at once.
const AT_ONCE: usize = 4;

fn main() {
    let mut arguments = env::args().skip(1);
    let folder = PathBuf::from(arguments.next().expect("the folder of the tools"));
    let words: Vec<String> = arguments.collect();
    let kubeconfig = env::var("KUBECONFIG").expect("KUBECONFIG");
    let cluster = cluster::Cluster::new(Path::new(&kubeconfig));
    let tools = Tools { folder: fs::canonicalize(folder).expect("the tools"), cluster };
    let server = tools.cluster.version();
    let tables = Tool::ALL.map(|tool| {
        Table::open(tool, format!("{}, API server {server}", tools::version(&tools.folder, tool)))
    });
    let table = |scene: &Scene| tables.iter().find(|table| table.tool == scene.deployer.tool);
    let mut scenes = scenes(&words);
    if words.iter().any(|word| word == MISSING) {
        scenes.retain(|scene| !table(scene).is_some_and(|table| table.has(scene)));
    }
    println!("{} scenes", scenes.len());
    let at_once = env::var("AT_ONCE").ok().and_then(|text| text.parse().ok()).unwrap_or(AT_ONCE);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build().expect("threads");
    let prefix = std::process::id();
    pool.install(|| {
        scenes.par_iter().enumerate().for_each(|(index, scene)| {
            let rows = observe(&tools, scene, format!("o{prefix}-{index}"));
            table(scene).expect("a table").put(scene, rows);
        });
    });
}

/// What is to be played.
fn scenes(words: &[String]) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for case in cases::cases(Path::new(FOLDER)) {
        for text in &case.deployers {
            let deployer: Deployer = text.parse().expect("a deployer");
            for event in Event::ALL {
                let wanted = words.iter().filter(|word| *word != MISSING).all(|word| {
                    match word.strip_prefix('=') {
                        Some(whole) => whole == text || whole == event.name() || whole == case.case,
                        None => {
                            case.case.contains(word) || text.contains(word) || event.name() == word
                        }
                    }
                });
                if wanted && is_playable(&case, &deployer, event) {
                    scenes.push(Scene { case: case.clone(), deployer: deployer.clone(), event });
                }
            }
        }
    }
    scenes
}

/// The rows of one scene: their key, and the rest.
fn observe(tools: &Tools, scene: &Scene, namespace: String) -> Vec<Row> {
    let Scene { case, deployer, event } = scene;
    let play = Play { tools, case, deployer, event: *event, namespace };
    let forecasts = case.forecast(deployer, &[*event]);
    let row = |row: play::Row| {
        let word = |outcome: &Outcome| outcome.name().to_owned();
        let also = row.verdict.also.as_ref().map(word).unwrap_or_default();
        let outcome = word(&row.verdict.outcome);
        let ended = if row.failed { "failed" } else { "ok" };
        let forecast = forecasts.get(&(row.work.clone(), *event));
        let said = forecast.map_or_else(
            || "absent".to_owned(),
            |(outcome, also)| {
                [vec![word(outcome)], also.iter().map(word).collect()].concat().join(" ")
            },
        );
        let seen = [outcome.as_str(), also.as_str()].join(" ");
        let mark = if said == seen.trim() { "  " } else { "! " };
        let key = [case.case.clone(), row.work, deployer.to_string(), event.name().to_owned()];
        let rest = [&outcome, &also, ended, &row.verdict.objects, &row.message].join("\t");
        println!(
            "{mark}{} | {seen} | forecast {said} | {ended}, {}, {}",
            key.join(" | "),
            row.verdict.objects,
            row.message
        );
        (key, rest.trim_end().to_owned())
    };
    play.run().into_iter().map(row).collect()
}
