//! The folders whose files may be read.

use std::{
    collections::HashMap,
    ffi::OsStr,
    fs::{self, File, Metadata},
    io,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{Refusal, regular_file};

/// The folders whose files may be read; by default none. Clones share what they know about folders.
#[derive(Clone, Debug)]
pub struct Boundary {
    /// `None`: every file may be read.
    inner: Option<Arc<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    roots: Vec<Root>,
    /// Where folders really are, so that files without links cost one lookup each.
    folders: Mutex<HashMap<PathBuf, (Arc<Path>, Verdict)>>,
}

/// Whether the files of a folder may be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Inside,
    Outside,
    InGit,
}

/// A folder, or a file outside of all repositories.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Root {
    /// The absolute path as the user or the working directory spells it.
    named: PathBuf,
    /// The same without links.
    real: PathBuf,
}

/// The most links to follow in a row; Linux follows as many.
const MAX_LINKS: usize = 40;

/// The most folders above one whose places are found one by one.
const MAX_DEPTH: usize = 64;

/// No system opens a longer path, in bytes.
const MAX_PATH: usize = 4096;

impl Boundary {
    /// Allows every file: for paths that only the user can choose.
    pub fn everywhere() -> Self {
        Self { inner: None }
    }

    /// The Git repositories around some paths. Outside of a repository: the folder itself, or the folder of a file.
    ///
    /// A link inside a repository does not extend the boundary to where it leads.
    pub fn around<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let mut roots = Vec::new();
        for path in paths {
            add(path, &mut roots);
        }
        Self { inner: Some(Arc::new(Inner { roots, ..Inner::default() })) }
    }

    /// The same with the repository around another path.
    #[must_use]
    pub fn with(&self, path: &Path) -> Self {
        let Some(inner) = &self.inner else { return self.clone() };
        let mut roots = inner.roots.clone();
        match add(path, &mut roots) {
            true => Self { inner: Some(Arc::new(Inner { roots, ..Inner::default() })) },
            false => self.clone(),
        }
    }

    /// Whether a path lies below a root as it is spelled, before any link is followed.
    pub fn spells(&self, path: &Path) -> bool {
        let Some(inner) = &self.inner else { return true };
        let path = absolute(path);
        let below = |root: &Root| path.starts_with(&root.named) || path.starts_with(&root.real);
        inner.roots.iter().any(below)
    }

    /// Whether a file may be read. The file need not exist.
    ///
    /// # Errors
    /// [`Refusal::Outside`] or [`Refusal::InGit`]. A path that leads nowhere is judged by where it would lead.
    pub fn check(&self, path: &Path) -> Result<(), Refusal> {
        self.found(path).map(drop)
    }

    /// Checks a path. Returns what is there without following a link, if that was looked up.
    fn found(&self, path: &Path) -> Result<Option<Metadata>, Refusal> {
        let Some(inner) = &self.inner else { return Ok(None) };
        if path.as_os_str().len() > MAX_PATH {
            return Err(Refusal::Io(io::ErrorKind::InvalidFilename.into()));
        }
        let found = fs::symlink_metadata(path).ok();
        let is_link = found.as_ref().is_some_and(Metadata::is_symlink);
        let verdict = match (is_link, path.parent(), path.file_name()) {
            // `..` has no file name, and `.git` is judged by its own name.
            (false, Some(folder), Some(name)) if !is_git(name) => inner.folder(folder, 0).1,
            _ => inner.judge(&real(path)),
        };
        match verdict {
            Verdict::Inside => Ok(found),
            Verdict::Outside if self.is_root(path) => Ok(found),
            Verdict::Outside => Err(Refusal::Outside),
            Verdict::InGit => Err(Refusal::InGit),
        }
    }

    /// The path without links.
    ///
    /// # Errors
    /// Those of [`Boundary::check`], or the path does not exist.
    pub fn resolve(&self, path: &Path) -> Result<PathBuf, Refusal> {
        self.resolve_kind(path).map(|(path, _)| path)
    }

    /// The path without links, and whether it is a folder.
    ///
    /// # Errors
    /// Those of [`Boundary::resolve`].
    pub fn resolve_kind(&self, path: &Path) -> Result<(PathBuf, bool), Refusal> {
        let found = self.found(path)?;
        if let Some(inner) = self.inner.as_ref().filter(|_| path.is_absolute()) {
            let found = found.map_or_else(|| fs::symlink_metadata(path), Ok)?;
            let place = path.parent().zip(path.file_name()).filter(|_| !found.is_symlink());
            if let Some((folder, name)) = place {
                return Ok((inner.folder(folder, 0).0.join(name), found.is_dir()));
            }
        }
        let path = fs::canonicalize(non_empty(path))?;
        let is_folder = fs::metadata(&path)?.is_dir();
        Ok((path, is_folder))
    }

    /// Opens an ordinary file or a folder.
    ///
    /// # Errors
    /// Those of [`Boundary::check`] and [`regular_file::open`].
    pub fn open(&self, path: &Path) -> Result<File, Refusal> {
        self.check(path)?;
        regular_file::open(path)
    }

    /// The content of an ordinary file.
    ///
    /// # Errors
    /// Those of [`Boundary::check`] and [`regular_file::read`].
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Refusal> {
        match self.found(path)? {
            Some(found) if found.is_file() => {
                regular_file::read_all(File::open(path)?, found.len())
            }
            _ => regular_file::read(path),
        }
    }

    /// The content of an ordinary UTF-8 file.
    ///
    /// # Errors
    /// Those of [`Boundary::check`] and [`regular_file::read_to_string`].
    pub fn read_to_string(&self, path: &Path) -> Result<String, Refusal> {
        regular_file::text(self.read(path)?)
    }

    /// Whether an ordinary file is there that may be read.
    pub fn has_file(&self, path: &Path) -> bool {
        self.target(path).is_some_and(|found| found.is_file())
    }

    /// Whether a folder is there whose files may be read.
    pub fn has_folder(&self, path: &Path) -> bool {
        self.target(path).is_some_and(|found| found.is_dir())
    }

    /// What is there and may be read, behind links.
    fn target(&self, path: &Path) -> Option<Metadata> {
        match self.found(path).ok()? {
            Some(found) if !found.is_symlink() => Some(found),
            None if self.inner.is_some() => None,
            _ => fs::metadata(path).ok(),
        }
    }

    /// Whether the path is a root itself, whose own folder lies outside.
    fn is_root(&self, path: &Path) -> bool {
        let path = real(path);
        self.inner.iter().flat_map(|inner| &inner.roots).any(|root| root.real == path)
    }
}

