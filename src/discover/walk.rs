//! Walking a folder as its users see it: what Git ignores does not count.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
};

use ignore::{WalkBuilder, WalkState};

/// Endings of files that can hold manifests.
const ENDINGS: &[&str] = &["yaml", "yml", "json"];

/// Folders that hold no manifests of their own. Other hidden folders are read: tests and examples live
/// there.
const SKIPPED: &[&str] = &[".git", "node_modules"];

/// Folders to look into before deciding how to walk.
const PROBED: usize = 16;

/// With more folders than these all cores walk. For less, starting them takes longer than the walk.
const MANY: usize = 48;

/// The files of a folder that can hold manifests, in no particular order; links to folders are
/// not followed.
pub fn files(folder: &Path) -> impl Iterator<Item = Result<PathBuf, String>> {
    let mut walk = WalkBuilder::new(folder);
    walk.hidden(false)
        .require_git(false)
        // What counts is in the repository, not on the machine; and fewer files are asked for.
        .ignore(false)
        .git_global(false)
        .filter_entry(|entry| !SKIPPED.iter().any(|name| entry.file_name() == *name));
    let found = if is_large(folder) { on_all_cores(&mut walk) } else { walk.build().collect() };
    found.into_iter().filter_map(|entry: Entry| match entry {
        Ok(entry) => is_manifest(&entry).then(|| Ok(entry.into_path())),
        Err(error) => Some(Err(error.to_string())),
    })
}

type Entry = Result<ignore::DirEntry, ignore::Error>;

/// Whether there are many folders, as far as the first of them tell.
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

/// A link that leads nowhere counts: that it cannot be read is to be said. One to a device does not count, as
/// the device itself.
fn is_manifest(entry: &ignore::DirEntry) -> bool {
    let file = entry
        .file_type()
        .is_some_and(|kind| kind.is_file() || (kind.is_symlink() && is_of_file(entry.path())));
    file && can_hold_manifests(entry.path())
}

fn is_of_file(link: &Path) -> bool {
    fs::metadata(link).map_or(true, |target| target.is_file())
}

/// By its name.
pub fn can_hold_manifests(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.contains(&ending))
}

/// What Helm reads of a chart: its templates, CRDs, values and dependencies. Other folders beside
/// them (examples, tests) are ordinary manifests.
pub fn belongs_to_chart(chart: &Path, path: &Path) -> bool {
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
