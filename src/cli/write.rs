//! Writes files. No other module does.
//!
//! The checked repository may hold links, devices and hard links that its author chose. A file is replaced by a
//! temporary one with a random name, which is created anew beside it and has its permissions from the start.

use std::{
    fmt,
    fs::{self, File, Metadata, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use file_boundary::{Boundary, Refusal};
use tempfile::NamedTempFile;

use super::print;

/// Why a file is not written.
#[derive(Debug)]
pub(crate) enum WriteError {
    /// The error of the file system.
    Io(io::Error),
    /// The path leads out of the repository, or is no ordinary file.
    Refused(Refusal),
    /// The permissions of the file allow nobody to write it.
    ReadOnly,
    /// Other names of the file would keep the old text.
    HardLinked,
    /// The new file could not be given to the owner of the old one.
    #[cfg_attr(
        not(unix),
        allow(dead_code, reason = "only Unix has owners that a write could change")
    )]
    Owner,
    /// The text is not the one that was checked.
    Changed,
    /// The file exists already.
    Exists,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::ReadOnly => f.write_str("is read-only"),
            Self::HardLinked => f.write_str("has another name (a hard link)"),
            Self::Owner => f.write_str("belongs to another user or group"),
            Self::Changed => f.write_str("has changed since it was checked"),
            Self::Exists => f.write_str("already exists"),
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => Some(error),
            Self::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Refusal> for WriteError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Io(error) => Self::Io(error),
            refusal => Self::Refused(refusal),
        }
    }
}

/// Creates a file that must not exist, not even as a link that leads nowhere.
pub(crate) fn create(path: &Path, text: &str) -> Result<(), WriteError> {
    let file = temporary(path, text, None)?;
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(failed) if failed.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(WriteError::Exists)
        }
        Err(failed) => Err(failed.error.into()),
    }
}

/// Replaces the text of a checked file, unless it is no longer `before`. Links inside the boundary are kept.
pub(crate) fn replace_text(
    path: &Path,
    before: &str,
    after: &str,
    boundary: &Boundary,
) -> Result<(), WriteError> {
    let (target, mut file, found) = replaceable(path, boundary)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    // Helm drops the byte order mark of a chart's file.
    let (mark, text) = match bytes.strip_prefix(BYTE_ORDER_MARK.as_bytes()) {
        Some(rest) if !before.starts_with(BYTE_ORDER_MARK) => (BYTE_ORDER_MARK, rest),
        _ => ("", &bytes[..]),
    };
    // Another link to the file has led here.
    if text == after.as_bytes() {
        return Ok(());
    }
    if text != before.as_bytes() {
        return Err(WriteError::Changed);
    }
    replace(&target, &format!("{mark}{after}"), Some(&found))
}

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Writes a file of joblint's own inside the boundary: replaces the old one, or creates it.
pub(crate) fn replace_or_create(
    path: &Path,
    text: &str,
    boundary: &Boundary,
) -> Result<(), WriteError> {
    boundary.check(path)?;
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, text),
        _ => {
            let (target, _, found) = replaceable(path, boundary)?;
            replace(&target, text, Some(&found))
        }
    }
}

