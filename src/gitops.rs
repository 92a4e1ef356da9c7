//! The GitOps objects of a tree: which deployer applies which folder or chart, with which options and
//! values. Reads files, asks nobody: what lies elsewhere is said to.
//!
//! Facts: argocd.md 4, 10; flux-fleet-kustomize.md 1.8, 1.9, 2.1, 3.7.

mod argocd;
mod filling;
mod fleet;
mod flux;
mod generators;
mod helm_input;
mod options;
mod scan;
mod target;
mod told;
mod tree;
mod units;

use std::{path::PathBuf, sync::Arc};

pub use fleet::{compare_patches, ignored};
pub use helm_input::{HelmInput, Values};
pub use scan::is_gitops;
pub use tree::Tree;

use crate::{deploy::Deployer, discover::Request, object::Object, source::Location, unit::Unit};

/// What one GitOps object has one deployer apply. A multi-source Application, a generator or a
/// `targetCustomizations` of Fleet makes several of them.
#[derive(Clone, Debug)]
pub struct Deployment {
    /// The Application, HelmRelease or Kustomization; of a `fleet.yaml` the whole file.
    pub object: Object,
    /// As messages name it: ``Application `shop` ``, `deploy/fleet.yaml`.
    pub title: String,
    /// With those options that the object states, each with its place.
    pub deployer: Deployer,
    pub what: What,
    /// How a chart is rendered; `None` for what is no chart.
    pub helm: Option<HelmInput>,
    /// The namespace of what does not name its own.
    pub namespace: Option<String>,
    /// What of the object was not evaluated, and why.
    pub not_evaluated: Vec<String>,
}

/// What is applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// These files as they are: absolute paths.
    Manifests(Vec<PathBuf>),
    /// A kustomization, and the files that it and what it lists apply as they are.
    Overlay { folder: PathBuf, files: Vec<PathBuf> },
    /// The folder of a chart.
    Chart(PathBuf),
    /// It lies elsewhere; where, as the end of a sentence.
    External(String),
    /// It should be here and cannot be found or read; why.
    Unresolved(String),
}

impl Deployment {
    /// The place of the object: the value of its `kind`, or the start of the file.
    pub fn place(&self) -> Location {
        let root = &self.object.root;
        let span = root.get("kind").map_or(root.span, |kind| kind.span);
        Location { source: self.object.source.clone(), span }
    }

    /// The files that it applies as they are.
    pub fn files(&self) -> &[PathBuf] {
        match &self.what {
            What::Manifests(files) | What::Overlay { files, .. } => files,
            What::Chart(_) | What::External(_) | What::Unresolved(_) => &[],
        }
    }
}

/// Finds the GitOps objects around a request and regroups its units by who applies them. Notes say what
/// was not resolved.
pub fn resolve(units: Vec<Unit>, request: &Request, notes: &mut Vec<String>) -> Vec<Unit> {
    let tree = Tree::around(request);
    let deployments = discover(request, &tree);
    notes.extend(told::told(&deployments, request, &tree));
    units::by_deployment(units, &deployments, &tree)
}

/// The deployments of the tree around a request, in the order of their places.
pub fn discover(request: &Request, tree: &Tree) -> Vec<Arc<Deployment>> {
    let found = scan::scan(tree, request);
    let mut all = Vec::new();
    for object in &found.objects {
        match object.group() {
            "argoproj.io" => all.extend(argocd::deployments(object, tree)),
            _ => all.extend(flux::deployments(object, &found.objects, tree)),
        }
    }
    for file in &found.fleet {
        all.extend(fleet::deployments(file, tree));
    }
    all.sort_by(|a, b| a.place().sort_key().cmp(&b.place().sort_key()));
    all.into_iter().map(Arc::new).collect()
}
