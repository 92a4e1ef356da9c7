//! Where the files of a build come from: the disk, or memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Component, Path, PathBuf},
};

use file_boundary::Boundary;

/// Access to files. All paths are absolute.
pub trait Files: Sync {
    /// The path without links, and whether it is a folder.
    ///
    /// # Errors
    /// When nothing is there.
    fn resolve(&self, path: &Path) -> io::Result<(PathBuf, bool)>;

    /// The content of a file.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;

    /// How a file is shown in locations; `None` to show it relative to the kustomization that is built.
    fn shown(&self, _path: &Path) -> Option<String> {
        None
    }
}

/// The files of this machine within a boundary.
#[derive(Clone, Debug)]
pub struct Disk(Boundary);

impl Disk {
    /// The repository around a folder: nothing that a file names outside of it is read.
    pub fn around(folder: &Path) -> Self {
        Self::within(Boundary::around([folder]))
    }

    /// The files within a boundary.
    pub fn within(boundary: Boundary) -> Self {
        Self(boundary)
    }

    /// What may be read.
    pub fn boundary(&self) -> &Boundary {
        &self.0
    }
}

impl Files for Disk {
    fn resolve(&self, path: &Path) -> io::Result<(PathBuf, bool)> {
        Ok(self.0.resolve_kind(path)?)
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        Ok(self.0.read(path)?)
    }
}

/// Files in memory, for editors and tests. Relative paths count from `/`.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    files: BTreeMap<PathBuf, Vec<u8>>,
    folders: BTreeSet<PathBuf>,
}

impl Memory {
    /// Adds a file, or replaces it.
    pub fn insert(&mut self, path: impl AsRef<Path>, content: impl Into<Vec<u8>>) {
        let path = clean(&Path::new("/").join(path));
        self.folders.extend(path.ancestors().skip(1).map(Path::to_owned));
        self.files.insert(path, content.into());
    }

    /// The files below a folder, with their paths in it.
    pub fn below(&self, folder: &Path) -> impl Iterator<Item = (&Path, &[u8])> {
        let folder = clean(folder);
        self.files.iter().filter_map(move |(path, content)| {
            Some((path.strip_prefix(&folder).ok()?, content.as_slice()))
        })
    }
}

impl<P: AsRef<Path>, C: Into<Vec<u8>>> FromIterator<(P, C)> for Memory {
    fn from_iter<I: IntoIterator<Item = (P, C)>>(files: I) -> Self {
        let mut memory = Self::default();
        files.into_iter().for_each(|(path, content)| memory.insert(path, content));
        memory
    }
}

impl Files for Memory {
    fn resolve(&self, path: &Path) -> io::Result<(PathBuf, bool)> {
        let path = clean(path);
        if self.folders.contains(&path) {
            return Ok((path, true));
        }
        if self.files.contains_key(&path) {
            return Ok((path, false));
        }
        Err(io::ErrorKind::NotFound.into())
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.files.get(&clean(path)).cloned().ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// The path without `.` and `..`, as Go's `filepath.Clean` makes it.
pub(crate) fn clean(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => match clean.components().next_back() {
                Some(Component::Normal(_)) => {
                    clean.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => clean.push(".."),
            },
            part => clean.push(part),
        }
    }
    if clean.as_os_str().is_empty() { PathBuf::from(".") } else { clean }
}

/// The text of a system error as Go prints it.
pub(crate) fn go_error(error: &io::Error) -> String {
    if error.kind() == io::ErrorKind::NotFound {
        return "no such file or directory".into();
    }
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
