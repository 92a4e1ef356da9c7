//! Names that a repository holds: what no other place names, nothing there makes.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use crate::{
    discover::{self, absolute},
    scripts::is_of_name,
    unit::{Boundary, Unit},
};

/// The names that were looked for, by the root of the repository, and whether it names them more than once.
#[derive(Debug, Default)]
pub struct Mentions(Mutex<HashMap<(PathBuf, String), bool>>);

/// The most names that are looked for in one run, the most files, and the largest file that is read.
const MOST_NAMES: usize = 8;
const MOST_FILES: usize = 30_000;
const MOST_BYTES: u64 = 1 << 20;

/// The names in the repository of a unit.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub(crate) mentions: &'a Mentions,
    pub(crate) unit: &'a Unit,
}

impl Names<'_> {
    /// Whether the repository names something once only; `false` if that cannot be told.
    pub(crate) fn are_single(self, name: &str) -> bool {
        self.mentions.are_single(name, self.unit)
    }
}

impl Mentions {
    fn are_single(&self, name: &str, unit: &Unit) -> bool {
        let file = unit.files.first().map_or(&unit.root, |file| &file.path);
        let file = absolute(file);
        let Some(root) = file.ancestors().find(|folder| folder.join(".git").exists()) else {
            return false;
        };
        let key = (root.to_owned(), name.to_owned());
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MOST_NAMES && !known.contains_key(&key) {
            return false;
        }
        *known.entry(key).or_insert_with(|| is_single(name, root, &unit.boundary))
    }
}

fn is_single(name: &str, root: &Path, boundary: &Boundary) -> bool {
    let mut count = 0;
    for (index, path) in discover::all_files(root).enumerate() {
        let is_small = fs::metadata(&path).is_ok_and(|found| found.len() <= MOST_BYTES);
        // What is too large may hold it.
        if index >= MOST_FILES || !is_small && is_text(&path) {
            return false;
        }
        let text = is_small.then(|| boundary.read_to_string(&path).ok()).flatten();
        count += text.map_or(0, |text| mentions(&text, name));
        if count > 1 {
            return false;
        }
    }
    count == 1
}

/// Whether a file may be a manifest or a script, by its name.
fn is_text(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    ["md", "sh", "tf", "yaml", "yml"].contains(&ending)
}

fn mentions(text: &str, name: &str) -> usize {
    let is_whole = |at: usize| {
        !text[..at].ends_with(is_of_name) && !text[at + name.len()..].starts_with(is_of_name)
    };
    text.match_indices(name).filter(|(at, _)| is_whole(*at)).take(2).count()
}
