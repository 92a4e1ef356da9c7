//! Walks a folder and skips what Git, `.ignore` and the user leave out.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc},
};

use file_boundary::Boundary;
use ignore::{WalkBuilder, WalkState, gitignore::Gitignore};

use super::normal;
use crate::exclude::Exclude;

/// Extensions of files that can hold manifests.
const ENDINGS: &[&str] = &["yaml", "yml", "json"];

/// Extensions of scripts and configuration files, which charts mount and nobody names as manifests.
const SCRIPTS: &[&str] = &[
    "bash",
    "cfg",
    "conf",
    "env",
    "ini",
    "js",
    "lua",
    "php",
    "pl",
    "properties",
    "ps1",
    "py",
    "rb",
    "sh",
    "sql",
    "toml",
    "xml",
];

/// Folders to skip. Other hidden folders are read: they hold tests and examples.
pub(crate) const SKIPPED: &[&str] = &[".git", "node_modules"];

/// How many folders to list before choosing between a serial and a parallel walk.
const PROBED: usize = 16;

/// Above this number of folders the walk is parallel; below it, starting threads takes longer than the walk.
const MANY: usize = 48;

/// The files below a folder that can hold manifests, in no particular order. Links to folders are not
/// followed.
///
/// Git does not follow a `.gitignore` that is a link, so nothing in and below its folder is ignored. The same holds for
/// `.ignore`.
pub(crate) fn files(folder: &Path) -> impl Iterator<Item = Result<PathBuf, ignore::Error>> {
    files_except(folder, Vec::new()).0
}

/// All files below a folder, whatever they hold.
pub(crate) fn all_files(folder: &Path) -> impl Iterator<Item = PathBuf> {
    let found = entries(folder, &Arc::new(Filter::new(folder, Vec::new()))).into_iter();
    let is_file = |entry: &ignore::DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    found.filter_map(Result::ok).filter(is_file).map(ignore::DirEntry::into_path)
}

/// The files below a folder whose names are of a kind, and links to such files.
pub(crate) fn files_named(
    folder: &Path,
    is_named: impl Fn(&Path) -> bool,
) -> impl Iterator<Item = PathBuf> {
    let found = entries(folder, &Arc::new(Filter::new(folder, Vec::new()))).into_iter();
    let is_one = move |entry: &ignore::DirEntry| is_named(entry.path()) && is_file(entry);
    found.filter_map(Result::ok).filter(is_one).map(ignore::DirEntry::into_path)
}

/// Like [`files`], without the excluded ones. Also returns what was excluded: files, and folders as a whole.
pub(crate) fn files_except(
    folder: &Path,
    excludes: Vec<Exclude>,
) -> (impl Iterator<Item = Result<PathBuf, ignore::Error>> + use<>, Vec<PathBuf>) {
    let filter = Arc::new(Filter::new(folder, excludes));
    let found = entries(folder, &filter);
    let excluded = filter.excluded();
    let files = found.into_iter().filter_map(|entry: Entry| match entry {
        Ok(entry) => is_manifest(&entry).then(|| Ok(entry.into_path())),
        Err(error) => Some(Err(error)),
    });
    (files, excluded)
}

fn entries(folder: &Path, filter: &Arc<Filter>) -> Vec<Entry> {
    let mut found = Vec::new();
    let is_plain = !absolute_ancestors(folder).iter().any(|above| has_odd_ignores(above));
    let mut left = vec![(folder.to_owned(), is_plain)];
    while let Some((folder, reads_ignores)) = left.pop() {
        let (entries, odd) = walk(&folder, reads_ignores, filter);
        left.extend(odd.into_iter().map(|folder| (folder, false)));
        found.extend(entries);
    }
    found
}

/// The files and folders to leave out of a walk, and those that it did leave out.
struct Filter {
    excludes: Vec<Exclude>,
    /// The folder of the walk as it was given, and as an absolute path.
    folder: (PathBuf, PathBuf),
    excluded: Mutex<Vec<PathBuf>>,
}

