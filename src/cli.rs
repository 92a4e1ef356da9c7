//! The command line: parses arguments, runs a verb, returns the exit code.

mod args;
mod baseline;
mod check;
mod config;
mod error;
mod explain;
mod forecast;
mod output;
mod render;
mod rules;
mod session;
mod upgrade;
mod write;

use std::process::ExitCode;

use args::{Args, Command};
use clap::{CommandFactory, Parser};
use error::Error;
use output::{note, print};

/// The exit code when something could not be checked.
const UNCHECKED: u8 = 2;

/// Runs the command line of this process and returns its exit code.
///
/// 0: no findings at or above `--fail-on`. 1: such findings are left. 2: something could not be checked, or the
/// arguments are invalid.
pub fn run() -> ExitCode {
    let code = verb(Args::parse()).unwrap_or_else(|error| {
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

fn verb(args: Args) -> Result<ExitCode, Error> {
    match args.command {
        None => check::run(&args.check),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Baseline(arguments)) => baseline::run(&arguments),
        Some(Command::Forecast(arguments)) => forecast::run(&arguments),
        Some(Command::Upgrade(arguments)) => upgrade::run(&arguments),
        Some(Command::Render(arguments)) => render::run(&arguments),
        Some(Command::Explain { text }) => explain::run(&text),
        Some(Command::Rules { output }) => Ok(rules::run(output)),
        Some(Command::Config(command)) => config::run(&command),
        Some(Command::Completions { shell }) => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "joblint", &mut out);
            print(&String::from_utf8_lossy(&out));
            Ok(ExitCode::SUCCESS)
        }
    }
}
