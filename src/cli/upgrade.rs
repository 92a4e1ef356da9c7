//! `joblint upgrade`.

use std::process::ExitCode;

use super::{UNCHECKED, args::UpgradeArgs, check, fail, render::STACK, session::Session};
use crate::upgrade::{ChartRequest, Request, upgrade};

/// Compares the two versions; charts are rendered, which needs a stack of its own.
pub fn run(arguments: &UpgradeArgs) -> ExitCode {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK);
        match thread.spawn_scoped(scope, || compare(arguments)) {
            Ok(thread) => thread.join().unwrap_or(ExitCode::from(UNCHECKED)),
            Err(error) => fail(&error.to_string()),
        }
    })
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
            values: arguments.values.clone(),
            flags: arguments.flags(),
            ..ChartRequest::default()
        },
    };
    check::finish(&shared, upgrade(&request, &session.settings), &session.settings)
}
