//! `joblint upgrade`.

use std::process::ExitCode;

use super::{Error, args::UpgradeArgs, check, session::Session};
use crate::{
    chart,
    report::RedactedReport,
    upgrade::{ChartRequest, Request, upgrade},
};

/// Compares two versions, on a thread whose stack is large enough to render charts.
pub(crate) fn run(arguments: &UpgradeArgs) -> Result<ExitCode, Error> {
    chart::with_stack(|| compare(arguments)).map_err(Error::Thread)?
}

fn compare(arguments: &UpgradeArgs) -> Result<ExitCode, Error> {
    let shared = arguments.check();
    let session = Session::of_check(&shared)?;
    let request = Request {
        base: arguments.base.clone(),
        path: arguments.path.clone(),
        chart: ChartRequest {
            name: arguments.name.clone(),
            namespace: arguments.namespace.clone(),
            ..ChartRequest::default()
        },
        secrets: session.request.secrets.clone(),
    };
    let report = RedactedReport::new(upgrade(&request, &session.settings));
    check::finish(&shared, report, &session.settings)
}
