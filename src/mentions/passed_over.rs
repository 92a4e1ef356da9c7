//! Plain manifests that a repository names nowhere although it names most others, and those that lie beside a `Chart.yaml`: nobody
//! applies them as they are.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    path::Path,
};

use super::{CHART, Texts};
use crate::{
    discover::{can_hold_manifests, is_overlay_file, normal},
    scripts::is_of_name,
};

/// The most manifests that are looked at, and the fewest of them that the repository names.
const MOST: usize = 2000;
const FEWEST: usize = 3;

/// The most places of one name that are compared: what is written more often is named.
const MOST_PLACES: usize = 1000;

/// The folder of the file that says so.
const HERE: &str = ".";

/// Words in front of a folder on its line: `kubectl apply -f jobs`, `path: jobs`, `- jobs`.
const BEFORE: [&str; 9] =
    ["-", "--filename", "--kustomize", "-R", "-Rf", "-f", "-k", "directory", "path"];

/// Words in front of a folder in which commands run, which then name what they apply.
const CHANGES: [&str; 5] = ["-C", "cd", "dir", "pushd", "working-directory"];

/// A file that says how a folder is deployed, so that nothing needs to name that
/// (<https://fleet.rancher.io/ref-fleet-yaml>).
const OWN: &str = "fleet.yaml";

/// The paths that the texts of a repository name.
#[derive(Debug)]
pub(super) struct Named<'a> {
    /// Each path, with the file that names it, by its last part.
    places: HashMap<&'a OsStr, Vec<Place<'a>>>,
    /// The plain manifests outside of charts, and those beside a `Chart.yaml`.
    manifests: Vec<&'a Path>,
    beside: Vec<&'a Path>,
    /// How many of them have a file name.
    alike: HashMap<&'a OsStr, usize>,
    /// Folders with a `fleet.yaml`.
    own: Vec<&'a Path>,
}

/// A path as a file writes it.
#[derive(Debug, Clone, Copy)]
struct Place<'a> {
    path: &'a Path,
    /// The folder of the file that names it, and the file.
    from: &'a Path,
    file: &'a Path,
    /// It cannot be another word.
    is_path: bool,
}

impl<'a> Named<'a> {
    /// All in texts whose files are absolute paths below `root`; `None` if there are too many manifests.
    pub(super) fn of(texts: &'a Texts, root: &'a Path) -> Option<Self> {
        let files =
            || texts.each().map(|(path, text)| (path.strip_prefix(root).unwrap_or(path), text));
        let folders_with = |name: &str| -> Vec<&Path> {
            let own = files().filter(|(path, _)| path.ends_with(name));
            own.filter_map(|(path, _)| path.parent()).collect()
        };
        let charts: HashSet<_> = folders_with(CHART).into_iter().collect();
        let is_in_chart = |path: &Path| path.ancestors().any(|folder| charts.contains(folder));
        let is_manifest = |(path, text): &(&Path, &str)| {
            let has = |field: &str| text.lines().any(|line| line.starts_with(field));
            can_hold_manifests(path) && !is_overlay_file(path) && has("apiVersion:") && has("kind:")
        };
        let all = files().filter(is_manifest).map(|(path, _)| path);
        let (own, manifests): (Vec<_>, Vec<_>) = all.partition(|path| is_in_chart(path));
        let is_beside = |path: &&Path| path.parent().is_some_and(|folder| charts.contains(folder));
        let beside: Vec<_> =
            own.into_iter().filter(is_beside).filter(|path| !path.ends_with(CHART)).collect();
        if manifests.len() + beside.len() > MOST {
            return None;
        }
        let all = || manifests.iter().chain(&beside);
        let mut alike = HashMap::new();
        for name in all().filter_map(|path| path.file_name()) {
            *alike.entry(name).or_default() += 1;
        }
        let wanted: HashSet<_> =
            all().flat_map(|path| path.iter()).chain([OsStr::new(HERE)]).collect();
        let mut places: HashMap<_, Vec<_>> = HashMap::new();
        for (file, text) in files() {
            let from = file.parent().unwrap_or(file);
            for (path, is_path) in paths(text) {
                let last = path.iter().next_back().unwrap_or(OsStr::new(HERE));
                if wanted.contains(last) {
                    let own: &mut Vec<_> = places.entry(last).or_default();
                    if own.len() < MOST_PLACES {
                        own.push(Place { path, from, file, is_path });
                    }
                }
            }
        }
        Some(Self { places, manifests, beside, alike, own: folders_with(OWN) })
    }

