//! `joblint check`.

use std::process::ExitCode;

use super::{
    UNCHECKED,
    args::{CheckArgs, Output},
    fail, note, print,
    session::Session,
};
use crate::{
    check::{self, Report},
    finding::Applicability,
    repair,
    report::{self, Format},
    settings::Settings,
};

pub fn run(args: &CheckArgs) -> ExitCode {
    let session = match Session::new(args) {
        Ok(session) => session,
        Err(error) => return fail(&error),
    };
    if args.fix || args.diff {
        return repair(args, &session);
    }
    let report = check::check(&session.request, &session.settings);
    match write(args, &report) {
        Ok(()) => exit_code(&report, &session.settings),
        Err(error) => fail(&error),
    }
}

/// Fixes what may be fixed, then reports what is left.
fn repair(args: &CheckArgs, session: &Session) -> ExitCode {
    let allowed = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let repaired = repair::repair(&session.request, &session.settings, allowed);
    if args.diff {
        print(&repaired.diff());
        return if repaired.changed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) };
    }
    for (path, file) in &repaired.changed {
        if session.request.texts.contains_key(path) {
            print(&file.after);
        } else if let Err(error) = repair::write(path, &file.after) {
            return fail(&format!("{}: {error}", path.display()));
        }
    }
    if repaired.fixed > 0 && !args.quiet {
        note(&format!(
            "Fixed {} in {}",
            count(repaired.fixed, "problem"),
            count(repaired.changed.len(), "file")
        ));
    }
    match write(args, &repaired.report) {
        Ok(()) => exit_code(&repaired.report, &session.settings),
        Err(error) => fail(&error),
    }
}

/// Prints a report in every format asked for.
pub fn write(args: &CheckArgs, report: &Report) -> Result<(), String> {
    let standard = [Output { format: Format::Concise, path: None }];
    let outputs = if args.output.is_empty() { &standard[..] } else { &args.output };
    for output in outputs {
        let text = report::print(report, output.format);
        match &output.path {
            None => print(&text),
            Some(path) => repair::write(path, &text)
                .map_err(|error| format!("{}: {error}", path.display()))?,
        }
    }
    for error in &report.errors {
        note(&format!("error: {error}"));
    }
    if !args.quiet {
        report.notes.iter().for_each(|text| note(&format!("note: {text}")));
    }
    Ok(())
}

/// 2 when something could not be checked, else 1 when findings are left, else 0.
fn exit_code(report: &Report, settings: &Settings) -> ExitCode {
    if !report.errors.is_empty() || !report.unchecked.is_empty() {
        ExitCode::from(UNCHECKED)
    } else if report.findings.iter().any(|finding| finding.severity >= settings.fail_on) {
        ExitCode::from(1)
    } else {
        ExitCode::SUCCESS
    }
}

/// `1 file`, `2 files`.
fn count(number: usize, what: &str) -> String {
    if number == 1 { format!("1 {what}") } else { format!("{number} {what}s") }
}