impl Default for Boundary {
    fn default() -> Self {
        Self { inner: Some(Arc::default()) }
    }
}

impl Inner {
    /// Where a folder really is, and whether its files may be read. A folder that is no link lies below its parent.
    fn folder(&self, folder: &Path, depth: usize) -> (Arc<Path>, Verdict) {
        let known = || self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = known().get(folder) {
            return place.clone();
        }
        let is_plain = || fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir());
        let real = match (folder.parent(), folder.file_name()) {
            (Some(above), Some(name)) if depth < MAX_DEPTH && is_plain() => {
                self.folder(above, depth + 1).0.join(name)
            }
            _ => real(folder),
        };
        let place = (Arc::from(&*real), self.judge(&real));
        known().insert(folder.to_owned(), place.clone());
        place
    }

    fn judge(&self, real: &Path) -> Verdict {
        let below = self.roots.iter().filter_map(|root| real.strip_prefix(&root.real).ok());
        let mut verdict = Verdict::Outside;
        for inside in below {
            if !inside.iter().any(is_git) {
                return Verdict::Inside;
            }
            verdict = Verdict::InGit;
        }
        verdict
    }
}

/// Some file systems do not tell upper case from lower case.
fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Adds the root for a path; `false` if it is there already.
fn add(path: &Path, roots: &mut Vec<Root>) -> bool {
    let path = absolute(path);
    let has_git = |folder: &&Path| fs::symlink_metadata(folder.join(".git")).is_ok();
    let named = match path.ancestors().find(has_git) {
        Some(repository) => repository.to_owned(),
        None => {
            let found = real(&path);
            let around = found.ancestors().find(has_git).map(Path::to_owned);
            match (around, path.parent()) {
                (Some(repository), _) => repository,
                (None, Some(folder)) if !found.is_dir() => {
                    // The user named this link, and no repository did.
                    push(roots, Root { named: path.clone(), real: found });
                    folder.to_owned()
                }
                _ => path,
            }
        }
    };
    let real = real(&named);
    push(roots, Root { named, real })
}

fn push(roots: &mut Vec<Root>, root: Root) -> bool {
    let is_new = !roots.contains(&root);
    if is_new {
        roots.push(root);
    }
    is_new
}

/// The place that a path leads to, also if nothing is there.
fn real(path: &Path) -> PathBuf {
    let path = non_empty(path);
    follow(&std::path::absolute(path).unwrap_or_else(|_| path.to_owned()), MAX_LINKS)
}

fn follow(path: &Path, links: usize) -> PathBuf {
    if let Ok(found) = fs::canonicalize(path) {
        return found;
    }
    let Some(folder) = path.parent() else { return path.to_owned() };
    match (fs::read_link(path), path.file_name()) {
        // A link that leads nowhere.
        (Ok(target), Some(_)) if links > 0 => follow(&folder.join(target), links - 1),
        (_, Some(name)) => follow(folder, links).join(name),
        (_, None) => {
            let mut above = follow(folder, links);
            above.pop();
            above
        }
    }
}

/// The absolute path without `.` and `..`, as it is spelled.
fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(non_empty(path)).unwrap_or_else(|_: io::Error| path.to_owned());
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => _ = clean.pop(),
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    clean
}

/// The working directory may be spelled as nothing.
fn non_empty(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}
