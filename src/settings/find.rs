//! Finds the settings file of a run.

use std::path::PathBuf;

use super::file;
use crate::discover::relative;

/// The nearest settings file, searching upwards from the common folder of the paths to the repository root.
pub(crate) fn find(paths: &[PathBuf]) -> Option<PathBuf> {
    let base = std::env::current_dir().ok()?;
    let folder = |path: &PathBuf| {
        let absolute = base.join(path);
        if absolute.is_dir() { absolute } else { absolute.parent().unwrap_or(&base).to_owned() }
    };
    let mut folders = paths.iter().map(folder);
    let mut common = folders.next()?;
    for folder in folders {
        while !folder.starts_with(&common) && common.pop() {}
    }
    for folder in common.ancestors() {
        let candidate = folder.join(file::NAME);
        // A link counts wherever it leads: reading it says what is wrong.
        if candidate.symlink_metadata().is_ok_and(|found| !found.is_dir()) {
            return Some(relative(&candidate, &base));
        }
        if folder.join(".git").exists() {
            return None;
        }
    }
    None
}
