//! Which kustomizations use which others, and which files each one reads.

use std::{
    collections::{BTreeMap, BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use crate::discover::{is_overlay_file, normal, read_overlay};

/// The kustomizations of a repository, by folder. All paths are absolute.
#[derive(Debug, Default)]
pub(crate) struct Graph {
    folders: BTreeMap<PathBuf, Kustomization>,
}

#[derive(Debug)]
struct Kustomization {
    file: PathBuf,
    /// The files and folders that it names.
    named: BTreeSet<PathBuf>,
    is_component: bool,
}

/// What a build reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Closure {
    /// Kustomizations and the files that they name.
    pub(crate) files: BTreeSet<PathBuf>,
    /// The folders of kustomizations.
    pub(crate) folders: BTreeSet<PathBuf>,
}

impl Graph {
    /// Reads the kustomization files among some paths.
    pub(crate) fn of<'p>(
        paths: impl IntoIterator<Item = &'p Path>,
        read: impl Fn(&Path) -> Option<String>,
    ) -> Self {
        let mut folders = BTreeMap::new();
        for path in paths {
            let Some(folder) = path.parent().filter(|_| is_overlay_file(path)) else { continue };
            let Some(text) = read(path) else { continue };
            let overlay = read_overlay(&text);
            let all = overlay.resources.iter().chain(&overlay.parts).chain(&overlay.inputs);
            let named = all.filter(|named| !named.contains("://"));
            let kustomization = Kustomization {
                file: path.to_owned(),
                named: named.map(|named| normal(&folder.join(named))).collect(),
                is_component: overlay.is_component,
            };
            folders.insert(folder.to_owned(), kustomization);
        }
        Self { folders }
    }

    /// Whether a folder holds a kustomization.
    pub(crate) fn has(&self, folder: &Path) -> bool {
        self.folders.contains_key(folder)
    }

    /// The folders with a kustomization.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.folders.keys().map(PathBuf::as_path)
    }

    /// The files and folders that the kustomization in a folder names.
    pub(crate) fn named(&self, folder: &Path) -> impl Iterator<Item = &Path> {
        let own = self.folders.get(folder).into_iter();
        own.flat_map(|own| own.named.iter().map(PathBuf::as_path))
    }

    /// Whether the kustomization in a folder is a component.
    pub(crate) fn is_component(&self, folder: &Path) -> bool {
        self.folders.get(folder).is_some_and(|own| own.is_component)
    }

    /// The kustomizations that no other one uses. Components are none: they do not build alone.
    pub(crate) fn roots(&self) -> Vec<&Path> {
        let used: HashSet<&Path> = self
            .folders
            .iter()
            .flat_map(|(folder, own)| {
                own.named.iter().filter(move |named| *named != folder).map(PathBuf::as_path)
            })
            .collect();
        let is_root = |(folder, own): &(&PathBuf, &Kustomization)| {
            !own.is_component && !used.contains(folder.as_path())
        };
        let all = || self.folders.iter();
        let mut roots: Vec<_> = all().filter(is_root).map(|(folder, _)| folder.as_path()).collect();
        // Kustomizations that use each other do not build; one of each circle says so.
        let mut known = HashSet::new();
        roots.iter().for_each(|root| self.reach(root, &mut known));
        for (folder, own) in all() {
            if !own.is_component && !known.contains(folder.as_path()) {
                self.reach(folder, &mut known);
                roots.push(folder);
            }
        }
        roots
    }

    /// Adds a folder and those of the kustomizations that it uses.
    fn reach<'g>(&'g self, folder: &Path, known: &mut HashSet<&'g Path>) {
        let mut waiting = vec![folder];
        while let Some(folder) = waiting.pop() {
            let Some((folder, own)) = self.folders.get_key_value(folder) else { continue };
            if known.insert(folder) {
                waiting.extend(own.named.iter().map(PathBuf::as_path));
            }
        }
    }

    /// Everything that the kustomization in a folder reads, as far as its files tell without a build.
    pub(crate) fn closure(&self, folder: &Path) -> Closure {
        let mut closure = Closure::default();
        let mut waiting = vec![folder.to_owned()];
        while let Some(folder) = waiting.pop() {
            let Some(own) = self.folders.get(&folder) else { continue };
            if !closure.folders.insert(folder) {
                continue;
            }
            closure.files.insert(own.file.clone());
            for named in &own.named {
                match self.has(named) {
                    true => waiting.push(named.clone()),
                    false => _ = closure.files.insert(named.clone()),
                }
            }
        }
        closure
    }
}
