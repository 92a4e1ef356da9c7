//! The command line: parses arguments, runs a verb, returns the exit code.

mod args;
mod baseline;
mod check;
mod config;
mod doctor;
mod error;
mod explain;
mod forecast;
mod man;
mod merge;
mod output;
mod render;
mod rules;
mod server;
mod session;
mod test;
mod upgrade;
mod waiting;
mod watch;
mod write;

use std::{ffi::OsString, path::Path, process::ExitCode};

use args::{Args, CheckArgs, Command};
use clap::{CommandFactory, Parser, Subcommand};
use error::Error;
use job_lifecycle::suggest::nearest;
use output::{note, print};

/// The exit code when something could not be checked.
const UNCHECKED: u8 = 2;

/// Runs the command line of this process and returns its exit code.
///
/// 0: no findings at or above `--fail-on`. 1: such findings are left. 2: something could not be checked, or the
/// arguments are invalid.
pub fn run() -> ExitCode {
    let run = || {
        let words: Vec<_> = std::env::args_os().skip(1).collect();
        let args = Args::try_parse();
        match unknown_verb(&words) {
            Some(error) => Err(error),
            None => verb(args.unwrap_or_else(|error| error.exit())),
        }
    };
    let code = run().unwrap_or_else(|error| {
        error.print();
        ExitCode::from(UNCHECKED)
    });
    match output::failure() {
        None => code,
        Some(error) => {
            note(&format!("error: standard output: {error}"));
            ExitCode::from(UNCHECKED)
        }
    }
}

/// The error for a first word that looks like a misspelt verb: neither a verb nor a path, and without a dot or slash.
fn unknown_verb(words: &[OsString]) -> Option<Error> {
    let word = words.first()?.to_str()?;
    let is_word = |c: char| c.is_ascii_alphabetic() || c == '-';
    let is_known = |word| Command::has_subcommand(word) || word == "help";
    if word.starts_with('-') || !word.chars().all(is_word) || is_known(word) {
        return None;
    }
    if Path::new(word).exists() {
        return None;
    }
    let command = Args::command();
    let verbs: Vec<_> = command.get_subcommands().map(clap::Command::get_name).collect();
    let near = nearest(word, verbs.iter().copied())?;
    Some(Error::UnknownVerb { word: word.to_owned(), near: near.to_owned() })
}

fn verb(args: Args) -> Result<ExitCode, Error> {
    match args.command {
        None => check::run(&args.check),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Fix(arguments)) => check::run(&CheckArgs { fix: true, ..*arguments }),
        Some(Command::Baseline(arguments)) => baseline::run(&arguments),
        Some(Command::Forecast(arguments)) => forecast::run(&arguments),
        Some(Command::Upgrade(arguments)) => upgrade::run(&arguments),
        Some(Command::Render(arguments)) => render::run(&arguments),
        Some(Command::Explain { text }) => explain::run(&text.join(" ")),
        Some(Command::Rules { output }) => Ok(rules::run(output)),
        Some(Command::Test { paths, config }) => test::run(&paths, config.as_ref()),
        Some(Command::Merge(arguments)) => merge::run(&arguments),
        Some(Command::Doctor(arguments)) => doctor::run(&arguments),
        Some(Command::Man { verb }) => man::run(verb.as_deref()),
        Some(Command::Server) => server::run(),
        Some(Command::Config(command)) => config::run(&command),
        Some(Command::Completions { shell }) => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "joblint", &mut out);
            print(&String::from_utf8_lossy(&out));
            Ok(ExitCode::SUCCESS)
        }
    }
}
