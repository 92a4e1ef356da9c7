//! Regular files, which is what a repository at hand may name. Whoever wrote it chose where its links lead: a device never ends, and
//! a pipe never begins.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Opens a file.
///
/// # Errors
/// As [`File::open`], and when it is a device, a pipe or a socket.
pub fn open(path: &Path) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_file() || kind.is_dir() {
        return File::open(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

/// The content of a file.
///
/// # Errors
/// As [`open`], and what goes wrong while reading.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The content of a text file.
///
/// # Errors
/// As [`read`], and when the text is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}
