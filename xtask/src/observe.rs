//! `cargo xtask observe`: plays the cases of `testdata/observed` on a real API server and records what happens.

mod argocd;
mod artifacts;
mod cases;
pub mod cluster;
mod flux;
mod hooks;
mod judge;
mod kustomize;
mod play;
mod player;
mod table;
mod tools;

use std::{
    env, fs,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::atomic::{AtomicUsize, Ordering},
};

use job_lifecycle::{Deployer, Event, Outcome};
use rayon::prelude::*;

pub use cases::Kustomized;

use artifacts::Artifacts;
use play::Play;
use player::Player;
use table::{Row, Scene, Table};
use tools::Tools;

/// The folder of the cases and of the tables.
pub const FOLDER: &str = "testdata/observed";

/// Play cases on a real API server and record what happens.
///
/// Replaces the rows of the played cases in `testdata/observed/*.tsv`. Prints a line per row; `!` marks one that
/// differs from the forecast. KUBECONFIG names the cluster; docs/observed.md says what the cluster needs.
#[derive(clap::Args)]
pub struct Arguments {
    /// Folder with the binaries of the deployers
    tools: PathBuf,
    /// Play only cases whose name, deployer, event or player contains every word; `=WORD` must match a whole name,
    /// `kustomization` every kustomization
    words: Vec<String>,
    /// Play only cases without a row
    #[arg(long)]
    missing: bool,
    /// Number of cases to play at once, each in its own namespace
    #[arg(long, value_name = "N", default_value_t = 4)]
    at_once: usize,
}

pub fn run(arguments: &Arguments) -> crate::Outcome {
    let kubeconfig = env::var("KUBECONFIG").map_err(|_| "KUBECONFIG names no cluster")?;
    let folder = fs::canonicalize(&arguments.tools)
        .map_err(|error| format!("{}: {error}", arguments.tools.display()))?;
    let cluster = cluster::Cluster::new(Path::new(&kubeconfig));
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
    let mut scenes = scenes(&arguments.words, &players);
    if arguments.missing {
        scenes.retain(|scene| !table(scene).is_some_and(|table| table.has(scene)));
    }
    println!("{} scenes", scenes.len());
    let pool = rayon::ThreadPoolBuilder::new().num_threads(arguments.at_once).build()?;
    let (prefix, failures) = (std::process::id(), AtomicUsize::new(0));
    pool.install(|| {
        scenes.par_iter().enumerate().for_each(|(index, scene)| {
            let play = || observe(&tools, scene, format!("o{prefix}-{index}"));
            // One failure must not stop the others.
            match panic::catch_unwind(AssertUnwindSafe(play)) {
                Ok(rows) => table(scene).expect("a table").put(scene, rows),
                Err(_) => _ = failures.fetch_add(1, Ordering::Relaxed),
            }
        });
    });
    let failures = failures.into_inner();
    println!("{failures} scenes could not be played");
    Ok(ExitCode::from(u8::from(failures > 0)))
}

/// All cases, as the site shows them.
pub fn played() -> Vec<cases::Case> {
    cases::cases(&crate::own(FOLDER))
}

/// The scenes that match every word.
fn scenes(words: &[String], players: &[Player]) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for case in cases::cases(&crate::own(FOLDER)) {
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
    scenes.retain(|scene| words.iter().all(|word| matches(word, scene)));
    scenes
}

/// True when a scene matches a word.
fn matches(word: &str, scene: &Scene) -> bool {
    let (case, event, player) = (&scene.case.case, scene.event.name(), scene.player.name());
    let deployer = scene.deployer.to_string();
    match word.strip_prefix('=') {
        Some(whole) => [case, event, player, &deployer].contains(&whole),
        None if word == "kustomization" => scene.case.kustomization.is_some(),
        None => case.contains(word) || deployer.contains(word) || [event, player].contains(&word),
    }
}

/// Plays one scene and returns its rows.
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
        let predicted = forecast.map_or_else(
            || "absent".to_owned(),
            |(outcome, also)| {
                [vec![word(outcome)], also.iter().map(word).collect()].concat().join(" ")
            },
        );
        let seen = [outcome.as_str(), also.as_str()].join(" ");
        let mark = if predicted == seen.trim() { "  " } else { "! " };
        let key = [case.case.clone(), row.work, deployer.to_string(), event.name().to_owned()];
        let rest = [&outcome, &also, ended, &row.verdict.objects, &row.message].join("\t");
        println!(
            "{mark}{} | {} | {seen} | forecast {predicted} | {ended}, {}, {}",
            player.name(),
            key.join(" | "),
            row.verdict.objects,
            row.message
        );
        (key, rest.trim_end().to_owned())
    };
    play.run().into_iter().map(row).collect()
}
