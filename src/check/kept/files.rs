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

use crate::{
    discover::{dependencies, normal},
    unit::Unit,
};

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
        let texts = unit.files.iter().filter(|file| dependencies::is_list(&file.path));
        let texts = texts.filter_map(|file| Some((&*file.path, file.text.as_deref()?)));
        let mut left: Vec<_> = texts.flat_map(|(path, text)| folders_in(path, text)).collect();
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
            if dependencies::is_list(entry.path()) {
                let text = fs::read(entry.path()).ok()?;
                folder.dependencies.extend(folders_in(entry.path(), &text));
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

fn folders_in(list: &Path, text: &[u8]) -> Vec<PathBuf> {
    dependencies::folders_in(list, &String::from_utf8_lossy(text))
}
