//! Where verbs print: standard output and standard error.

use std::{
    io::{self, Write},
    sync::OnceLock,
};

use crate::report;

/// The first error of standard output.
static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Writes to standard output. A closed pipe ends the output, not the run; any other error is kept for [`failure`].
pub(crate) fn print(text: &str) {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => _ = FAILED.set(error),
        _ => {}
    }
}

/// Why standard output is incomplete, for example because the disk is full.
pub(crate) fn failure() -> Option<&'static io::Error> {
    FAILED.get()
}

/// Writes a line to standard error. Text of files in it cannot move the cursor or give commands to a CI system.
pub(crate) fn note(text: &str) {
    styled(&report::safe(text));
}

/// Writes a line in colours to standard error.
pub(crate) fn styled(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