/// Writes to a path of the command line. Devices, pipes and files with several names are written in place.
///
/// A link in the repository may not lead out of it: the command line names the link, and the repository decides where
/// it leads. It may lead to the harmless devices that stand for an output.
pub(crate) fn output(path: &Path, text: &str, checked: &Boundary) -> Result<(), WriteError> {
    if is_or_leads_to(path, STANDARD_OUTPUT) {
        print(text);
        return Ok(());
    }
    if !is_or_leads_to(path, HARMLESS) {
        let checked = if checked.spells(path) { checked.clone() } else { checked.with(path) };
        let is_in_git = path.components().any(|part| part.as_os_str() == ".git");
        match checked.check(path) {
            Err(Refusal::InGit) if is_in_git => {}
            result => result?,
        }
    }
    match fs::metadata(path) {
        Ok(found) if found.is_file() && is_read_only(&found) => Err(WriteError::ReadOnly),
        Ok(found) if found.is_file() && !is_shared(&found) => {
            replace(&fs::canonicalize(path)?, text, Some(&found))
                .or_else(|error| in_place_if_foreign(path, text, error))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => {
            create(path, text)
        }
        _ => in_place(path, text),
    }
}

/// Replacing the file behind standard output would cut off what is printed later.
const STANDARD_OUTPUT: &[&str] = &["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// What the links of a repository may lead to although it lies outside.
const HARMLESS: &[&str] = &["/dev/null", "/dev/full", "/dev/tty", "/dev/stderr", "/dev/fd/2"];

fn is_or_leads_to(path: &Path, devices: &[&str]) -> bool {
    let target = fs::read_link(path);
    let is_device = |device: &&str| {
        path == Path::new(device) || target.as_ref().is_ok_and(|to| to == Path::new(device))
    };
    devices.iter().any(is_device)
}

/// A file of another owner, or in a folder that is read-only, cannot be replaced by a new one.
fn in_place_if_foreign(path: &Path, text: &str, error: WriteError) -> Result<(), WriteError> {
    match error {
        WriteError::Owner => in_place(path, text),
        WriteError::Io(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            in_place(path, text)
        }
        error => Err(error),
    }
}

fn in_place(path: &Path, text: &str) -> Result<(), WriteError> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.write_all(text.as_bytes())?;
    match file.metadata()?.is_file() {
        true => Ok(file.sync_all()?),
        false => Ok(()),
    }
}

/// Opens a file that may be replaced: an ordinary, writable one with a single name. Returns its path without links.
fn replaceable(path: &Path, boundary: &Boundary) -> Result<(PathBuf, File, Metadata), WriteError> {
    let target = boundary.resolve(path)?;
    let found = fs::metadata(&target)?;
    if !found.is_file() {
        return Err(WriteError::Refused(Refusal::Irregular));
    }
    if is_read_only(&found) {
        return Err(WriteError::ReadOnly);
    }
    if is_shared(&found) {
        return Err(WriteError::HardLinked);
    }
    let file =
        OpenOptions::new().read(true).write(true).open(&target).map_err(|error| {
            match error.kind() {
                io::ErrorKind::PermissionDenied => WriteError::ReadOnly,
                _ => error.into(),
            }
        })?;
    Ok((target, file, found))
}

/// Replaces a file at once: a reader sees the old text or the new one.
fn replace(path: &Path, text: &str, old: Option<&Metadata>) -> Result<(), WriteError> {
    temporary(path, text, old)?.persist(path).map_err(|failed| failed.error)?;
    Ok(())
}

/// A new file beside `path` with a random name, and with the owner and the permissions of `old`. It is removed unless
/// it takes the place of `path`.
fn temporary(path: &Path, text: &str, old: Option<&Metadata>) -> Result<NamedTempFile, WriteError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".joblint-").suffix(".tmp");
    let permissions = old.map(Metadata::permissions).or_else(of_new_file);
    if let Some(permissions) = &permissions {
        builder.permissions(permissions.clone());
    }
    let mut file = builder.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    if let Some(old) = old {
        give(file.as_file(), old)?;
        file.as_file().set_permissions(old.permissions())?;
    }
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

/// The permissions of new files, before the mask of the process applies.
#[cfg(unix)]
fn of_new_file() -> Option<fs::Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn of_new_file() -> Option<fs::Permissions> {
    None
}

/// Gives a new file the owner and the group of the old one.
#[cfg(unix)]
fn give(file: &File, old: &Metadata) -> Result<(), WriteError> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = file.metadata()?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    fchown(file, Some(old.uid()), Some(old.gid())).map_err(|_| WriteError::Owner)
}

#[cfg(not(unix))]
fn give(_: &File, _: &Metadata) -> Result<(), WriteError> {
    Ok(())
}

/// Whether the permissions deny writing to the owner; they do not stop root.
fn is_read_only(found: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o200 == 0;
    #[cfg(not(unix))]
    return found.permissions().readonly();
}

/// Whether the file has several names.
fn is_shared(found: &Metadata) -> bool {
    #[cfg(unix)]
    return std::os::unix::fs::MetadataExt::nlink(found) > 1;
    #[cfg(not(unix))]
    {
        let _ = found;
        return false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with this text, and its boundary.
    fn file(text: &str) -> (tempfile::TempDir, PathBuf, Boundary) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.yaml");
        fs::write(&path, text).unwrap();
        let boundary = Boundary::around([folder.path()]);
        (folder, path, boundary)
    }

    #[test]
    fn a_file_that_has_changed_is_left_alone() {
        let (folder, path, boundary) = file("a: 2\n");
        let result = replace_text(&path, "a: 1\n", "a: 3\n", &boundary);
        assert!(matches!(result, Err(WriteError::Changed)), "{result:?}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 2\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        replace_text(&path, "a: 2\n", "a: 3\n", &boundary).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 3\n");
        replace_text(&path, "a: 2\n", "a: 3\n", &boundary).unwrap();
    }

    #[test]
    fn a_byte_order_mark_that_helm_drops_is_kept() {
        let (_folder, path, boundary) = file("\u{feff}a: 1\n");
        replace_text(&path, "a: 1\n", "a: 2\n", &boundary).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "\u{feff}a: 2\n");
        replace_text(&path, "\u{feff}a: 2\n", "\u{feff}a: 3\n", &boundary).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "\u{feff}a: 3\n");
    }

    #[test]
    fn a_file_that_exists_is_not_created() {
        let (folder, path, _) = file("a: 1\n");
        assert!(matches!(create(&path, "b"), Err(WriteError::Exists)));
        assert_eq!(fs::read_to_string(&path).unwrap(), "a: 1\n");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
