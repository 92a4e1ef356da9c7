//! What tells the files of a workspace from those of another time: their paths, sizes and times.

use std::{
    fs::{self, DirEntry, Metadata},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    time::SystemTime,
};

use rayon::prelude::*;

use super::files::SETTLED;
use crate::discover::{
    Request, absolute,
    walk::{IGNORES, SKIPPED},
};

/// The most files and folders to look at: with more of them, what they hold is read again.
const MOST: usize = 100_000;

/// Fewer entries of a folder than this are looked at by one thread.
const LEAST: usize = 4;

/// What Git keeps that says which repository it is, and which files it leaves out.
const OF_GIT: [&str; 3] = [".git", ".git/config", ".git/info/exclude"];

/// Stands for all files below the folder that an editor works in, and below the repository around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::check) struct DiskState(u64);

impl DiskState {
    /// The files as they are now, with others that the settings name. `None` if one of them has just changed, if a folder
    /// cannot be listed, and if there are too many.
    pub(in crate::check) fn of(request: &Request, named: &[PathBuf]) -> Option<Self> {
        let folder = absolute(&request.base.join(request.around.as_ref()?));
        let root = folder.ancestors().find(|above| above.join(".git").exists());
        let root = root.unwrap_or(&folder);
        let look =
            Look { count: AtomicUsize::new(0), recent: SystemTime::now().checked_sub(SETTLED)? };
        let mut state = look.folder(root)?;
        let above = root.ancestors().flat_map(|folder| IGNORES.map(|name| folder.join(name)));
        for path in above.chain(OF_GIT.map(|name| root.join(name))) {
            if let Some(found) = fs::metadata(&path).ok().filter(Metadata::is_file) {
                state = state.wrapping_add(look.stamp(&path, &found)?);
            }
        }
        for path in named.iter().map(|path| absolute(&request.base.join(path))) {
            let own = match fs::metadata(&path) {
                Ok(found) if found.is_dir() => look.folder(&path)?,
                Ok(found) => look.stamp(&path, &found)?,
                Err(_) => 0,
            };
            state = state.wrapping_add(own);
        }
        Some(Self(state))
    }
}

/// A look at all files.
struct Look {
    count: AtomicUsize,
    /// A file that has changed since then may change again without a trace in its time.
    recent: SystemTime,
}

impl Look {
    /// The sum of the stamps below a folder, in whatever order they are listed.
    fn folder(&self, path: &Path) -> Option<u64> {
        let entries: Vec<_> = fs::read_dir(path).ok()?.collect::<Result<_, _>>().ok()?;
        if self.count.fetch_add(entries.len(), Ordering::Relaxed) > MOST {
            return None;
        }
        let stamps = entries.par_iter().with_min_len(LEAST).map(|entry| self.entry(entry));
        stamps.try_reduce(|| 0, |a, b| Some(u64::wrapping_add(a, b)))
    }

    fn entry(&self, entry: &DirEntry) -> Option<u64> {
        if SKIPPED.iter().any(|name| entry.file_name() == *name) {
            return Some(0);
        }
        let (path, found) = (entry.path(), entry.metadata().ok()?);
        let own = self.stamp(&path, &found)?;
        let below = match found.file_type() {
            kind if kind.is_dir() => self.folder(&path)?,
            // Where it leads may be outside.
            kind if kind.is_symlink() => match fs::metadata(&path) {
                Ok(target) => self.stamp(&path, &target)?,
                Err(_) => 0,
            },
            _ => 0,
        };
        Some(own.wrapping_add(below))
    }

    fn stamp(&self, path: &Path, found: &Metadata) -> Option<u64> {
        let changed = found.modified().ok().filter(|changed| *changed <= self.recent)?;
        let mut hasher = DefaultHasher::new();
        (path, found.len(), found.is_dir(), changed).hash(&mut hasher);
        Some(hasher.finish())
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// The state of a repository after its files had time to settle.
    fn state(folder: &Path) -> Option<DiskState> {
        thread::sleep(SETTLED * 2);
        let (base, around) = (folder.join("charts"), Some(PathBuf::from(".")));
        DiskState::of(&Request { base, around, ..Request::default() }, &[])
    }

    #[test]
    fn whatever_changes_in_the_repository_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(".git/config", "");
        write("charts/shop/Chart.yaml", "name: shop\n");
        write("apps/shop.yaml", "kind: Application\n");
        let mut last = state(folder.path());
        assert!(last.is_some());
        assert_eq!(state(folder.path()), last, "nothing has changed");
        let mut is_noticed = |what: &str| {
            let now = state(folder.path());
            assert!(now.is_some() && now != last, "{what}");
            last = now;
        };
        write("apps/shop.yaml", "kind: ApplicationSet\n");
        is_noticed("a file outside of the folder");
        write("apps/values.txt", "");
        is_noticed("a new file");
        fs::remove_file(folder.path().join("apps/values.txt")).unwrap();
        is_noticed("a file that is gone");
        write(".gitignore", "apps\n");
        is_noticed("a file that Git leaves out");
        write(".git/config", "[remote \"origin\"]\n");
        is_noticed("a remote");
        fs::rename(folder.path().join("apps"), folder.path().join("deploy")).unwrap();
        is_noticed("another name of a folder");
        write(".git/index", "");
        assert_eq!(state(folder.path()), last, "what Git does by itself");
        write("apps/shop.yaml", "kind: Application\n");
        let (base, around) = (folder.path().to_owned(), Some(PathBuf::from(".")));
        let now = DiskState::of(&Request { base, around, ..Request::default() }, &[]);
        assert_eq!(now, None, "a file that may change again");
    }
}
