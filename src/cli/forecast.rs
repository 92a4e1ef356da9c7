//! `joblint forecast`.

use std::process::ExitCode;

use job_lifecycle::Event;

use super::{
    Error, UNCHECKED, args::ForecastArgs, note, print, session::Session, waiting::Waiting,
};
use crate::{
    forecast,
    report::{self, ForecastFormat, Style},
};

pub(crate) fn run(args: &ForecastArgs) -> Result<ExitCode, Error> {
    let session = Session::of_forecast(args)?;
    let events = if args.event.is_empty() { &Event::ALL[..] } else { &args.event };
    let waiting = Waiting::on(&session.request.progress, args.quiet);
    let outlook = forecast::forecast(&session.request, &session.settings, events);
    drop(waiting);
    for error in &outlook.errors {
        note(&format!("error: {error}"));
    }
    print(&report::print_forecast(&outlook, args.output, &Style::of_stdout(args.color)));
    if !args.quiet {
        outlook.notes.iter().for_each(|text| note(&format!("note: {text}")));
        if outlook.blocks.is_empty() {
            note("note: no Job, CronJob or hook here");
        }
        let assumed = |block: &forecast::Block| {
            block.columns.len() > 1 && block.columns.iter().any(|own| own.deployer.assumed)
        };
        if args.output == ForecastFormat::Table && outlook.blocks.iter().any(assumed) {
            note(
                "note: no deployer is configured or detected, so all are shown; choose one with `--deployer`",
            );
        }
    }
    Ok(if outlook.errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(UNCHECKED) })
}
