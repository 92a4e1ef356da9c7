//! Reads ordinary files of limited size.
//!
//! Whoever wrote a repository chose where its links lead: reading a device may never end, and opening a pipe may
//! never return.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use crate::Refusal;

/// The largest file that is read, in bytes. A manifest is at most a few MB.
pub const MAX_SIZE: u64 = 256 << 20;

/// Opens an ordinary file. A directory opens too; reading from it fails.
///
/// # Errors
/// The file does not exist, cannot be opened, or is a device, a pipe or a socket.
pub fn open(path: &Path) -> Result<File, Refusal> {
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_file() && !kind.is_dir() {
        return Err(Refusal::Irregular);
    }
    Ok(File::open(path)?)
}

/// The content of an ordinary file of at most [`MAX_SIZE`].
///
/// # Errors
/// Those of [`open`] and of reading, and [`Refusal::TooLarge`].
pub fn read(path: &Path) -> Result<Vec<u8>, Refusal> {
    let file = open(path)?;
    let size = file.metadata()?.len();
    read_all(file, size)
}

/// The content of an open ordinary file of at most [`MAX_SIZE`], which had this size in bytes when it was looked up.
pub(crate) fn read_all(file: File, size: u64) -> Result<Vec<u8>, Refusal> {
    if size > MAX_SIZE {
        return Err(Refusal::TooLarge(MAX_SIZE));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    // Files of the system do not know their size.
    let limit = if size == 0 { MAX_SIZE + 1 } else { size };
    file.take(limit).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_SIZE {
        true => Err(Refusal::TooLarge(MAX_SIZE)),
        false => Ok(bytes),
    }
}

/// The content of a UTF-8 file.
///
/// # Errors
/// Those of [`read`], and [`std::io::ErrorKind::InvalidData`] when the content is not UTF-8.
pub fn read_to_string(path: &Path) -> Result<String, Refusal> {
    text(read(path)?)
}

/// Bytes as text.
pub(crate) fn text(bytes: Vec<u8>) -> Result<String, Refusal> {
    String::from_utf8(bytes)
        .map_err(|_| std::io::Error::from(std::io::ErrorKind::InvalidData).into())
}
