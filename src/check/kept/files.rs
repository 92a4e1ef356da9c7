//! What tells the files of a chart from those of another time: their names, sizes and times.

use std::{
    collections::{BTreeSet, HashMap},
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, SystemTime},
};

use crate::{discover::normal, unit::Unit};

/// A file that is younger than this when it is looked at may change again without a trace in its time.
pub(super) const SETTLED: Duration = Duration::from_millis(100);
/// The most files and folders to look at in a chart.
const MOST_FILES: usize = 5_000;
/// The most folders outside of a chart that its dependencies can lead to.
const MOST_FOLDERS: usize = 64;

/// The folders of the charts of a run as they are now. Each is looked at once, however many charts depend on it.
#[derive(Default)]
pub(super) struct ChartFolders(Mutex<HashMap<PathBuf, Option<Folder>>>);

#[derive(Clone, Debug, Default)]
struct Folder {
    hash: u64,
    /// The folders of its dependencies that may be outside of it.
    dependencies: BTreeSet<PathBuf>,
}

impl ChartFolders {
    /// Stands for all files of a chart, and of the charts in other folders that it depends on. `None` if one of them leads
    /// elsewhere or has just changed.
    pub(super) fn of_chart(&self, unit: &Unit) -> Option<u64> {
        let root = normal(&unit.root);
        // A text of the editor may name other folders than the file does.
        let texts = unit.files.iter().filter(|file| lists_dependencies(&file.path));
        let texts = texts.filter_map(|file| Some((&*file.path, file.text.as_deref()?)));
        let mut left: Vec<_> = texts.flat_map(|(path, text)| dependencies(path, text)).collect();
        left.push(root.clone());
        let (mut hasher, mut seen) = (DefaultHasher::new(), BTreeSet::new());
        while let Some(path) = left.pop() {
            // What may not be read is no part of the chart.
            let counts = !is_below(&path, &root) && unit.boundary.check(&path).is_ok();
            if !counts || !seen.insert(path.clone()) {
                continue;
            }
            if seen.len() > MOST_FOLDERS {
                return None;
            }
            let folder = self.folder(&path)?;
            (path, folder.hash).hash(&mut hasher);
            left.extend(folder.dependencies);
        }
        Some(hasher.finish())
    }

    fn folder(&self, path: &Path) -> Option<Folder> {
        if let Some(known) = self.lock().get(path) {
            return known.clone();
        }
        let folder = Folder::read(path);
        self.lock().insert(path.to_owned(), folder.clone());
        folder
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<PathBuf, Option<Folder>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Folder {
    /// Looks at a folder, which need not exist. `None` if it holds links or has just changed.
    fn read(root: &Path) -> Option<Self> {
        let mut hasher = DefaultHasher::new();
        let mut folder = Self::default();
        let recent = SystemTime::now().checked_sub(SETTLED)?;
        let walk = walkdir::WalkDir::new(Path::new(".").join(root)).sort_by_file_name();
        let entries = walk.into_iter().filter_entry(|entry| entry.file_name() != ".git");
        for (number, entry) in entries.enumerate() {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) if number == 0 && is_absent(&error) => break,
                Err(_) => return None,
            };
            if entry.path_is_symlink() || number > MOST_FILES {
                return None;
            }
            let found = entry.metadata().ok()?;
            let changed = found.modified().ok()?;
            if changed > recent {
                return None;
            }
            if lists_dependencies(entry.path()) {
                folder
                    .dependencies
                    .extend(dependencies(entry.path(), &fs::read(entry.path()).ok()?));
            }
            (entry.path(), found.len(), changed).hash(&mut hasher);
        }
        folder.hash = hasher.finish();
        Some(folder)
    }
}

fn is_below(path: &Path, root: &Path) -> bool {
    let inside = path.strip_prefix(root).ok().filter(|inside| !inside.starts_with(".."));
    inside.is_some_and(|inside| inside != Path::new(""))
}

fn is_absent(error: &walkdir::Error) -> bool {
    error.io_error().is_some_and(|error| error.kind() == ErrorKind::NotFound)
}

fn lists_dependencies(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "Chart.yaml" || name == "requirements.yaml")
}

/// The folders that a list of dependencies may name.
fn dependencies(list: &Path, text: &[u8]) -> Vec<PathBuf> {
    let text = String::from_utf8_lossy(text);
    let folder = list.parent().unwrap_or(Path::new(""));
    let urls = text.split("file://").skip(1).map(|rest| {
        let end = |own: char| own.is_whitespace() || matches!(own, '"' | '\'' | ',' | '}');
        rest.split(end).next().unwrap_or_default()
    });
    urls.map(|path| normal(&folder.join(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_folders_beside_the_list() {
        let of = |url: &str| {
            let text = format!("dependencies: [{{name: one, repository: {url}}}]\n");
            dependencies(Path::new("charts/shop/Chart.yaml"), text.as_bytes())
        };
        assert_eq!(of("'file://../one'"), [Path::new("charts/one")]);
        assert_eq!(of("\"file://a/../../../one/\""), [Path::new("one")]);
        assert_eq!(of("file:///srv/one"), [Path::new("/srv/one")]);
        assert_eq!(of("file://./charts/one"), [Path::new("charts/shop/charts/one")]);
        assert!(of("https://example.com").is_empty());
    }
}
