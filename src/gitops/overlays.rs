//! Makes units of the kustomizations that are built: those that share files form one.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use rayon::prelude::*;

use super::{
    Tree,
    plan::{Plan, Planned},
};
use crate::{
    discover::{self, Request},
    kustomize::{Closure, Graph},
    unit::{Deployment, File, KustomizeRoot, Unit, UnitKind},
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
pub(super) struct Root {
    pub(super) root: KustomizeRoot,
    pub(super) closure: Closure,
}

impl Overlays<'_> {
    /// The kustomizations of the repository.
    pub(super) fn graph(&self, kustomizations: &[PathBuf]) -> Graph {
        Graph::of(kustomizations.iter().map(PathBuf::as_path), |path| self.read(path))
    }

    /// Adds units for the kustomizations that read a file of the request. Their files are no plain manifests.
    pub(super) fn group(&self, units: Vec<Unit>, mut roots: Vec<Root>) -> Vec<Unit> {
        roots.retain(|one| self.is_asked_for(&one.closure));
        let reached: HashSet<&PathBuf> = roots.iter().flat_map(|one| &one.closure.files).collect();
        let mut units = units;
        units.par_iter_mut().filter(|unit| unit.kind == UnitKind::Plain).for_each(|unit| {
            unit.files.retain(|file| !reached.contains(&self.tree.absolute(&file.path)));
        });
        units.retain(|unit| unit.kind != UnitKind::Plain || !unit.files.is_empty());
        let deployed = roots.iter().map(|one| &one.root);
        // A generated kustomization lists all manifests but those below another kustomization.
        let deployed = deployed.filter(|root| !root.deployments.is_empty());
        let deployed: HashSet<_> = deployed.map(|root| &*root.folder).collect();
        for unit in units.iter_mut().filter(|unit| unit.kind == UnitKind::Plain) {
            let is_below = |file: &File| {
                let path = self.tree.absolute(&file.path);
                path.ancestors().any(|folder| deployed.contains(folder))
            };
            unit.switched_off = unit.deployments.is_empty() && unit.files.iter().all(is_below);
        }
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
    pub(super) fn roots(&self, graph: &Graph) -> Vec<Root> {
        let plan = Plan {
            graph,
            read: &|path| self.read(path),
            files: &|_, deployment| deployment.files().to_vec(),
        };
        let in_folder = |one: &Arc<Deployment>| Some((one.overlay()?.to_owned(), one.clone()));
        let deployed: Vec<_> = self.deployments.iter().filter_map(in_folder).collect();
        plan.of(&deployed).into_iter().map(|planned| self.root(planned)).collect()
    }

    fn root(&self, planned: Planned) -> Root {
        let Planned { folder, deployments, closure, generated } = planned;
        let shown = match self.tree.shown(&folder) {
            here if here == "." => String::new(),
            shown => shown,
        };
        let files = closure.files.iter().cloned().collect();
        Root { root: KustomizeRoot { folder, shown, deployments, generated, files }, closure }
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
        let boundary = self.tree.boundary.with(&folder);
        Unit {
            root: folder,
            deployments,
            roots: roots.into_iter().map(|one| one.root).collect(),
            bumped: self.tree.bumps,
            ..Unit::new(UnitKind::Overlay, files, boundary)
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
