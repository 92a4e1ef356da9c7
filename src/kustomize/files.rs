//! The files of a build: those of the repository, with the contents that replace some of them.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use kustomize_build::{Charts, Disk, Files, Memory};

use super::charts::{ChartFiles, HelmCharts};

use crate::{
    discover::{OVERLAY_FILES, absolute, normal, relative, shown},
    unit::{Boundary, KustomizeRoot, Unit},
};

/// The kustomization files that deployers generate for folders without one.
pub(crate) fn generated(
    roots: &[KustomizeRoot],
) -> impl Iterator<Item = (PathBuf, Vec<u8>)> + use<'_> {
    roots.iter().filter_map(|root| {
        Some((root.folder.join(OVERLAY_FILES[0]), root.generated.clone()?.into_bytes()))
    })
}

/// The files of a repository. All paths are absolute.
#[derive(Debug)]
pub(crate) struct Repository {
    below: Below,
    /// Contents that replace files, or add some.
    texts: BTreeMap<PathBuf, Vec<u8>>,
    /// The folders of those.
    folders: BTreeSet<PathBuf>,
    /// What is shown before the paths of files in memory.
    prefix: String,
}

#[derive(Clone, Debug)]
enum Below {
    Disk(Disk),
    Memory(Memory),
}

impl Repository {
    /// The files within the boundary of a unit.
    pub(crate) fn of_unit(unit: &Unit) -> Self {
        let mut texts = BTreeMap::new();
        for file in &unit.files {
            texts.extend(file.text.clone().map(|text| (absolute(&file.path), text)));
        }
        texts.extend(generated(&unit.roots));
        Self::on_disk(Disk::within(unit.boundary.clone())).with(texts)
    }

    /// The files of this machine.
    pub(crate) fn on_disk(disk: Disk) -> Self {
        Self::of(Below::Disk(disk), String::new())
    }

    /// Files in memory, whose paths are shown after a prefix such as `v1.2.0:`.
    pub(crate) fn in_memory(files: Memory, prefix: String) -> Self {
        Self::of(Below::Memory(files), prefix)
    }

    fn of(below: Below, prefix: String) -> Self {
        Self { below, texts: BTreeMap::new(), folders: BTreeSet::new(), prefix }
    }

    /// The same files with other contents for some of them.
    pub(crate) fn with(&self, more: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let mut texts = self.texts.clone();
        texts.extend(more.into_iter().map(|(path, text)| (self.real(&path), text)));
        let above = texts.keys().flat_map(|path| path.ancestors().skip(1));
        let folders = above.map(Path::to_owned).collect();
        Self { below: self.below.clone(), folders, texts, prefix: self.prefix.clone() }
    }

    /// Whether the content of a file is replaced.
    pub(super) fn replaces(&self, path: &Path) -> bool {
        self.texts.contains_key(path)
    }

    /// Renders the charts among these files.
    pub(super) fn charts(&self) -> Arc<dyn Charts> {
        let files = match &self.below {
            Below::Disk(disk) => ChartFiles::Disk(disk.boundary().clone()),
            Below::Memory(memory) => ChartFiles::Memory(memory.clone()),
        };
        Arc::new(HelmCharts::new(files, self.texts.clone()))
    }

    /// A path without links, also of a file that is not there.
    fn real(&self, path: &Path) -> PathBuf {
        let found = self.files().resolve(path).map(|(path, _)| path);
        let beside = || {
            let (folder, _) = self.files().resolve(path.parent()?).ok()?;
            Some(folder.join(path.file_name()?))
        };
        found.ok().or_else(beside).unwrap_or_else(|| path.to_owned())
    }

    /// The absolute path of a file that a build of `root` shows.
    pub(crate) fn path(&self, shown: &str, root: &KustomizeRoot) -> PathBuf {
        let shown = Path::new(shown);
        match shown.is_absolute() {
            true => normal(shown),
            false => normal(&root.folder.join(relative(shown, Path::new(&root.shown)))),
        }
    }

    /// A message with the paths that are shown instead of absolute ones.
    pub(crate) fn without_root(&self, message: &str, root: &KustomizeRoot) -> String {
        let mut text = message.to_owned();
        let (mut above, mut here) = (root.folder.as_path(), PathBuf::from(&root.shown));
        while above.parent().is_some() {
            let name = match shown(&here) {
                empty if empty.is_empty() => ".".to_owned(),
                name => name,
            };
            let folder = if name == "." { String::new() } else { format!("{name}/") };
            text = text.replace(&format!("{}/", above.display()), &folder);
            text = text.replace(&*above.display().to_string(), &name);
            match (above.parent(), here.pop()) {
                (Some(parent), true) => above = parent,
                _ => break,
            }
        }
        text
    }

    /// Where the files may be, if they are those of this machine.
    pub(super) fn boundary(&self) -> Option<&Boundary> {
        match &self.below {
            Below::Disk(disk) => Some(disk.boundary()),
            Below::Memory(_) => None,
        }
    }

    fn files(&self) -> &dyn Files {
        match &self.below {
            Below::Disk(disk) => disk,
            Below::Memory(memory) => memory,
        }
    }
}

impl Files for Repository {
    fn resolve(&self, path: &Path) -> io::Result<(PathBuf, bool)> {
        match self.files().resolve(path) {
            Err(_) if self.texts.contains_key(path) => Ok((path.to_owned(), false)),
            Err(_) if self.folders.contains(path) => Ok((path.to_owned(), true)),
            found => found,
        }
    }

    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        match self.texts.get(path) {
            Some(text) => Ok(text.clone()),
            None => self.files().read(path),
        }
    }

    fn shown(&self, path: &Path) -> Option<String> {
        let inside = path.strip_prefix("/").ok()?;
        matches!(self.below, Below::Memory(_)).then(|| format!("{}{}", self.prefix, shown(inside)))
    }
}
