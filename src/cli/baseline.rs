//! `joblint baseline`.

use std::process::ExitCode;

use super::{args::CheckArgs, fail, note, session::Session};
use crate::{autofix, baseline, check};

pub fn run(args: &CheckArgs) -> ExitCode {
    let session = match Session::new(args) {
        Ok(session) => session,
        Err(error) => return fail(&error),
    };
    let path = session.settings.baseline_path();
    let settings = crate::settings::Settings { baseline: None, ..session.settings };
    let report = check::check_all(&session.request, &settings);
    if let Some(error) = report.errors.first() {
        return fail(error);
    }
    let text = baseline::write(&report.findings);
    if let Err(error) = autofix::write(&path, &text) {
        return fail(&format!("{}: {error}", path.display()));
    }
    note(&format!("{}: {} findings accepted", path.display(), report.findings.len()));
    ExitCode::SUCCESS
}
