//! `joblint baseline`.

use std::process::ExitCode;

use super::{
    Error, args::CheckArgs, note, session::Session, waiting::Waiting, write::replace_or_create,
};
use crate::{baseline, check, report::RedactedReport, settings::Settings};

pub(crate) fn run(args: &CheckArgs) -> Result<ExitCode, Error> {
    if args.shard.is_some() {
        return Err(Error::BaselineOfShard);
    }
    let session = Session::of_check(args)?;
    let path = session.settings.baseline_path();
    let boundary = session.settings.baseline_boundary();
    let settings = Settings { baseline: None, ..session.settings };
    let waiting = Waiting::on(&session.request.progress, args.quiet);
    let report = check::check_all(&session.request, &settings);
    drop(waiting);
    if !report.errors.is_empty() {
        let error = RedactedReport::new(report).errors.first().cloned();
        return Err(Error::Unchecked(error.unwrap_or_default()));
    }
    // The settings of the repository name the file, so anything but a baseline is kept.
    if path.symlink_metadata().is_ok() {
        baseline::read_file(&path, &boundary).map_err(Error::NoBaseline)?;
    }
    replace_or_create(&path, &baseline::write(&report.findings), &boundary)
        .map_err(|source| Error::Write { path: path.clone(), source })?;
    note(&format!("{}: {} findings accepted", path.display(), report.findings.len()));
    Ok(ExitCode::SUCCESS)
}
