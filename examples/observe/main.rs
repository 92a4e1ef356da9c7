//! Plays the cases of `testdata/observed` on a real API server, and writes down what happened.
//!
//! `cargo run --example observe -- TOOLS [WORD…]`: plays the cases whose name, deployer, event or player holds
//! every word (`=helm3` is the whole deployer; `--missing`: those without a row), replaces their rows in
//! `testdata/observed/*.tsv` and marks with `!` where joblint forecasts something else. What it needs: docs/observed.md.

#![allow(clippy::print_stdout)]

mod argocd;
mod artifacts;
mod cases;
mod cluster;
mod flux;
mod hooks;
mod judge;
mod play;
mod player;
mod table;
mod tools;

use std::{
    env, fs,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
};

use joblint::deploy::{Deployer, Event, Outcome};
use rayon::prelude::*;

use artifacts::Artifacts;
use play::Play;
use player::Player;
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
    let folder = fs::canonicalize(folder).expect("the tools");
    let tools = Tools { folder, cluster, artifacts: Artifacts::serve() };
    let server = tools.cluster.version();
    let tables = Player::all().map(|player| {
        Table::open(player, format!("{}, API server {server}", player.version(&tools.folder)))
    });
    let table = |scene: &Scene| tables.iter().find(|table| table.player == scene.player);
    let is_there = |player: &Player| player.api().is_none_or(|api| tools.cluster.serves(api));
    let (players, missing): (Vec<_>, Vec<_>) = Player::all().into_iter().partition(is_there);
    for player in missing {
        println!("{}: the cluster does not know its API", player.name());
    }
    let mut scenes = scenes(&words, &players);
    if words.iter().any(|word| word == MISSING) {
        scenes.retain(|scene| !table(scene).is_some_and(|table| table.has(scene)));
    }
    println!("{} scenes", scenes.len());
    let at_once = env::var("AT_ONCE").ok().and_then(|text| text.parse().ok()).unwrap_or(AT_ONCE);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(at_once).build().expect("threads");
    let prefix = std::process::id();
    pool.install(|| {
        scenes.par_iter().enumerate().for_each(|(index, scene)| {
            let play = || observe(&tools, scene, format!("o{prefix}-{index}"));
            // What goes wrong with one says nothing of the others.
            if let Ok(rows) = panic::catch_unwind(AssertUnwindSafe(play)) {
                table(scene).expect("a table").put(scene, rows);
            }
        });
    });
}

/// What is to be played.
fn scenes(words: &[String], players: &[Player]) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for case in cases::cases(Path::new(FOLDER)) {
        for deployer in &case.deployers {
            let deployer: Deployer = deployer.parse().expect("a deployer");
            for event in Event::ALL {
                let plays = |player: &&Player| player.plays(&case, &deployer, event);
                let scene = |player: &Player| {
                    let (case, deployer) = (case.clone(), deployer.clone());
                    Scene { case, deployer, event, player: *player }
                };
                scenes.extend(players.iter().filter(plays).map(scene));
            }
        }
    }
    let words: Vec<_> = words.iter().filter(|word| *word != MISSING).collect();
    scenes.retain(|scene| words.iter().all(|word| is_meant(word, scene)));
    scenes
}

/// True when a word is about a scene.
fn is_meant(word: &str, scene: &Scene) -> bool {
    let (case, event, player) = (&scene.case.case, scene.event.name(), scene.player.name());
    let deployer = scene.deployer.to_string();
    match word.strip_prefix('=') {
        Some(whole) => [case, event, player, &deployer].contains(&whole),
        None => case.contains(word) || deployer.contains(word) || [event, player].contains(&word),
    }
}

/// The rows of one scene: their key, and the rest.
fn observe(tools: &Tools, scene: &Scene, namespace: String) -> Vec<Row> {
    let Scene { case, deployer, event, player } = scene;
    let play = Play { tools, player: *player, case, deployer, event: *event, namespace };
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
            "{mark}{} | {} | {seen} | forecast {said} | {ended}, {}, {}",
            player.name(),
            key.join(" | "),
            row.verdict.objects,
            row.message
        );
        (key, rest.trim_end().to_owned())
    };
    play.run().into_iter().map(row).collect()
}
