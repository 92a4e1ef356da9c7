//! Decides which kustomizations are built: those that GitOps objects deploy, and those that nothing in the repository
//! uses.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::{
    discover::overlay,
    kustomize::{Closure, Graph},
    unit::Deployment,
};

/// The files among which kustomizations are planned. All paths are absolute.
pub(crate) struct Plan<'a> {
    pub(crate) graph: &'a Graph,
    pub(crate) read: &'a dyn Fn(&Path) -> Option<String>,
    /// The files that a deployment of a folder finds there.
    pub(crate) files: &'a dyn Fn(&Path, &Deployment) -> Vec<PathBuf>,
}

/// A kustomization to build.
pub(crate) struct Planned {
    pub(crate) folder: PathBuf,
    /// The GitOps objects that deploy it, with the same fields and variables.
    pub(crate) deployments: Vec<Arc<Deployment>>,
    /// What it reads.
    pub(crate) closure: Closure,
    /// The kustomization file that the deployer generates where there is none.
    pub(crate) generated: Option<String>,
}

impl Plan<'_> {
    /// All kustomizations that are built by themselves. `deployments` have the folders that they deploy.
    pub(crate) fn of(&self, deployments: &[(PathBuf, Arc<Deployment>)]) -> Vec<Planned> {
        let mut deployed: BTreeMap<&PathBuf, Vec<Vec<Arc<Deployment>>>> = BTreeMap::new();
        for (folder, deployment) in deployments {
            let groups = deployed.entry(folder).or_default();
            let is_same = |group: &&mut Vec<Arc<Deployment>>| group[0].builds_alike(deployment);
            match groups.iter_mut().find(is_same) {
                Some(group) => group.push(deployment.clone()),
                None => groups.push(vec![deployment.clone()]),
            }
        }
        let unused = self.graph.roots().into_iter();
        let unused = unused.filter(|folder| !deployed.contains_key(&folder.to_path_buf()));
        let mut all: Vec<_> = unused.map(|folder| self.planned(folder, Vec::new())).collect();
        for (folder, groups) in deployed {
            all.extend(groups.into_iter().map(|group| self.planned(folder, group)));
        }
        // What a generated kustomization includes is deployed by it.
        let generated = all.iter().filter(|one| one.generated.is_some());
        let included: BTreeSet<_> =
            generated.flat_map(|one| one.closure.folders.iter().cloned()).collect();
        all.retain(|one| !one.deployments.is_empty() || !included.contains(&one.folder));
        all
    }

    fn planned(&self, folder: &Path, deployments: Vec<Arc<Deployment>>) -> Planned {
        let (closure, generated) = match deployments.first() {
            Some(first) if !self.graph.has(folder) => self.generated(folder, first),
            _ => (self.graph.closure(folder), None),
        };
        Planned { folder: folder.to_owned(), deployments, closure, generated }
    }

    /// The kustomization that kustomize-controller generates for a folder without one: all manifests below, and the
    /// folders that have a kustomization of their own.
    fn generated(&self, folder: &Path, deployment: &Deployment) -> (Closure, Option<String>) {
        let mut closure = Closure::default();
        let mut resources = BTreeSet::new();
        for file in (self.files)(folder, deployment) {
            let above = file.ancestors().skip(1).take_while(|above| *above != folder);
            let overlay = above.filter(|above| self.graph.has(above)).last();
            match overlay {
                // A file of another folder comes in through a kustomization.
                _ if !file.starts_with(folder) => {}
                Some(overlay) => _ = resources.insert(overlay.to_owned()),
                None if self.is_manifest(&file) => {
                    closure.files.insert(file.clone());
                    resources.insert(file);
                }
                None => {}
            }
        }
        for overlay in resources.iter().filter(|path| self.graph.has(path)) {
            let inner = self.graph.closure(overlay);
            closure.files.extend(inner.files);
            closure.folders.extend(inner.folders);
        }
        let text = overlay::generated(folder, resources.iter().map(PathBuf::as_path));
        (closure, Some(text))
    }

    fn is_manifest(&self, file: &Path) -> bool {
        (self.read)(file).is_some_and(|text| overlay::may_hold_objects(&text))
    }
}
