//! `joblint check`.

use std::{io::Read, path::PathBuf, process::ExitCode};

use super::{args::CheckArgs, note, print};
use crate::{
    check::{self, Report},
    discover::Request,
    mask::Masked,
    report::{self, Color, Format, Options, Style},
    settings::Settings,
};

pub fn run(args: &CheckArgs) -> ExitCode {
    let settings = Settings {
        deployers: args.deployer.clone(),
        pedantic: args.pedantic,
        ..Settings::default()
    };
    let report = check::check(&request(args), &settings);
    let exit_code = exit_code(&report, &settings);
    let summary = report::summary(&report, &Style::of_stderr(Color::Auto));
    let report = Masked::new(report);
    let options = Options { style: Style::of_stdout(Color::Auto), exit_code };
    print(&report::print(&report, args.output, &options));
    for line in
        report.errors.iter().map(|error| format!("error: {error}")).chain(report.notes.clone())
    {
        note(&line);
    }
    if args.output == Format::Full {
        note(&summary);
    }
    ExitCode::from(exit_code)
}

fn request(args: &CheckArgs) -> Request {
    let mut request =
        Request { paths: args.paths.clone(), base: PathBuf::new(), ..Request::default() };
    if request.paths.iter().any(|path| path.as_os_str() == "-") {
        let mut bytes = Vec::new();
        let _ = std::io::stdin().lock().read_to_end(&mut bytes);
        let name = args.stdin_filename.clone().unwrap_or_else(|| "<stdin>".into());
        request.stdin = Some((name, bytes));
    }
    if request.paths.is_empty() {
        request.paths.push(".".into());
    }
    request
}

/// 2 when something could not be checked, else 1 when findings are left, else 0.
fn exit_code(report: &Report, settings: &Settings) -> u8 {
    if !report.errors.is_empty() || !report.unchecked.is_empty() {
        2
    } else {
        u8::from(report.findings.iter().any(|finding| finding.severity >= settings.fail_on))
    }
}
