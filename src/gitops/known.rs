//! What is known of a repository: several objects may name the same folder, and it is looked up once.

use std::{
    collections::HashMap,
    fs,
    hash::Hash,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock, PoisonError},
};

use super::target::{Depth, Resource};
use crate::{
    discover::{self, normal},
    unit::DeploymentSource,
};

/// What was looked up; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    sources: Memo<(PathBuf, Depth), Option<DeploymentSource>>,
    kustomizations: Memo<PathBuf, Option<Arc<[Resource]>>>,
    files: OnceLock<Vec<PathBuf>>,
    folders: OnceLock<Vec<String>>,
}

impl Known {
    /// What a deployer applies of a folder.
    pub(super) fn source(
        &self,
        folder: &Path,
        depth: Depth,
        look_up: impl FnOnce() -> Option<DeploymentSource>,
    ) -> Option<DeploymentSource> {
        self.0.sources.get((folder.to_owned(), depth), look_up)
    }

    /// The resources of the kustomization in a folder; `None` if there is none.
    pub(super) fn kustomization(
        &self,
        folder: &Path,
        look_up: impl FnOnce() -> Option<Arc<[Resource]>>,
    ) -> Option<Arc<[Resource]>> {
        self.0.kustomizations.get(folder.to_owned(), look_up)
    }

    /// The files below the root that can hold manifests, in order.
    pub(super) fn files(&self, root: &Path) -> &[PathBuf] {
        self.0.files.get_or_init(|| {
            let mut files: Vec<_> = discover::files(root).filter_map(Result::ok).collect();
            files.sort();
            files
        })
    }

    /// The folders below the root that are not hidden, in order, as paths relative to it.
    pub(super) fn folders(&self, root: &Path) -> &[String] {
        self.0.folders.get_or_init(|| {
            let mut folders = Vec::new();
            collect_folders(root, "", &mut folders);
            folders
        })
    }
}

/// Answers by their questions.
#[derive(Debug)]
struct Memo<K, V>(Mutex<HashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// The lock is not held meanwhile, because looking one thing up may lead to others.
    fn get(&self, key: K, look_up: impl FnOnce() -> V) -> V {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(&key) {
            return found.clone();
        }
        let found = look_up();
        known().insert(key, found.clone());
        found
    }
}

fn collect_folders(folder: &Path, shown: &str, found: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let mut names: Vec<_> = entries
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.') && name != "node_modules")
        .collect();
    names.sort();
    for name in names {
        let path = if shown.is_empty() { name.clone() } else { format!("{shown}/{name}") };
        found.push(path.clone());
        collect_folders(&normal(&folder.join(&name)), &path, found);
    }
}
