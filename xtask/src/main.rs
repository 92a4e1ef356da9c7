//! Commands for developers of joblint: `cargo xtask help`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod compare;
mod fixes;
mod mutate;
mod observe;
mod pictures;
mod policies;
mod predict;
mod site;

use std::{
    error::Error,
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::Parser;

/// The exit status of a verb, or why it could not run.
type Outcome = Result<ExitCode, Box<dyn Error>>;

/// Commands for developers of joblint.
#[derive(Parser)]
#[command(
    bin_name = "cargo xtask",
    after_help = "Exit status: 0 nothing is wrong, 1 a failure or a difference was found, 2 the command could not run."
)]
enum Verb {
    Observe(observe::Arguments),
    Policies(policies::Arguments),
    Mutate(mutate::Arguments),
    Predict(predict::Arguments),
    Compare(compare::Arguments),
    Fixes(fixes::Arguments),
    Commands(commands::Arguments),
    Site(site::Arguments),
    Pictures(pictures::Arguments),
}

fn main() -> ExitCode {
    let outcome = match Verb::parse() {
        Verb::Observe(arguments) => observe::run(&arguments),
        Verb::Policies(arguments) => policies::run(&arguments),
        Verb::Mutate(arguments) => mutate::run(&arguments),
        Verb::Predict(arguments) => predict::run(arguments),
        Verb::Compare(arguments) => compare::run(&arguments),
        Verb::Fixes(arguments) => fixes::run(&arguments),
        Verb::Commands(arguments) => commands::run(&arguments),
        Verb::Site(arguments) => site::run(&arguments),
        Verb::Pictures(arguments) => pictures::run(&arguments),
    };
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}

/// A path of this repository.
fn own(path: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("xtask is a folder of the repository");
    root.join(path)
}
