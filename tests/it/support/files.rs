//! Temporary folders of files.

use std::{fs, path::Path};

use tempfile::TempDir;
use walkdir::WalkDir;

/// A temporary folder with these files.
pub fn tree(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    folder
}

/// The same as a Git checkout with one remote. It has no history.
pub fn repository(remote: &str, files: &[(&str, &str)]) -> TempDir {
    let folder = tree(files);
    write(folder.path(), &[(".git/config", &format!("[remote \"origin\"]\n\turl = {remote}\n"))]);
    folder
}

/// Writes files below a folder and creates the folders they need.
pub fn write(folder: &Path, files: &[(&str, &str)]) {
    for (path, text) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// Copies the files below a folder over those of another.
pub fn copy(from: &Path, to: &Path) {
    for entry in WalkDir::new(from).into_iter().map(Result::unwrap) {
        let to = to.join(entry.path().strip_prefix(from).unwrap());
        match entry.file_type().is_dir() {
            true => fs::create_dir_all(to).unwrap(),
            false => fs::write(to, fs::read(entry.path()).unwrap()).unwrap(),
        }
    }
}

/// A path below a temporary folder, without that folder.
pub fn inside(path: &str) -> &str {
    path.split_once("/.tmp")
        .and_then(|(_, rest)| rest.split_once('/'))
        .map_or(path, |(_, path)| path)
}
