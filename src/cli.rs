//! The command line: arguments in, exit code out.

mod args;
mod check;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};

/// Runs the command line and returns the exit code of the process.
pub fn run() -> ExitCode {
    let args = Args::parse();
    match args.command.unwrap_or(Command::Check(args.check)) {
        Command::Check(arguments) => check::run(&arguments),
    }
}

/// Writes to standard output; a closed pipe ends the output, not the run.
fn print(text: &str) {
    use std::io::Write;
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line to standard error.
fn note(text: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr().lock(), "{text}");
}
