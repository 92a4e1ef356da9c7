//! `joblint baseline`.

use std::process::ExitCode;

use super::{Error, args::CheckArgs, note, output::replace_file, session::Session};
use crate::{baseline, check, report::RedactedReport, settings::Settings};

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Error> {
    let session = Session::of_check(args)?;
    let path = session.settings.baseline_path();
    let settings = Settings { baseline: None, ..session.settings };
    let report = check::check_all(&session.request, &settings);
    if !report.errors.is_empty() {
        let error = RedactedReport::new(report).errors.first().cloned();
        return Err(Error::Unchecked(error.unwrap_or_default()));
    }
    replace_file(&path, &baseline::write(&report.findings))?;
    note(&format!("{}: {} findings accepted", path.display(), report.findings.len()));
    Ok(ExitCode::SUCCESS)
}
