//! The command line: arguments in, exit code out.

mod args;
mod baseline;
mod check;
mod config;
mod explain;
mod forecast;
mod render;
mod rules;
mod session;
mod upgrade;

use std::process::ExitCode;

use args::{Args, Command, RenderArgs};
use clap::{CommandFactory, Parser};

/// The exit code when something could not be checked.
const UNCHECKED: u8 = 2;

/// Runs the command line and returns the exit code of the process.
pub fn run() -> ExitCode {
    if let Some(arguments) = render_arguments() {
        return render::run(&arguments);
    }
    let args = Args::parse();
    match args.command {
        None => check::run(&args.check),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Baseline(arguments)) => baseline::run(&arguments),
        Some(Command::Forecast(arguments)) => forecast::run(&arguments),
        Some(Command::Upgrade(arguments)) => upgrade::run(&arguments),
        Some(Command::Render(arguments)) => render::run(&arguments),
        Some(Command::Explain { text }) => explain::run(&text),
        Some(Command::Rules { output }) => rules::run(output),
        Some(Command::Config(command)) => config::run(&command),
        Some(Command::Completions { shell }) => {
            let mut out = Vec::new();
            clap_complete::generate(shell, &mut Args::command(), "joblint", &mut out);
            print(&String::from_utf8_lossy(&out));
            ExitCode::SUCCESS
        }
    }
}

/// What `joblint render` is given, without the flags of all other verbs, and without any where there is but a
/// chart: setting them up shows in the time of a small chart. `None` for other verbs, and where something is
/// wrong or help is wanted: the whole command line says that.
fn render_arguments() -> Option<RenderArgs> {
    let mut words = std::env::args_os().skip(1);
    if words.next()? != "render" {
        return None;
    }
    let words: Vec<_> = words.collect();
    if let [chart] = &*words
        && !chart.is_empty()
        && !chart.as_encoded_bytes().starts_with(b"-")
    {
        return Some(RenderArgs::of(chart.into()));
    }
    RenderArgs::parse(words)
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

/// Says what stopped the run.
fn fail(text: &str) -> ExitCode {
    note(&format!("error: {text}"));
    ExitCode::from(UNCHECKED)
}
