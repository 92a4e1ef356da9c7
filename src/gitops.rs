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

use crate::{
    chart, deploy::Deployer, discover::Request, object::Object, source::Location, unit::Unit,
};

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
        Location { source: self.object.source.clone(), span }.written()
    }

    /// The files that it applies as they are.
    pub fn files(&self) -> &[PathBuf] {
        match &self.what {
            What::Manifests(files) | What::Overlay { files, .. } => files,
            What::Chart(_) | What::External(_) | What::Unresolved(_) => &[],
        }
    }
}

/// The deployers of some deployments, each once.
pub fn deployers(deployments: &[Arc<Deployment>]) -> Vec<Deployer> {
    let mut all: Vec<Deployer> = Vec::new();
    for deployment in deployments {
        if !all.contains(&deployment.deployer) {
            all.push(deployment.deployer.clone());
        }
    }
    all
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
    let mut all = read(&found.objects, &found.fleet, tree);
    // Charts of Applications, which Applications may deploy: each with the values that the last pass found.
    for _ in 0..if found.charts.is_empty() { 0 } else { DEPTH } {
        let mut objects = found.objects.clone();
        objects.extend(rendered(&found.charts, &all, tree));
        all = read(&objects, &found.fleet, tree);
    }
    all.sort_by(|a, b| a.place().sort_key().cmp(&b.place().sort_key()));
    all.into_iter().map(Arc::new).collect()
}

/// Charts of Applications deploy each other this deep.
const DEPTH: usize = 3;

fn read(objects: &[Object], fleet: &[PathBuf], tree: &Tree) -> Vec<Deployment> {
    let of = |object: &Object| match object.group() {
        "argoproj.io" => argocd::deployments(object, tree),
        _ => flux::deployments(object, objects, tree),
    };
    let bundles = fleet.iter().flat_map(|file| fleet::deployments(file, tree));
    objects.iter().flat_map(of).chain(bundles).collect()
}

/// The GitOps objects that charts render, as they are deployed, else by default. What does not render says so
/// where the chart is checked.
fn rendered(charts: &[PathBuf], deployments: &[Deployment], tree: &Tree) -> Vec<Object> {
    let of = |root: &PathBuf| {
        let deploys = |one: &&Deployment| one.what == What::Chart(root.clone());
        let inputs: Vec<_> =
            deployments.iter().filter(deploys).filter_map(|one| one.helm.as_ref()).collect();
        let inputs = match inputs.is_empty() {
            true => vec![None],
            false => inputs.into_iter().map(Some).collect(),
        };
        let shown = tree.shown(root);
        let render = |input| chart::objects_of(root, &shown, input).unwrap_or_default();
        inputs.into_iter().flat_map(render).filter(scan::matters).collect::<Vec<_>>()
    };
    let all = || charts.iter().flat_map(of).collect();
    chart::with_stack(all).unwrap_or_default()
}
