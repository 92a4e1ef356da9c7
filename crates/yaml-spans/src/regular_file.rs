//! Reads the files that a repository names, without following a name into a device or a pipe.
//!
//! Whoever wrote the repository chose where its links lead: reading a device may never end, and opening a
//! pipe may never return.

use std::{
    fs::{self, File},
    io::{self, Read},
    path::Path,
};

/// Opens a regular file. A directory opens too; reading from it fails.
///
/// # Errors
/// Those of [`File::open`], and [`io::ErrorKind::InvalidInput`] for a device, a pipe or a socket.
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
/// Those of [`open`] and of reading.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The content of a UTF-8 file.
///
/// # Errors
/// Those of [`read`], and [`io::ErrorKind::InvalidData`] when the content is not UTF-8.
pub fn read_to_string(path: &Path) -> io::Result<String> {
    let mut text = String::new();
    open(path)?.read_to_string(&mut text)?;
    Ok(text)
}
