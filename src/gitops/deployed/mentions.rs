//! What scripts, pipelines, guides and objects name: somebody deploys it although no GitOps object does.

use std::{
    collections::{BTreeSet, HashSet},
    fs,
    path::{Path, PathBuf},
};

use rayon::prelude::*;

use super::{
    Repository, commands,
    live::Live,
    pattern::Pattern,
    words::{self, known_parts},
};
use crate::{
    discover::{self, can_hold_manifests, dependencies, normal, overlay},
    gitops::repository::address,
    scripts::{lines, unfolded},
};

/// The largest file that is read for this.
const MOST_BYTES: u64 = 256 << 10;

/// An object of Flux that edits the files of a folder, and deploys none.
const UPDATES: &str = "kind: ImageUpdateAutomation";

/// Words in front of the folder in which commands run.
const CHANGES: [&str; 6] = ["-C", "cd", "dir", "pushd", "working-directory", "workingDirectory"];

/// How many folders of one text are looked at.
const MOST_FOLDERS: usize = 16;

/// Which of some folders are named outside of the files whose GitOps objects are known.
pub(super) fn of(
    repository: &Repository<'_>,
    live: &Live,
    folders: &[PathBuf],
) -> HashSet<PathBuf> {
    if folders.is_empty() {
        return HashSet::new();
    }
    let search = Search { repository, live, folders };
    let files: Vec<_> = discover::all_files(&repository.tree.root).collect();
    files.par_iter().flat_map_iter(|path| search.named_in(path)).collect()
}

/// The commands that pack a folder as an artifact for Flux.
const PACKS: [&str; 3] = ["push artifact", "build artifact", "oras push"];

/// Whether a script, pipeline or guide of the repository packs artifacts.
pub(super) fn pack_artifacts(repository: &Repository<'_>) -> bool {
    let files: Vec<_> = discover::all_files(&repository.tree.root).collect();
    files.par_iter().filter_map(|path| read(path, repository)).any(|text| {
        let mut packs = PACKS.iter();
        packs.any(|words| text.contains(words))
    })
}

/// The text of a file that is not too large.
fn read(path: &Path, repository: &Repository<'_>) -> Option<String> {
    let is_small = fs::metadata(path).is_ok_and(|found| found.len() <= MOST_BYTES);
    is_small.then(|| repository.tree.boundary.read_to_string(path).ok()).flatten()
}

struct Search<'a> {
    repository: &'a Repository<'a>,
    live: &'a Live,
    folders: &'a [PathBuf],
}