    /// The plain manifests that it names nowhere; none unless it names most of them. Helm sends none that lies beside a
    /// `Chart.yaml`, so that its own name alone counts.
    pub(super) fn passed_over(&self) -> HashSet<&'a Path> {
        let mut known = HashMap::new();
        let (named, others): (Vec<_>, Vec<_>) =
            self.manifests.iter().partition(|path| self.has(path, &mut known));
        let is_exception = named.len() >= FEWEST && named.len() > others.len();
        let beside = self.beside.iter().copied().filter(|path| !self.has_file(path));
        others.into_iter().filter(|_| is_exception).chain(beside).collect()
    }

    /// Whether a text names a manifest, or a folder around it; `known` are those of which that was asked before.
    fn has(&self, manifest: &'a Path, known: &mut HashMap<&'a Path, bool>) -> bool {
        let mut folders = manifest.ancestors().skip(1);
        self.has_file(manifest)
            || folders.any(|folder| *known.entry(folder).or_insert_with(|| self.has_folder(folder)))
    }

    fn has_file(&self, manifest: &Path) -> bool {
        let Some(name) = manifest.file_name() else { return true };
        let is_sole = self.alike.get(name).is_none_or(|alike| *alike < 2);
        let is_here = |place: Place<'_>| {
            place.file != manifest
                && (place.leads_to(manifest)
                    || place.is_bare() && (is_sole || manifest.starts_with(place.from)))
        };
        self.is_common(name) || self.of_name(name).any(is_here)
    }

    fn has_folder(&self, folder: &Path) -> bool {
        let is_here = |place: Place<'_>| !place.from.starts_with(folder) && place.leads_to(folder);
        let mut places = folder.file_name().into_iter().flat_map(|name| self.of_name(name));
        // `kubectl apply -f .`
        let mut own = self.of_name(OsStr::new(HERE));
        self.own.contains(&folder)
            || folder.file_name().is_some_and(|name| self.is_common(name))
            || places.any(|place| place.is_path && is_here(place))
            || own.any(|place| place.is_path && place.from == folder)
    }

    /// Whether not all places of a name are known.
    fn is_common(&self, name: &OsStr) -> bool {
        self.places.get(name).is_some_and(|all| all.len() >= MOST_PLACES)
    }

    fn of_name(&self, name: &OsStr) -> impl Iterator<Item = Place<'a>> {
        self.places.get(name).into_iter().flatten().copied()
    }
}

impl Place<'_> {
    /// Whether it may be a path of the repository: from its root, from the folder of the file that names it, or from one that something
    /// fills in.
    fn leads_to(&self, path: &Path) -> bool {
        let known = behind_parents(self.path);
        let is_end = known.components().count() > 1 && path.ends_with(known);
        normal(&self.from.join(self.path)) == path
            || self.path == path
            || is_end
            // An address has the owner and the branch in front.
            || self.path.ends_with(path)
    }

    /// Whether it is a file name alone.
    fn is_bare(&self) -> bool {
        behind_parents(self.path).components().count() == 1
    }
}

/// A path without the folders above that it begins with.
fn behind_parents(path: &Path) -> &Path {
    let mut parts = path.components();
    while parts.as_path().starts_with("..") {
        parts.next();
    }
    parts.as_path()
}

/// The words of a text that may be paths, and whether each cannot be anything else. A folder below which something fills in
/// the rest is none.
fn paths(text: &str) -> impl Iterator<Item = (&Path, bool)> {
    text.lines().flat_map(paths_of_line)
}

fn paths_of_line(line: &str) -> impl Iterator<Item = (&Path, bool)> {
    let of_path = |one: char| is_of_name(one) || one == '/';
    let (mut rest, mut before) = (line, "");
    let words = std::iter::from_fn(move || {
        let start = rest.find(of_path)?;
        let own = &rest[start..];
        let word = &own[..own.find(|one| !of_path(one)).unwrap_or(own.len())];
        let is_variable = rest[..start].ends_with('$');
        rest = &own[word.len()..];
        let before = std::mem::replace(&mut before, word);
        let is_cut = word.ends_with('/') && rest.starts_with(['$', '{']);
        // `$DIR/jobs/a.yaml`
        let word = word.split_once('/').filter(|_| is_variable).map_or(word, |(_, rest)| rest);
        Some((word, BEFORE.contains(&before), is_cut || CHANGES.contains(&before)))
    });
    words.filter_map(|(word, is_asked, is_cut)| {
        let path = word.trim_start_matches('/').trim_end_matches(['.', '/']);
        let is_here = matches!(word, HERE | "./") && is_asked;
        let is_path = is_asked || word.contains('/');
        (!is_cut && (is_here || !path.is_empty())).then_some((Path::new(path), is_path))
    })
}
