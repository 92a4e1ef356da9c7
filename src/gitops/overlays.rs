//! Chooses the kustomizations to build: those that GitOps objects deploy, and those that nothing in the repository
//! uses. Kustomizations that share files form one unit.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use super::Tree;
use crate::{
    discover::{self, Request, overlay},
    kustomize::{Closure, Graph},
    unit::{Deployment, DeploymentSource, File, KustomizeRoot, Unit, UnitKind},
};

/// What decides which kustomizations are built.
pub(super) struct Overlays<'a> {
    pub(super) deployments: &'a [Arc<Deployment>],
    pub(super) tree: &'a Tree,
    pub(super) request: &'a Request,
    /// The files of the request, absolute.
    pub(super) asked: &'a HashSet<PathBuf>,
}

/// A kustomization to build and what it reads.
struct Root {
    root: KustomizeRoot,
    closure: Closure,
}

impl Overlays<'_> {
    /// Adds units for the kustomizations that read a file of the request. Their files are no plain manifests.
    pub(super) fn group(&self, units: Vec<Unit>, kustomizations: &[PathBuf]) -> Vec<Unit> {
        let graph = Graph::of(kustomizations.iter().map(PathBuf::as_path), |path| self.read(path));
        let mut roots = self.roots(&graph);
        roots.retain(|one| self.is_asked_for(&one.closure));
        let reached: HashSet<&PathBuf> = roots.iter().flat_map(|one| &one.closure.files).collect();
        let mut units = units;
        units.par_iter_mut().filter(|unit| unit.kind == UnitKind::Plain).for_each(|unit| {
            unit.files.retain(|file| !reached.contains(&self.tree.absolute(&file.path)));
        });
        units.retain(|unit| unit.kind != UnitKind::Plain || !unit.files.is_empty());
        units.extend(sharing(roots).into_values().map(|roots| self.unit(roots)));
        units
    }

    fn read(&self, path: &Path) -> Option<String> {
        let mut texts = self.request.texts.iter();
        match texts.find(|(given, _)| self.tree.absolute(given) == path) {
            Some((_, bytes)) => Some(String::from_utf8_lossy(bytes).into_owned()),
            None => self.tree.boundary.read_to_string(path).ok(),
        }
    }

    fn is_asked_for(&self, closure: &Closure) -> bool {
        closure.files.iter().any(|file| self.asked.contains(file))
    }

    /// All kustomizations that are built by themselves.
    fn roots(&self, graph: &Graph) -> Vec<Root> {
        let mut deployed: BTreeMap<&PathBuf, Vec<Vec<&Arc<Deployment>>>> = BTreeMap::new();
        for deployment in self.deployments {
            if let DeploymentSource::Overlay { folder, .. } = &deployment.source {
                let groups = deployed.entry(folder).or_default();
                let is_same =
                    |group: &&mut Vec<&Arc<Deployment>>| group[0].builds_alike(deployment);
                match groups.iter_mut().find(is_same) {
                    Some(group) => group.push(deployment),
                    None => groups.push(vec![deployment]),
                }
            }
        }
        let unused = graph.roots().into_iter();
        let mut roots: Vec<_> = unused
            .filter(|folder| !deployed.contains_key(&folder.to_path_buf()))
            .map(|folder| self.root(folder, &[], graph))
            .collect();
        for (folder, groups) in deployed {
            roots.extend(groups.iter().map(|by| self.root(folder, by, graph)));
        }
        // What a generated kustomization includes is deployed by it.
        let included: BTreeSet<PathBuf> = roots
            .iter()
            .filter(|one| one.root.generated.is_some())
            .flat_map(|one| one.closure.folders.clone())
            .collect();
        roots
            .retain(|one| !one.root.deployments.is_empty() || !included.contains(&one.root.folder));
        roots
    }

    fn root(&self, folder: &Path, by: &[&Arc<Deployment>], graph: &Graph) -> Root {
        let (closure, generated) = match graph.has(folder) {
            true => (graph.closure(folder), None),
            false => self.generated(folder, by, graph),
        };
        let root = KustomizeRoot {
            folder: folder.to_owned(),
            shown: match self.tree.shown(folder) {
                here if here == "." => String::new(),
                shown => shown,
            },
            deployments: by.iter().map(|one| Arc::clone(one)).collect(),
            generated,
            files: closure.files.iter().cloned().collect(),
        };
        Root { root, closure }
    }

    /// The kustomization that kustomize-controller generates for a folder without one: all manifests below, and the
    /// folders that have a kustomization of their own.
    fn generated(
        &self,
        folder: &Path,
        by: &[&Arc<Deployment>],
        graph: &Graph,
    ) -> (Closure, Option<String>) {
        let mut closure = Closure::default();
        let mut resources = BTreeSet::new();
        for file in by.first().map(|one| one.files()).unwrap_or_default() {
            let above = file.ancestors().skip(1).take_while(|above| *above != folder);
            let overlay = above.filter(|above| graph.has(above)).last();
            match overlay {
                // A file of another folder comes in through a kustomization.
                _ if !file.starts_with(folder) => {}
                Some(overlay) => _ = resources.insert(overlay.to_owned()),
                None if self.is_manifest(file) => {
                    closure.files.insert(file.clone());
                    resources.insert(file.clone());
                }
                None => {}
            }
        }
        for overlay in resources.iter().filter(|path| graph.has(path)) {
            let inner = graph.closure(overlay);
            closure.files.extend(inner.files);
            closure.folders.extend(inner.folders);
        }
        let text = overlay::generated(folder, resources.iter().map(PathBuf::as_path));
        (closure, Some(text))
    }

    fn is_manifest(&self, file: &Path) -> bool {
        self.read(file).is_some_and(|text| overlay::may_hold_objects(&text))
    }

    fn unit(&self, roots: Vec<Root>) -> Unit {
        // A build also reads what no kustomization names: the files of its charts.
        let files = self.request.texts.iter().map(|(path, text)| File {
            path: path.clone(),
            shown: discover::shown(path),
            named: true,
            text: Some(text.clone()),
        });
        let files = files.collect();
        let mut deployments: Vec<Arc<Deployment>> = Vec::new();
        for deployment in roots.iter().flat_map(|one| &one.root.deployments) {
            if !deployments.iter().any(|own| Arc::ptr_eq(own, deployment)) {
                deployments.push(deployment.clone());
            }
        }
        let folder = roots.first().map(|one| one.root.folder.clone()).unwrap_or_default();
        Unit {
            kind: UnitKind::Overlay,
            boundary: self.tree.boundary.with(&folder),
            root: folder,
            files,
            together: true,
            deployments,
            roots: roots.into_iter().map(|one| one.root).collect(),
        }
    }
}

/// Groups kustomizations that share files, directly or through others.
fn sharing(roots: Vec<Root>) -> BTreeMap<usize, Vec<Root>> {
    let mut group: Vec<usize> = (0..roots.len()).collect();
    let find = |group: &[usize], mut index: usize| {
        while group[index] != index {
            index = group[index];
        }
        index
    };
    let mut readers: HashMap<&PathBuf, usize> = HashMap::new();
    for (index, one) in roots.iter().enumerate() {
        for file in &one.closure.files {
            let other = *readers.entry(file).or_insert(index);
            let (a, b) = (find(&group, index), find(&group, other));
            group[a.max(b)] = a.min(b);
        }
    }
    let numbers: Vec<_> = (0..roots.len()).map(|index| find(&group, index)).collect();
    let mut groups: BTreeMap<usize, Vec<Root>> = BTreeMap::new();
    for (one, number) in roots.into_iter().zip(numbers) {
        groups.entry(number).or_default().push(one);
    }
    groups
}
