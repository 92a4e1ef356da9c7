//! `joblint upgrade`.

use std::process::ExitCode;

use super::{args::UpgradeArgs, check, fail, session::Session};
use crate::{
    chart,
    upgrade::{ChartRequest, Request, upgrade},
};

/// Compares the two versions; charts are rendered, which needs a stack of its own.
pub fn run(arguments: &UpgradeArgs) -> ExitCode {
    chart::with_stack(|| compare(arguments)).unwrap_or_else(|error| fail(&error.to_string()))
}

fn compare(arguments: &UpgradeArgs) -> ExitCode {
    let shared = arguments.check();
    let session = match Session::new(&shared) {
        Ok(session) => session,
        Err(error) => return fail(&error),
    };
    let request = Request {
        base: arguments.base.clone(),
        path: arguments.path.clone(),
        chart: ChartRequest {
            name: arguments.name.clone(),
            namespace: arguments.namespace.clone(),
            ..ChartRequest::default()
        },
    };
    check::finish(&shared, upgrade(&request, &session.settings), &session.settings)
}