impl Search<'_> {
    fn named_in(&self, path: &Path) -> Vec<PathBuf> {
        let Some(text) = read(path, self.repository) else { return Vec::new() };
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let folders = self.folders.iter();
        if discover::is_overlay_file(path) {
            return folders.filter(|one| self.is_used(path, &text, one)).cloned().collect();
        }
        if dependencies::is_list(path) {
            let named = dependencies::folders_in(path, &text);
            return folders.filter(|one| named.contains(one)).cloned().collect();
        }
        if can_hold_manifests(path) && overlay::may_hold_objects(&text) {
            if self.live.is_known(path) || text.contains(UPDATES) {
                return Vec::new();
            }
            let is_path_of = |one: &Path, own: &str| {
                lines(&text).any(|line| is_value(line, own))
                    || !path.starts_with(one) && is_path_in(&text, own)
            };
            let is_named = |one: &&PathBuf| {
                let beside = path.parent().and_then(|folder| one.strip_prefix(folder).ok());
                let beside = beside.map(discover::shown).filter(|inside| !inside.is_empty());
                is_path_of(one, &self.repository.inside(one))
                    || beside.is_some_and(|inside| is_path_of(one, &inside))
            };
            return folders.filter(is_named).cloned().collect();
        }
        self.told(path, name, &text)
    }

    /// Whether a kustomization builds a folder by the address of the repository, or renders a chart of its name.
    fn is_used(&self, path: &Path, text: &str, folder: &Path) -> bool {
        let tree = self.repository.tree;
        let own = self.repository.inside(folder);
        let remote = |word: &str| {
            let (place, _) = word.split_once('?').unwrap_or((word, ""));
            let place = address(&place.replacen(".git", "", 1));
            tree.remotes().iter().any(|remote| {
                let inside = place.strip_prefix(&**remote);
                inside.is_some_and(|inside| Pattern::of(inside.trim_matches('/')).is(&own))
            })
        };
        let is_chart = || {
            let name = folder.file_name().and_then(|name| name.to_str());
            text.contains("helmChart")
                && !path.starts_with(folder)
                && lines(text).any(|line| words::of(line).iter().any(|word| Some(&**word) == name))
        };
        let listed =
            lines(text).map(|line| line.trim().trim_start_matches("- ").trim_matches(['"', '\'']));
        listed.into_iter().any(remote) || is_chart()
    }

    /// What a script, pipeline or guide deploys.
    fn told(&self, path: &Path, name: &str, text: &str) -> Vec<PathBuf> {
        let text = unfolded(text);
        let is_definition = commands::is_definition(name);
        let is_guide = commands::is_guide(name);
        if !is_definition && !commands::are_in(&text) {
            return Vec::new();
        }
        let folders = self.working_folders(path, &text);
        let mut named: Vec<&PathBuf> = Vec::new();
        let publishes = !is_guide && commands::publishes(&text);
        let is_chart = |one: &&PathBuf| publishes && one.join("Chart.yaml").is_file();
        named.extend(self.folders.iter().filter(is_chart));
        for line in lines(&text) {
            let is_command = commands::deploys(line) || line.trim_start().starts_with("cd ");
            if is_guide && !is_command {
                continue;
            }
            let is_deep = commands::descends(line);
            for word in words::of(line) {
                // Elsewhere a single name is any word.
                if !word.contains('/') && !is_command && !is_definition {
                    continue;
                }
                let place = Place { word: &word, folders: &folders, is_deep };
                named.extend(self.folders.iter().filter(|one| self.is_named(&place, one)));
            }
        }
        named.into_iter().cloned().collect()
    }

    /// The folders in which the commands of a text may run: its own, and those that it changes to.
    fn working_folders(&self, path: &Path, text: &str) -> BTreeSet<PathBuf> {
        let own = path.parent().unwrap_or(path);
        let mut folders = BTreeSet::from([own.to_owned()]);
        for line in lines(text) {
            let mut words = words::of(line);
            // `run: {working-directory: shop}`
            words.iter_mut().for_each(|word| *word = word.trim_matches(['{', '}']).to_owned());
            let changed = words.windows(2).filter(|pair| CHANGES.contains(&&*pair[0]));
            let changed = changed.map(|pair| &pair[1]).take(MOST_FOLDERS);
            for place in changed.flat_map(|to| [own.join(to), self.repository.tree.root.join(to)]) {
                if folders.len() < MOST_FOLDERS && self.repository.tree.boundary.has_folder(&place)
                {
                    folders.insert(normal(&place));
                }
            }
        }
        folders
    }

    /// Whether a word is the path of a folder or of a file in it: from the root, from a folder in which the script
    /// works, or by its last two names.
    fn is_named(&self, place: &Place<'_>, folder: &Path) -> bool {
        let root = &self.repository.tree.root;
        let own = self.repository.inside(folder);
        let fits = |pattern: &Pattern| match place.is_deep {
            true => pattern.covers(&own),
            false => pattern.is(&own) || pattern.is(&format!("/{own}")),
        };
        let written = place.word.trim_end_matches('/');
        let beside = written.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_file = written
            .rsplit('/')
            .next()
            .is_some_and(|name| name.contains('.') && name != "." && name != "..");
        let paths = [Some(written), is_file.then_some(beside)];
        paths.into_iter().flatten().any(|path| {
            let from = |folder: &PathBuf| {
                let here = normal(&folder.join(path));
                let inside = here.strip_prefix(root).ok()?;
                Some(Pattern::of(&discover::shown(inside)))
            };
            let mut here = place.folders.iter().filter_map(from);
            let from_root = Pattern::of(path);
            let is_known = |pattern: &Pattern| !pattern.is_any();
            here.any(|here| fits(&here) && is_known(&here))
                || known_parts(path) > 0 && fits(&from_root) && is_known(&from_root)
                || known_parts(path) > 1 && fits(&Pattern::below(behind_module(path)))
        })
    }
}

/// A path without the folder that something fills in, and those around that: `${path.module}/../shop/app`.
fn behind_module(path: &str) -> &str {
    path.strip_prefix("${}/").map_or(path, |rest| rest.trim_start_matches("../"))
}

/// A word and where it stands.
struct Place<'a> {
    word: &'a str,
    /// The folders in which the commands of the text may run.
    folders: &'a BTreeSet<PathBuf>,
    /// Whether its line applies what is below a folder.
    is_deep: bool,
}

/// Whether a line is the field `path` of an object, with the path of a folder from the root.
fn is_value(line: &str, own: &str) -> bool {
    let value = line.trim().trim_start_matches("- ").strip_prefix("path:");
    value.is_some_and(|value| {
        let value = value.trim().trim_matches(['"', '\'']).trim_start_matches("./");
        value.trim_matches('/') == own
    })
}

/// Whether a text names the path of a folder from the root.
fn is_path_in(text: &str, own: &str) -> bool {
    let is_end = |c: char| !c.is_alphanumeric() && !"._-".contains(c);
    let is_whole = |line: &str| {
        line.match_indices(own).any(|(at, _)| {
            let (before, after) = (&line[..at], &line[at + own.len()..]);
            let starts = before.chars().next_back().is_none_or(|c| is_end(c) && c != '/')
                || before.ends_with("./")
                || before.ends_with(" /");
            let is_path = own.contains('/') || before.ends_with('/') || after.starts_with('/');
            starts && is_path && after.chars().next().is_none_or(is_end)
        })
    };
    text.contains(own) && lines(text).any(is_whole)
}
