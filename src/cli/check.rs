//! `joblint check`.

use std::{collections::BTreeSet, process::ExitCode};

use super::{
    Error, UNCHECKED,
    args::{CheckArgs, Output, Printed},
    note,
    output::styled,
    print,
    session::Session,
    waiting::Waiting,
    watch,
    write::{self, replace_text},
};
use crate::{
    add_ignores,
    autofix::{self, FileChange},
    check,
    discover::{Request, shown},
    finding::{Applicability, Severity},
    merge,
    report::{self, Format, Options, RedactedReport, Style},
    results::Report,
    settings::Settings,
    trail,
    words::count,
};

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Error> {
    if args.watch {
        return watch::run(args);
    }
    let session = Session::of_check(args)?;
    if args.list_files {
        return Ok(list_files(&session));
    }
    if args.verbose {
        note(&session.about_settings());
    }
    let waiting = Waiting::on(&session.request.progress, args.quiet);
    if args.edits() {
        return fix(args, &session, waiting);
    }
    let (request, settings) = (&session.request, &session.settings);
    let report = match request.shard {
        None => RedactedReport::new(check::check(request, settings)),
        Some(shard) => {
            let result = merge::check_shard(request, settings, shard);
            remarks(&result.checked, args);
            result.report
        }
    };
    drop(waiting);
    finish(args, report, settings)
}

fn list_files(session: &Session) -> ExitCode {
    let (files, errors) = trail::files(&session.request);
    let lines: String = files.iter().map(|file| format!("{}\n", report::one_line(file))).collect();
    print(&report::safe(&lines));
    errors.iter().for_each(|error| note(&format!("error: {error}")));
    if errors.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(UNCHECKED) }
}

/// Applies fixes and adds ignores, or prints both as a diff; then reports the findings that are left.
fn fix(args: &CheckArgs, session: &Session, waiting: Waiting) -> Result<ExitCode, Error> {
    let allowed = if args.unsafe_fixes { Applicability::Unsafe } else { Applicability::Safe };
    let (request, settings) = (&session.request, &session.settings);
    let fixed = match &args.add_ignore {
        None => autofix::fix(request, settings, allowed),
        Some(reason) => {
            let fixed = args.fix.then(|| autofix::fix(request, settings, allowed));
            add_ignores::add(fixed.unwrap_or_default(), request, settings, reason)
        }
    };
    drop(waiting);
    if args.diff {
        let code = ExitCode::from(u8::from(!fixed.files.is_empty()));
        print(&fixed.diff());
        return Ok(code);
    }
    let boundary = session.request.boundary();
    let mut written = Written::default();
    let mut left = Vec::new();
    for (path, text) in &session.request.texts {
        match fixed.files.get(path) {
            Some(file) => print(&file.after),
            None => print(&String::from_utf8_lossy(text)),
        }
    }
    for (path, file) in &fixed.files {
        let result = match session.request.texts.contains_key(path) {
            true => Ok(()),
            false => replace_text(path, &file.before, &file.after, &boundary),
        };
        match result {
            Ok(()) => written.add(file),
            Err(error) => left.push(format!("{}: {error}: not fixed", shown(path))),
        }
    }
    if !args.quiet {
        written.texts().iter().for_each(|text| note(text));
    }
    let mut report = fixed.report;
    report.notes.extend(unfixable_names(&report));
    if !left.is_empty() {
        // What is left alone is as it was, or as somebody else has made it.
        report = check::check(&session.request, &session.settings);
        report.errors.extend(left);
    }
    finish(args, RedactedReport::new(report), &session.settings)
}

/// How many fixes and ignores were written, and into how many files.
#[derive(Default)]
struct Written {
    fixes: (usize, usize),
    ignores: (usize, usize),
}

impl Written {
    fn add(&mut self, file: &FileChange) {
        for (sum, own) in [(&mut self.fixes, file.fixes), (&mut self.ignores, file.ignores)] {
            *sum = (sum.0 + own, sum.1 + usize::from(own > 0));
        }
    }

    fn texts(&self) -> Vec<String> {
        let all = [("Fixed", "problem", self.fixes), ("Added", "ignore", self.ignores)];
        let some = all.into_iter().filter(|(_, _, (number, _))| *number > 0);
        let text = |(done, noun, (number, files))| {
            format!("{done} {} in {}", count(number, noun), count(files, "file"))
        };
        some.map(text).collect()
    }
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
    report: RedactedReport,
    settings: &Settings,
) -> Result<ExitCode, Error> {
    remarks(&report, args);
    print_report(&args.printed(), &report, settings.fail_on)
}

/// Prints what the run says about itself to standard error.
fn remarks(report: &RedactedReport, args: &CheckArgs) {
    if args.quiet {
        return;
    }
    if args.verbose {
        report.trail.iter().for_each(|(title, text)| note(&format!("{title}: {text}")));
    }
    if report.remarks.len() > MOST_REMARKS && !args.verbose {
        let broken = count(report.remarks.len(), "broken chart or file");
        note(&format!("note: {broken} without Jobs or hooks: not checked; `--verbose` names them"));
    } else {
        report.remarks.iter().for_each(|(_, text)| note(&format!("note: {text}")));
    }
    report::skipped(report).iter().for_each(|text| note(&format!("note: {text}")));
    report.notes.iter().for_each(|text| note(&format!("note: {text}")));
}

/// The most remarks that are printed one by one.
const MOST_REMARKS: usize = 3;

/// Prints the errors, the findings and the summary, and returns the exit code.
pub(crate) fn print_report(
    printed: &Printed<'_>,
    report: &RedactedReport,
    fail_on: Severity,
) -> Result<ExitCode, Error> {
    let exit_code = match exit_code(report, fail_on) {
        1 if printed.exit_zero => 0,
        code => code,
    };
    for error in &report.errors {
        note(&format!("error: {error}"));
    }
    let styles = (Style::of_stdout(printed.color), Style::of_stderr(printed.color));
    write(printed, report, Options { style: styles.0, exit_code, fail_on })?;
    if !printed.quiet {
        styled(&report::summary(report, &styles.1));
    }
    Ok(ExitCode::from(exit_code))
}

fn write(args: &Printed<'_>, report: &RedactedReport, terminal: Options) -> Result<(), Error> {
    let standard = [Output { format: Format::Full, path: None }];
    let outputs = if args.output.is_empty() { &standard[..] } else { args.output };
    let paths = if args.paths.is_empty() { vec![".".into()] } else { args.paths.to_vec() };
    let checked = Request { paths, ..Request::default() }.boundary();
    for output in outputs {
        let Some(path) = &output.path else {
            let text = match args.statistics {
                true => report::statistics(report, output.format, &terminal.style),
                false => report::print(report, output.format, &terminal),
            };
            // The fixed text has standard output to itself.
            match args.to_standard_error {
                true => styled(text.trim_end()),
                false => print(&text),
            }
            continue;
        };
        let options = Options { style: Style::default(), ..terminal };
        write::output(path, &report::print(report, output.format, &options), &checked)
            .map_err(|source| Error::Write { path: path.clone(), source })?;
    }
    Ok(())
}

/// 2 when something could not be checked, else 1 when findings are left, else 0.
fn exit_code(report: &Report, fail_on: Severity) -> u8 {
    if !report.errors.is_empty() || !report.unchecked.is_empty() {
        UNCHECKED
    } else {
        u8::from(report.findings.iter().any(|finding| finding.severity >= fail_on))
    }
}
