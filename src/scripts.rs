//! Scripts of a repository that fill in a manifest before they apply it.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    discover::{can_hold_manifests, is_script},
    unit::{Boundary, Unit},
};

/// The programs that fill in a file.
const PROGRAMS: [&str; 4] = ["envsubst", "jq", "sed", "yq"];

/// The most folders above a manifest to look into.
const MOST: usize = 8;

/// The most bytes of scripts that are read in a folder: those of the first names.
const MOST_BYTES: u64 = 256 << 10;

/// The scripts of the folders that were looked into.
#[derive(Debug, Default)]
pub(crate) struct Scripts(Mutex<HashMap<PathBuf, Arc<[String]>>>);

impl Scripts {
    /// Whether a script in the folder of a manifest, or in one above it, names the manifest and a program that fills it in.
    pub(crate) fn fill_in(&self, manifest: &str, unit: &Unit) -> bool {
        let Some(file) = unit.files.iter().find(|file| file.shown == manifest) else {
            return false;
        };
        let name = file.path.file_name().and_then(|name| name.to_str());
        let mut folders = file.path.ancestors().skip(1).take(MOST);
        name.is_some_and(|name| {
            folders.any(|folder| {
                let scripts = self.of(folder, &unit.boundary);
                scripts.iter().any(|script| fills(script, name))
            })
        })
    }

    fn of(&self, folder: &Path, boundary: &Boundary) -> Arc<[String]> {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(here.to_owned()).or_insert_with(|| read(here, boundary).into()).clone()
    }
}

fn read(folder: &Path, boundary: &Boundary) -> Vec<String> {
    if !boundary.spells(folder) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| may_be_script(path));
    paths.sort();
    let mut left = MOST_BYTES;
    let texts = paths.into_iter().filter_map(|path| {
        left = left.checked_sub(fs::metadata(&path).ok()?.len())?;
        boundary.read_to_string(&path).ok()
    });
    texts.collect()
}

/// Whether a file is a script by its ending, or has none, as a Makefile.
fn may_be_script(path: &Path) -> bool {
    !can_hold_manifests(path) && (is_script(path) || path.extension().is_none()) && path.is_file()
}

/// Whether a text names a file and one of the programs, outside lines of comment.
fn fills(script: &str, file: &str) -> bool {
    let lines = || script.lines().filter(|line| !line.trim_start().starts_with('#'));
    let names = |word: &str| script.contains(word) && lines().any(|line| holds_word(line, word));
    names(file) && PROGRAMS.into_iter().any(names)
}

/// Whether a line holds a word that is no part of a longer one; a folder may stand before it.
fn holds_word(line: &str, word: &str) -> bool {
    let is_part = |one: char| one.is_alphanumeric() || "._-".contains(one);
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(is_part) && !line[at + word.len()..].starts_with(is_part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_fills_in_a_file_that_it_names_with_such_a_program() {
        for script in [
            "yq e -i '.spec.template.spec.containers[0].image=strenv(IMAGE)' job.yaml",
            "envsubst < deploy/job.yaml | kubectl apply -f -",
            "cat job.yaml | sed -e s/IMAGE/app/ | kubectl create -f -",
            "FILE=job.yaml\njq . \"$FILE\"",
        ] {
            assert!(fills(script, "job.yaml"), "{script}");
        }
        for script in [
            "kubectl apply -f job.yaml",
            "yq . cron-job.yaml",
            "# sed\nkubectl apply -f job.yaml",
            "parsed job.yaml",
            "yq . job.yaml.bak",
        ] {
            assert!(!fills(script, "job.yaml"), "{script}");
        }
    }
}
