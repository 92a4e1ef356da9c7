//! Where verbs write: standard output, standard error, files.

use std::{
    fs,
    io::{self, Write},
    path::Path,
};

use super::Error;
use crate::report;

/// Writes to standard output. A closed pipe ends the output, not the run.
pub(crate) fn print(text: &str) {
    let _ = io::stdout().lock().write_all(text.as_bytes());
}

/// Writes a line to standard error. Text of files in it cannot move the cursor or give commands to a CI system.
pub(crate) fn note(text: &str) {
    styled(&report::safe(text));
}

/// Writes a line in colours to standard error.
pub(crate) fn styled(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Replaces a file atomically. Symbolic links and permissions are preserved.
///
/// # Errors
/// The file system's error; the old file is then unchanged.
pub(crate) fn replace_file(path: &Path, text: &str) -> Result<(), Error> {
    replace(path, text).map_err(|source| Error::Write { path: path.to_owned(), source })
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let part = path.with_file_name(format!(".{name}.joblint-{}", std::process::id()));
    let written = (|| {
        let mut file = fs::File::create(&part)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        if let Ok(old) = fs::metadata(&path) {
            fs::set_permissions(&part, old.permissions())?;
        }
        fs::rename(&part, &path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}
