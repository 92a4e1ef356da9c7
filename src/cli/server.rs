//! `joblint server`.

use std::{io, process::ExitCode};

use super::{Error, UNCHECKED};
use crate::server;

/// Serves an editor until it leaves. An editor that leaves without a word is an error, as the protocol wants it.
pub(crate) fn run() -> Result<ExitCode, Error> {
    match server::serve(io::stdin(), io::stdout().lock()) {
        Ok(true) => Ok(ExitCode::SUCCESS),
        Ok(false) => Ok(ExitCode::FAILURE),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(ExitCode::FAILURE),
        Err(error) => {
            super::note(&format!("error: {error}"));
            Ok(ExitCode::from(UNCHECKED))
        }
    }
}
