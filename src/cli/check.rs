//! `joblint check`.

use std::{collections::BTreeSet, process::ExitCode};

use super::{
    Error, UNCHECKED,
    args::{CheckArgs, Output},
    note,
    output::styled,
    print,
    session::Session,
    write::{self, replace_text},
};
use crate::{
    autofix, check,
    discover::{Request, shown},
    finding::Applicability,
    report::{self, Format, Options, RedactedReport, Style},
    results::Report,
    settings::Settings,
    words::count,
};

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Error> {
    let session = Session::of_check(args)?;
    if args.fix || args.diff {
        return fix(args, &session);
    }
    let report = check::check(&session.request, &session.settings);
    finish(args, report, &session.settings)
}

/// Applies fixes, or prints them as a diff; then reports the findings that are left.
fn fix(args: &CheckArgs, session: &Session) -> Result<ExitCode, Error> {
    let allowed = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let fixed = autofix::fix(&session.request, &session.settings, allowed);
    if args.diff {
        let code = ExitCode::from(u8::from(!fixed.files.is_empty()));
        print(&fixed.diff());
        return Ok(code);
    }
    let boundary = session.request.boundary();
    let (mut problems, mut files, mut left) = (0, 0, Vec::new());
    for (path, file) in &fixed.files {
        let written = match session.request.texts.contains_key(path) {
            true => {
                print(&file.after);
                Ok(())
            }
            false => replace_text(path, &file.before, &file.after, &boundary),
        };
        match written {
            Ok(()) => (problems, files) = (problems + file.fixes, files + 1),
            Err(error) => left.push(format!("{}: {error}: not fixed", shown(path))),
        }
    }
    if files > 0 && !args.quiet {
        note(&format!("Fixed {} in {}", count(problems, "problem"), count(files, "file")));
    }
    let mut report = fixed.report;
    report.notes.extend(unfixable_names(&report));
    if !left.is_empty() {
        // What is left alone is as it was, or as somebody else has made it.
        report = check::check(&session.request, &session.settings);
        report.errors.extend(left);
    }
    finish(args, report, &session.settings)
}

/// Notes for the files whose names cannot be written as text: the text would be the name of another file.
fn unfixable_names(report: &Report) -> BTreeSet<String> {
    let sources = report.findings.iter().map(|finding| &finding.location.source);
    let odd = sources.filter(|source| !source.editable && source.path.contains("\\x"));
    odd.map(|source| format!("{}: its name is not UTF-8: not fixed", source.path)).collect()
}

/// Prints a report in every requested format and returns the exit code of the run.
pub(crate) fn finish(
    args: &CheckArgs,
    report: Report,
    settings: &Settings,
) -> Result<ExitCode, Error> {
    let exit_code = exit_code(&report, settings);
    let report = RedactedReport::new(report);
    for error in &report.errors {
        note(&format!("error: {error}"));
    }
    let styles = (Style::of_stdout(args.color), Style::of_stderr(args.color));
    if args.statistics {
        print(&report::statistics(&report, &styles.0));
    }
    write(args, &report, exit_code, styles.0)?;
    if !args.quiet {
        report.notes.iter().for_each(|text| note(&format!("note: {text}")));
        styled(&report::summary(&report, &styles.1));
    }
    Ok(ExitCode::from(exit_code))
}

fn write(
    args: &CheckArgs,
    report: &RedactedReport,
    exit_code: u8,
    terminal: Style,
) -> Result<(), Error> {
    let standard = [Output { format: Format::Full, path: None }];
    let outputs = if args.output.is_empty() { &standard[..] } else { &args.output };
    // Statistics replace the findings on standard output.
    let paths = if args.paths.is_empty() { vec![".".into()] } else { args.paths.clone() };
    let checked = Request { paths, ..Request::default() }.boundary();
    for output in outputs.iter().filter(|output| output.path.is_some() || !args.statistics) {
        let style = if output.path.is_none() { terminal } else { Style::default() };
        let text = report::print(report, output.format, &Options { style, exit_code });
        match &output.path {
            None => print(&text),
            Some(path) => write::output(path, &text, &checked)
                .map_err(|source| Error::Write { path: path.clone(), source })?,
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
