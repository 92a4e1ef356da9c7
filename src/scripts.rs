//! Scripts of a repository that fill in a manifest before they apply it, apply it, or write a file that it lacks.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    discover::{absolute, can_hold_manifests, is_script, normal},
    unit::{Boundary, Unit},
};

/// The programs that fill in a file.
const PROGRAMS: [&str; 4] = ["envsubst", "jq", "sed", "yq"];

/// Words of scripts and pipelines that publish the charts of a repository.
pub(crate) const PUBLISHERS: [&str; 9] = [
    "chart-releaser",
    "cr package",
    "helm cm-push",
    "helm package",
    "helm push",
    "helm repo index",
    "helm-gh-pages",
    "helm3 package",
    "helm3 repo index",
];

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

/// The script or guide in the folder of a missing file, or in one above it, that writes the file.
pub(crate) fn writer(missing: &Path, boundary: &Boundary) -> Option<PathBuf> {
    let mut all = serving(missing, boundary);
    all.find(|(_, _, text)| writes(text, missing)).map(|(_, path, _)| path)
}

/// Whether a script or guide applies the manifests of a folder with `kubectl`, as they are.
pub(crate) fn applies(unit: &Unit) -> bool {
    let Some(first) = unit.files.first().map(|file| absolute(&file.path)) else { return false };
    let folder = first.parent().unwrap_or(&first);
    is_applied(&first, &unit.boundary, |path| {
        path == folder || path.parent() == Some(folder) && path.is_file()
    })
}

/// Whether a script or guide applies this very file with `kubectl`.
pub(crate) fn apply_file(path: &Path, boundary: &Boundary) -> bool {
    let file = absolute(path);
    is_applied(&file, boundary, |path| path == file)
}

/// Whether a script or guide that serves a file applies such a path.
fn is_applied(file: &Path, boundary: &Boundary, is_own: impl Fn(&Path) -> bool) -> bool {
    let mut all = serving(file, boundary);
    all.any(|(from, script, text)| {
        applied(&text).any(|named| {
            let mut bases = [Some(&*from), script.parent()].into_iter().flatten();
            bases.any(|base| is_own(&normal(&base.join(named))))
        })
    })
}

/// The scripts and guides in the folder of a file and in those above it: the folder, the path and the text.
pub(crate) fn serving<'a>(
    file: &'a Path,
    boundary: &'a Boundary,
) -> impl Iterator<Item = (PathBuf, PathBuf, String)> + 'a {
    let above = file.ancestors().skip(1).take(MOST);
    let folders = above.flat_map(|folder| FOLDERS.map(|below| (folder, folder.join(below))));
    folders.flat_map(|(from, folder)| {
        let is_told = |path: &Path| may_be_script(path) || is_guide(path);
        let texts = texts(&folder, boundary, MOST_BYTES, is_told);
        texts.into_iter().map(|(path, text)| (from.to_owned(), path, text))
    })
}

/// What a recipe or a script calls `kubectl`.
pub(crate) const CLIENTS: [&str; 3] = ["$(KUBECTL)", "kubectl", "oc"];

/// Its subcommands that create what a file says.
const APPLY: [&str; 3] = ["apply", "create", "replace"];

/// Its options before a file or folder.
const FILES: [&str; 3] = ["--filename", "-Rf", "-f"];

/// The file or folder that each line of a script applies.
fn applied(script: &str) -> impl Iterator<Item = &str> {
    lines(script).filter_map(|line| {
        let words = line.split_whitespace().map(|word| word.trim_matches(ENDS));
        let mut words = words.map(|word| word.trim_start_matches('@'));
        let is_applied = words.any(|word| CLIENTS.contains(&word))
            && words.clone().any(|word| APPLY.contains(&word));
        let path = words.skip_while(|word| !FILES.contains(word)).nth(1);
        path.filter(|_| is_applied).map(|path| path.trim_end_matches("*.yaml"))
    })
}

/// The folders of scripts, pipelines and guides, seen from one that they serve.
const FOLDERS: [&str; 6] = ["", ".github/workflows", "bin", "docs", "hack", "scripts"];

fn read(folder: &Path, boundary: &Boundary) -> Vec<String> {
    texts(folder, boundary, MOST_BYTES, may_be_script).into_iter().map(|(_, text)| text).collect()
}

/// The files of a folder that may be what is looked for, up to so many bytes of them, with their texts.
pub(crate) fn texts(
    folder: &Path,
    boundary: &Boundary,
    mut left: u64,
    may_be: impl Fn(&Path) -> bool,
) -> Vec<(PathBuf, String)> {
    if !boundary.spells(folder) {
        return Vec::new();
    }
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| may_be(path));
    // A long guide must not leave no room for the others.
    paths.sort_by_cached_key(|path| {
        (is_markdown(path) && !path.ends_with("README.md"), path.clone())
    });
    let texts = paths.into_iter().filter_map(|path| {
        left = left.checked_sub(fs::metadata(&path).ok()?.len())?;
        let text = boundary.read_to_string(&path).ok()?;
        Some((path, text))
    });
    texts.collect()
}

/// Whether a file says to people, or to a pipeline, what to run.
fn is_guide(path: &Path) -> bool {
    is_pipeline(path) || is_markdown(path) && !is_log(path)
}

pub(crate) fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

/// Whether a file tells what was, and not what to do.
fn is_log(path: &Path) -> bool {
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default().to_lowercase();
    ["changelog", "changes", "history", "release"].iter().any(|word| name.starts_with(word))
}

