//! The `joblint` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    joblint::cli::run()
}
