//! The `joblint` command.

use std::process::ExitCode;

/// A fifth of a render is asking for memory and giving it back; this takes a third of the time over it.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    joblint::cli::run()
}
