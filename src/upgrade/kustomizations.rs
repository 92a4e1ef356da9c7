//! The kustomizations of a version, built.

use std::path::{Path, PathBuf};

use file_boundary::Boundary;
use kustomize_build::{Disk, Memory};

use super::{error::LoadError, version::VersionSource};
use crate::{
    discover::{OVERLAY_FILES, normal, shown},
    kustomize::{self, Graph, Repository},
    unit::{File, KustomizeRoot, Loaded},
};

/// The kustomizations of a version, each with its folder below that of the version.
pub(super) struct Kustomizations {
    pub(super) built: Vec<(String, Loaded)>,
}

/// The place of a version among all files of its repository.
struct Place {
    repository: Repository,
    /// The folder of the version, absolute.
    root: PathBuf,
    /// The folder as printed.
    shown: String,
}

impl Kustomizations {
    /// Builds the kustomizations among the files of a version that none of the others uses. What they read is taken
    /// out of `files`, which are given with their paths below the folder of the version.
    ///
    /// # Errors
    /// The files of the revision cannot be read.
    pub(super) fn take(
        source: &VersionSource,
        files: &mut Vec<(String, File)>,
    ) -> Result<Self, LoadError> {
        let is_overlay =
            |path: &str| OVERLAY_FILES.contains(&path.rsplit('/').next().unwrap_or(path));
        if !files.iter().any(|(path, _)| is_overlay(path)) {
            return Ok(Self { built: Vec::new() });
        }
        let place = Place::of(source)?;
        let absolute = |below: &str| normal(&place.root.join(below));
        let named: Vec<_> = files.iter().map(|(below, file)| (absolute(below), file)).collect();
        let text = |path: &Path| {
            let (_, file) = named.iter().find(|(own, _)| own == path)?;
            let bytes = match &file.text {
                Some(text) => text.clone(),
                None => Boundary::around([path]).read(path).ok()?,
            };
            Some(String::from_utf8_lossy(&bytes).into_owned())
        };
        let graph = Graph::of(named.iter().map(|(path, _)| path.as_path()), text);
        let mut roots = Vec::new();
        let mut reached = std::collections::BTreeSet::new();
        for folder in graph.roots() {
            let closure = graph.closure(folder);
            reached.extend(closure.files.iter().cloned());
            let below = folder.strip_prefix(&place.root).unwrap_or(folder);
            let shown = shown(&Path::new(&place.shown).join(below));
            let shown = if shown == "." { String::new() } else { shown };
            let files = closure.files.into_iter().collect();
            roots.push(KustomizeRoot::new(folder.to_owned(), shown, files));
        }
        let views = kustomize::load_from(&place.repository, &roots, false);
        let below = |root: &KustomizeRoot| {
            shown_below(root.folder.strip_prefix(&place.root).unwrap_or(&root.folder))
        };
        let built = roots.iter().map(below).zip(views).collect();
        files.retain(|(below, _)| !reached.contains(&absolute(below)));
        Ok(Self { built })
    }
}

fn shown_below(path: &Path) -> String {
    if path.as_os_str().is_empty() { ".".to_owned() } else { shown(path) }
}

impl Place {
    fn of(source: &VersionSource) -> Result<Self, LoadError> {
        match source {
            VersionSource::Path(path) => {
                let root = std::path::absolute(path).unwrap_or_else(|_| path.clone());
                Ok(Self {
                    repository: Repository::on_disk(Disk::around(path)),
                    root: normal(&root),
                    shown: shown(path),
                })
            }
            VersionSource::Revision(revision) => {
                let files = revision.whole().files(&|_| true)?;
                let files: Memory = files.into_iter().map(|blob| (blob.path, blob.data)).collect();
                Ok(Self {
                    repository: Repository::in_memory(files, format!("{}:", revision.name())),
                    root: Path::new("/").join(revision.path()),
                    shown: revision.shown(""),
                })
            }
        }
    }
}
