//! Walks a folder and skips what Git ignores.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
};

use ignore::{WalkBuilder, WalkState};

/// Extensions of files that can hold manifests.
const ENDINGS: &[&str] = &["yaml", "yml", "json"];

/// Folders to skip. Other hidden folders are read: they hold tests and examples.
const SKIPPED: &[&str] = &[".git", "node_modules"];

/// How many folders to list before choosing between a serial and a parallel walk.
const PROBED: usize = 16;

/// Above this number of folders the walk is parallel; below it, starting threads takes longer than the walk.
const MANY: usize = 48;

/// The files below a folder that can hold manifests, in no particular order. Links to folders are not
/// followed.
pub(crate) fn files(folder: &Path) -> impl Iterator<Item = Result<PathBuf, ignore::Error>> {
    let mut walk = WalkBuilder::new(folder);
    walk.hidden(false)
        .require_git(false)
        // Only the repository's own ignore files count, not the machine's; this also saves file lookups.
        .ignore(false)
        .git_global(false)
        .filter_entry(|entry| !SKIPPED.iter().any(|name| entry.file_name() == *name));
    let found = if is_large(folder) { on_all_cores(&mut walk) } else { walk.build().collect() };
    found.into_iter().filter_map(|entry: Entry| match entry {
        Ok(entry) => is_manifest(&entry).then(|| Ok(entry.into_path())),
        Err(error) => Some(Err(error)),
    })
}

type Entry = Result<ignore::DirEntry, ignore::Error>;

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
    folders.len() > MANY
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

/// A broken link counts, so that it is reported as unreadable. Devices and links to devices do not count.
fn is_manifest(entry: &ignore::DirEntry) -> bool {
    let file = entry
        .file_type()
        .is_some_and(|kind| kind.is_file() || (kind.is_symlink() && is_of_file(entry.path())));
    file && can_hold_manifests(entry.path())
}

fn is_of_file(link: &Path) -> bool {
    fs::metadata(link).map_or(true, |target| target.is_file())
}

/// Returns whether a path has the extension of a manifest file.
pub(crate) fn can_hold_manifests(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
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