/// What CI systems call the file with their pipelines.
const PIPELINES: [&str; 10] = [
    ".drone.yaml",
    ".drone.yml",
    ".gitlab-ci.yml",
    ".razorops.yaml",
    ".travis.yml",
    ".woodpecker.yaml",
    ".woodpecker.yml",
    "azure-pipelines.yml",
    "bitbucket-pipelines.yml",
    "cloudbuild.yaml",
];

/// Whether a file is a pipeline: that of a CI system, or a workflow of GitHub.
pub(crate) fn is_pipeline(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    PIPELINES.contains(&name) || path.parent().is_some_and(|folder| folder.ends_with(FOLDERS[1]))
}

/// Whether a file is a script by its ending, or has none, as a Makefile.
pub(crate) fn may_be_script(path: &Path) -> bool {
    !can_hold_manifests(path) && (is_script(path) || path.extension().is_none()) && path.is_file()
}

/// A script with each command on one line, where backslashes continue it.
pub(crate) fn unfolded(script: &str) -> String {
    script.replace("\\\n", " ")
}

/// The lines of a text that are no comments.
pub(crate) fn lines(script: &str) -> impl Iterator<Item = &str> {
    script.lines().filter(|line| !line.trim_start().starts_with('#'))
}

/// Whether a text names a file and one of the programs, outside lines of comment.
fn fills(script: &str, file: &str) -> bool {
    let names =
        |word: &str| script.contains(word) && lines(script).any(|line| holds_word(line, word));
    // What is put into a ConfigMap is data, which another program fills in.
    let is_data = |line: &str| line.contains("--from-file") && holds_word(line, file);
    names(file) && (PROGRAMS.into_iter().any(names) || lines(script).any(is_data))
}

/// Whether a text writes a file, outside lines of comment.
fn writes(script: &str, file: &Path) -> bool {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return false };
    let is_of = |line: &str| {
        line.match_indices(name).any(|(at, _)| {
            let end = at + name.len();
            let start = line[..at].rfind(ENDS).map_or(0, |before| before + 1);
            is_path_of(&line[start..end], file)
                && !line[end..].starts_with(is_of_name)
                && is_written(&line[..start], &line[end..])
        })
    };
    script.contains(name) && lines(&unfolded(script)).any(is_of)
}

/// What no path in a script goes on over.
pub(crate) const ENDS: [char; 9] = [' ', '\t', '"', '\'', '>', '=', '(', '|', '`'];

/// Whether a path in a script may be that of a file: what a variable stands for may be any folder.
fn is_path_of(path: &str, file: &Path) -> bool {
    let is_known = |part: &&str| !matches!(*part, "" | "." | "..") && !part.contains(['$', '*']);
    let known = path.rsplit('/').take_while(is_known);
    known.zip(file.iter().rev()).all(|(part, own)| own == part)
}

/// Programs that write the file which follows them, and options that name it.
const WRITERS: [&str; 8] = ["tee", "sponge", "-a", "-o", "-O", "-out", "--out", "--output"];

/// Programs that write the last file that they name.
const COPIERS: [&str; 3] = ["cp", "install", "mv"];

/// Whether a command writes the file between two parts of its line.
fn is_written(before: &str, after: &str) -> bool {
    let before = before.trim_end_matches(['"', '\'', ' ', '\t']);
    let command = before.rsplit([';', '&', '|', '(']).next().unwrap_or_default();
    let mut words = command.split_whitespace().skip_while(|word| !COPIERS.contains(word)).skip(1);
    let rest = after.trim_start_matches(['"', '\'', ' ', '`']);
    let is_last = rest.is_empty() || rest.starts_with([';', '&', '|', ')']);
    before.ends_with('>')
        || command
            .trim_end_matches('=')
            .split_whitespace()
            .last()
            .is_some_and(|word| WRITERS.contains(&word))
        || words.any(|word| !word.starts_with('-')) && is_last
}

pub(crate) fn is_of_name(one: char) -> bool {
    one.is_alphanumeric() || "._-".contains(one)
}

/// Whether a line holds a word that is no part of a longer one; a folder may stand before it.
pub(crate) fn holds_word(line: &str, word: &str) -> bool {
    words_at(line, word).next().is_some()
}

/// Where a text holds a word that is no part of a longer one.
pub(crate) fn words_at(text: &str, word: &str) -> impl Iterator<Item = usize> {
    text.match_indices(word).map(|(at, _)| at).filter(|at| {
        !text[..*at].ends_with(is_of_name) && !text[at + word.len()..].starts_with(is_of_name)
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

    #[test]
    fn a_script_writes_what_it_redirects_or_copies_to_a_path() {
        let file = Path::new("/shop/base/shop.env");
        for script in [
            "envsubst < a.env \\\n  | sponge \"${HERE}/base/shop.env\"",
            "cat <<END >base/shop.env",
            "cp shop.example.env shop.env && kubectl apply -k .",
            "sops -d secret.env | tee ./shop.env",
            "curl -o \"$DIR/shop.env\" https://shop.example",
            "yq . a.yaml --output=base/shop.env",
            "X=$(cp \"a b.env\" 'shop.env')",
        ] {
            assert!(writes(script, file), "{script}");
        }
        for script in [
            "cat base/shop.env",
            "# cp a.env shop.env",
            "echo > other/shop.env",
            "echo > shop.env.bak",
            "echo > my-shop.env",
            "cp shop.env backup/",
            "source shop.env",
        ] {
            assert!(!writes(script, file), "{script}");
        }
    }
}
