//! `joblint check`.

use std::process::ExitCode;

use super::{
    UNCHECKED,
    args::{CheckArgs, Output},
    fail, note, print,
    session::Session,
};
use crate::{
    autofix, check,
    finding::Applicability,
    report::{self, Format, Options, RedactedReport, Style},
    results::Report,
    settings::Settings,
    words::count,
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
    finish(args, report, &session.settings)
}

/// Fixes what may be fixed, then reports what is left.
fn repair(args: &CheckArgs, session: &Session) -> ExitCode {
    let allowed = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let repaired = autofix::repair(&session.request, &session.settings, allowed);
    if args.diff {
        print(&repaired.diff());
        return if repaired.changed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) };
    }
    for (path, file) in &repaired.changed {
        if session.request.texts.contains_key(path) {
            print(&file.after);
        } else if let Err(error) = autofix::write(path, &file.after) {
            return fail(&format!("{}: {error}", path.display()));
        }
    }
    if repaired.fixed > 0 && !args.quiet {
        let problems = count(repaired.fixed, "problem");
        note(&format!("Fixed {problems} in {}", count(repaired.changed.len(), "file")));
    }
    finish(args, repaired.report, &session.settings)
}

/// Prints a report in every format asked for; says how the run ended.
pub fn finish(args: &CheckArgs, report: Report, settings: &Settings) -> ExitCode {
    let exit_code = exit_code(&report, settings);
    for error in &report.errors {
        note(&format!("error: {error}"));
    }
    let styles = (Style::of_stdout(args.color), Style::of_stderr(args.color));
    let summary = report::summary(&report, &styles.1);
    let notes = report.notes.clone();
    if args.statistics {
        print(&report::statistics(&report, &styles.0));
    }
    if let Err(error) = write(args, report, exit_code, styles.0) {
        return fail(&error);
    }
    if !args.quiet {
        notes.iter().for_each(|text| note(&format!("note: {text}")));
        note(&summary);
    }
    ExitCode::from(exit_code)
}

fn write(args: &CheckArgs, report: Report, exit_code: u8, terminal: Style) -> Result<(), String> {
    let report = RedactedReport::new(report);
    let standard = [Output { format: Format::Full, path: None }];
    let outputs = if args.output.is_empty() { &standard[..] } else { &args.output };
    // Statistics stand for what would be printed.
    for output in outputs.iter().filter(|output| output.path.is_some() || !args.statistics) {
        let style = if output.path.is_none() { terminal } else { Style::default() };
        let text = report::print(&report, output.format, &Options { style, exit_code });
        match &output.path {
            None => print(&text),
            Some(path) => autofix::write(path, &text)
                .map_err(|error| format!("{}: {error}", path.display()))?,
        }
    }
    Ok(())
}

/// 2 when something could not be checked, else 1 when findings are left, else 0.
fn exit_code(report: &Report, settings: &Settings) -> u8 {
    if !report.errors.is_empty() || !report.unchecked.is_empty() {
        UNCHECKED
    } else {
        u8::from(report.findings.iter().any(|finding| finding.severity >= settings.fail_on))
    }
}