impl Filter {
    fn new(folder: &Path, excludes: Vec<Exclude>) -> Self {
        let absolute = std::path::absolute(Path::new(".").join(folder)).unwrap_or_default();
        let folder = (folder.to_owned(), normal(&absolute));
        Self { excludes, folder, excluded: Mutex::default() }
    }

    /// Whether an entry is left out; if so, it is recorded.
    fn covers(&self, path: &Path) -> bool {
        let (given, absolute) = &self.folder;
        let Ok(inside) = path.strip_prefix(given) else { return false };
        let path = absolute.join(inside);
        let is_covered = self.excludes.iter().any(|exclude| exclude.covers(&path));
        if is_covered {
            lock(&self.excluded).push(given.join(inside));
        }
        is_covered
    }

    fn excluded(&self) -> Vec<PathBuf> {
        let mut excluded = std::mem::take(&mut *lock(&self.excluded));
        excluded.sort();
        excluded
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

type Entry = Result<ignore::DirEntry, ignore::Error>;

/// The entries below a folder, and the folders that are left out because their ignore files are not ordinary files.
fn walk(folder: &Path, reads_ignores: bool, filter: &Arc<Filter>) -> (Vec<Entry>, Vec<PathBuf>) {
    let filter = Arc::clone(filter);
    let odd = Arc::new(Mutex::new(Vec::new()));
    let left_out = Arc::clone(&odd);
    let mut walk = WalkBuilder::new(folder);
    walk.hidden(false)
        .require_git(false)
        .git_ignore(reads_ignores)
        .parents(reads_ignores)
        .ignore(reads_ignores)
        // The global ignores of Git belong to the machine, not to the repository.
        .git_global(false)
        .filter_entry(move |entry| {
            if SKIPPED.iter().any(|name| entry.file_name() == *name) || filter.covers(entry.path())
            {
                return false;
            }
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            let is_odd = reads_ignores && is_folder && has_odd_ignores(entry.path());
            if is_odd {
                lock(&left_out).push(entry.path().to_owned());
            }
            !is_odd
        });
    let found = if is_large(folder) { on_all_cores(&mut walk) } else { walk.build().collect() };
    let odd = std::mem::take(&mut *lock(&odd));
    (found, odd)
}

/// The names of ignore files, in the syntax of `.gitignore`.
pub(crate) const IGNORES: [&str; 2] = [".gitignore", ".ignore"];

/// The largest ignore file that is read, in bytes.
const MAX_IGNORES: u64 = 1 << 20;

/// Whether an ignore file of a folder is a link, a device or a pipe, or too large to be one.
fn has_odd_ignores(folder: &Path) -> bool {
    IGNORES.iter().any(|name| {
        fs::symlink_metadata(folder.join(name))
            .is_ok_and(|found| !found.is_file() || found.len() > MAX_IGNORES)
    })
}

/// Whether Git leaves out a path below a folder: a file that is made, or kept, outside of the repository.
pub(crate) fn is_left_out(path: &Path, folder: &Path) -> bool {
    let above = absolute_ancestors(folder);
    if above.iter().any(|folder| has_odd_ignores(folder)) {
        return false;
    }
    let Some(here) = above.first() else { return false };
    let path = here.join(path.strip_prefix(folder).unwrap_or(path));
    above.iter().any(|folder| {
        let (ignores, _) = Gitignore::new(folder.join(IGNORES[0]));
        path.starts_with(folder) && ignores.matched_path_or_any_parents(&path, false).is_ignore()
    })
}

/// The folder and those above it, up to the root of the repository.
fn absolute_ancestors(folder: &Path) -> Vec<PathBuf> {
    let Ok(folder) = fs::canonicalize(Path::new(".").join(folder)) else { return Vec::new() };
    let mut above = Vec::new();
    for folder in folder.ancestors() {
        above.push(folder.to_owned());
        if folder.join(".git").exists() {
            break;
        }
    }
    above
}

/// Estimates from the first folders whether the tree has many.
fn is_large(folder: &Path) -> bool {
    let mut folders = vec![folder.to_owned()];
    let mut at = 0;
    while at < folders.len().min(PROBED) {
        let entries = fs::read_dir(&folders[at]).into_iter().flatten().flatten();
        let is_folder = |entry: &fs::DirEntry| {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            is_folder && !SKIPPED.iter().any(|name| entry.file_name() == *name)
        };
        folders.extend(entries.filter(is_folder).map(|entry| entry.path()));
        at += 1;
    }
    folders.len() > MANY && !cfg!(target_family = "wasm")
}

fn on_all_cores(walk: &mut WalkBuilder) -> Vec<Entry> {
    let (sender, found) = mpsc::channel();
    walk.threads(rayon::current_num_threads()).build_parallel().run(|| {
        let sender = sender.clone();
        Box::new(move |entry| match sender.send(entry) {
            Ok(()) => WalkState::Continue,
            Err(_) => WalkState::Quit,
        })
    });
    drop(sender);
    found.into_iter().collect()
}

fn is_manifest(entry: &ignore::DirEntry) -> bool {
    can_hold_manifests(entry.path()) && is_file(entry)
}

/// Whatever has the name of a file counts, so that broken links, pipes and devices are reported as unreadable. A
/// link to the empty device is an empty file.
fn is_file(entry: &ignore::DirEntry) -> bool {
    let leads_nowhere = |kind: fs::FileType| kind.is_symlink() && !leads_to_file(entry.path());
    entry.file_type().is_some_and(|kind| !kind.is_dir() && !leads_nowhere(kind))
}

fn leads_to_file(link: &Path) -> bool {
    let is_empty = fs::read_link(link).is_ok_and(|target| target == Path::new("/dev/null"));
    !is_empty && !fs::metadata(link).is_ok_and(|target| target.is_dir())
}

/// Returns whether a path has the extension of a manifest file.
pub(crate) fn can_hold_manifests(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    let is_kustomization = || path.file_name().is_some_and(|name| name == "Kustomization");
    ending.is_some_and(|ending| ENDINGS.contains(&ending)) || is_kustomization()
}

/// Returns whether a path has the extension of a script or configuration file that charts mount.
pub(crate) fn is_script(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| SCRIPTS.contains(&ending))
}

/// Returns whether a template of a chart reads other files of the chart.
pub(crate) fn reads_files(chart: &Path) -> bool {
    let boundary = Boundary::around([chart]);
    let reads = |entry: ignore::DirEntry| {
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        let text = is_file.then(|| boundary.read(entry.path()).ok()).flatten();
        text.is_some_and(|text| memchr::memmem::find(&text, b".Files").is_some())
    };
    WalkBuilder::new(chart.join("templates"))
        .standard_filters(false)
        .build()
        .filter_map(Result::ok)
        .any(reads)
}

/// Returns whether Helm reads a file as part of a chart: templates, CRDs, values and dependencies. Other
/// folders of the chart (examples, tests) hold ordinary manifests.
pub(crate) fn belongs_to_chart(chart: &Path, path: &Path) -> bool {
    let Ok(inside) = path.strip_prefix(chart) else { return false };
    match inside.components().next().and_then(|part| part.as_os_str().to_str()) {
        Some("templates" | "crds" | "charts" | "ci") => true,
        Some(name) if inside.components().count() == 1 => {
            name.starts_with("values")
                || name.starts_with("Chart.")
                || name.starts_with("requirements.")
        }
        _ => false,
    }
}

/// The outermost chart that a file belongs to.
pub(crate) fn outermost_chart<'a>(path: &'a Path, boundary: &Boundary) -> Option<&'a Path> {
    let charts = path.ancestors().skip(1).filter(|folder| {
        boundary.has_file(&folder.join("Chart.yaml")) && belongs_to_chart(folder, path)
    });
    charts.last()
}
