//! Finds what nothing in a repository deploys although its likes are deployed from here.
//!
//! A repository declares its deployments if an Argo CD or Flux object deploys a folder of it by the address of one of its
//! remotes or of a fork (the name is the same, the owner is not), and nothing that may deploy more is unknown: a path or
//! parameter that may be any folder, more than a few paths that are not here, a chart of apps that does not render or that
//! somebody installs by hand, a Fleet bundle. Then a kustomization, a chart or a folder of manifests is undeployed if nothing
//! reaches it and one of these shows that this is meant:
//!
//! - A deployed kustomization in a folder above lists others of its kind and depth, and not this one.
//! - The GitOps objects that deploy it are themselves off in this way.
//! - An applied object in the folder around it deploys another folder there, and none deploys this one.
//! - It is a component of kustomizations that none lists, unlike another component beside it.
//! - At least two folders beside it (or the same folder below them) are deployed, more than are not, and none of them
//!   runs the same workload or shares a base with it: that would make it one of several environments.
//!
//! What a GitOps object may mean, what a script, a pipeline, a guide or another object names, and what holds GitOps
//! objects itself, which somebody applies by hand, counts as deployed.

mod alike;
pub(crate) mod commands;
mod live;
mod mentions;
mod pattern;
mod words;

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeSet, HashSet},
    ops::Bound::{Included, Unbounded},
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::Tool;

use super::{Tree, overlays::Root};
use crate::{
    discover::Request,
    kustomize::Graph,
    unit::{Deployment, KustomizeRoot, Named, Unit, UnitKind},
};
use live::Live;
use pattern::Pattern;

/// What decides what is deployed.
pub(super) struct Repository<'a> {
    pub(super) tree: &'a Tree,
    pub(super) request: &'a Request,
    pub(super) graph: &'a Graph,
    /// All files that can hold manifests.
    pub(super) paths: &'a [PathBuf],
    pub(super) deployments: &'a [Arc<Deployment>],
}

/// What is deployed from a repository.
pub(super) struct Deployed<'a> {
    repository: &'a Repository<'a>,
    live: Live,
    folders: OnceCell<alike::Folders>,
    likes: RefCell<alike::Known>,
}

/// What a deployer applies as a whole.
#[derive(Clone, Debug)]
struct Candidate {
    kind: Kind,
    /// Absolute.
    folder: PathBuf,
    /// Its manifests, absolute; of a chart `Chart.yaml`.
    files: Vec<PathBuf>,
    /// The GitOps objects that name it.
    named_by: Vec<Arc<Deployment>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Kustomization,
    Chart,
    Manifests,
}

impl<'a> Deployed<'a> {
    /// `None` if the repository does not declare its deployments.
    pub(super) fn of(repository: &'a Repository<'a>, roots: &[Root]) -> Option<Self> {
        let Repository { tree, request, deployments, .. } = repository;
        // What is excluded may deploy something.
        let is_known = !tree.remotes().is_empty() && request.excludes.is_empty();
        let is_fleet = |one: &Arc<Deployment>| one.deployer.tool == Tool::Fleet;
        if !is_known || deployments.iter().any(is_fleet) || !deployments.iter().any(is_of_here) {
            return None;
        }
        let live = Live::of(repository, roots)?;
        let declares = deployments.iter().any(|one| live.is_live(one) && is_of_here(one));
        declares.then(|| Self {
            repository,
            live,
            folders: OnceCell::new(),
            likes: RefCell::default(),
        })
    }

    /// States for each unit which of its folders nothing deploys.
    pub(super) fn mark(&self, units: &mut [Unit]) {
        let found: Vec<_> = units.iter().map(|unit| self.undeployed(unit)).collect();
        let all: Vec<_> = found.iter().flatten().map(|(folder, _)| folder.clone()).collect();
        let named = mentions::of(self.repository, &self.live, &all);
        for (unit, found) in units.iter_mut().zip(found) {
            let left = found.into_iter().filter(|(folder, _)| !named.contains(folder));
            unit.undeployed = left.map(|(_, shown)| shown).collect();
        }
    }

    /// The folders of a unit that seem to be undeployed, absolute and as printed.
    fn undeployed(&self, unit: &Unit) -> Vec<(PathBuf, String)> {
        let candidates = self.candidates(unit).into_iter();
        let found = candidates.filter(|one| {
            !self.is_deployed(one) && !self.is_asked_for(&one.folder) && self.is_off(one)
        });
        found.map(|one| (one.folder.clone(), self.repository.tree.shown(&one.folder))).collect()
    }

    fn candidates(&self, unit: &Unit) -> Vec<Candidate> {
        let Repository { tree, .. } = self.repository;
        let folder = tree.absolute(&unit.root);
        let named_by = unit.deployments.clone();
        match unit.kind {
            UnitKind::Overlay => {
                let root = |root: &KustomizeRoot| Candidate {
                    kind: Kind::Kustomization,
                    folder: root.folder.clone(),
                    files: root.files.clone(),
                    named_by: root.deployments.clone(),
                };
                unit.roots.iter().map(root).collect()
            }
            UnitKind::Chart => {
                let files = vec![folder.join("Chart.yaml")];
                vec![Candidate { kind: Kind::Chart, folder, files, named_by }]
            }
            // The files of a kustomization that nothing uses are not all that it is.
            UnitKind::Plain if self.is_built_alone(&folder) => Vec::new(),
            UnitKind::Plain => {
                let files = unit.files.iter().map(|file| tree.absolute(&file.path)).collect();
                vec![Candidate { kind: Kind::Manifests, folder, files, named_by }]
            }
        }
    }

    /// Whether a folder has a kustomization that is no component.
    fn is_built_alone(&self, folder: &Path) -> bool {
        let Repository { graph, .. } = self.repository;
        graph.has(folder) && !graph.is_component(folder)
    }

    /// Whether something reaches it, or may.
    fn is_deployed(&self, one: &Candidate) -> bool {
        let Candidate { kind, folder, files, named_by } = one;
        let reached = &self.live.reached;
        named_by.iter().any(|one| self.live.is_live(one))
            || reached.may_be(&self.repository.inside(folder))
            || match kind {
                Kind::Kustomization => {
                    reached.folders.contains(folder)
                        || files.iter().any(|file| self.live.is_of_objects(file))
                }
                Kind::Manifests => files
                    .iter()
                    .any(|file| reached.files.contains(file) || self.live.is_of_objects(file)),
                Kind::Chart => reached.charts.contains(folder) || self.may_be_published(folder),
            }
    }

    /// Whether a GitOps object deploys a chart by the name of this one.
    fn may_be_published(&self, chart: &Path) -> bool {
        let folder = chart.file_name().and_then(|name| name.to_str());
        let own = alike::chart_name(chart, self.repository.tree);
        let is_own = |name: &String| Some(&**name) == folder || Some(name) == own.as_ref();
        self.repository.deployments.iter().any(
            |one| matches!(&one.named, Some(Named::Chart(name)) if is_own(name) || name.contains(['$', '{'])),
        )
    }

    /// Whether the user names it, or a folder in which nothing else is deployed.
    fn is_asked_for(&self, folder: &Path) -> bool {
        let Repository { tree, request, .. } = self.repository;
        request.paths.iter().map(|path| tree.absolute(path)).any(|asked| {
            asked.starts_with(folder)
                || folder.starts_with(&asked) && !self.live.reached.is_inside(&asked)
        })
    }

    /// Whether the repository shows that it is not meant to be deployed.
    fn is_off(&self, one: &Candidate) -> bool {
        let is_switched_off = !one.named_by.is_empty();
        is_switched_off
            || self.is_left_out(one)
            || self.is_passed_over(one)
            || self.is_unused_component(&one.folder)
            || alike::are_deployed(self, one)
    }

    /// Whether it is a component, and others beside it are used, but no GitOps object adds components of its own.
    fn is_unused_component(&self, folder: &Path) -> bool {
        let Repository { graph, deployments, .. } = self.repository;
        let Some(above) = folder.parent().filter(|_| graph.is_component(folder)) else {
            return false;
        };
        let is_beside = |path: &&PathBuf| path.parent().and_then(Path::parent) == Some(above);
        let mut used = self.live.reached.below(above).filter(is_beside);
        let adds_some = |one: &Arc<Deployment>| {
            let object = &one.object;
            object.source.slice(object.root.span).contains("components")
        };
        used.any(|path| path.parent().is_some_and(|own| graph.is_component(own)))
            && !deployments.iter().any(adds_some)
    }

    /// Whether an object that is applied stands in the folder around it, and deploys another folder there: `shop/ks.yaml` is
    /// about `shop/app`, and not about `shop/cronjob`. At the root it may be about anything, and what shares a base with something
    /// deployed is for another environment.
    fn is_passed_over(&self, candidate: &Candidate) -> bool {
        let Repository { tree, deployments, .. } = self.repository;
        let above = candidate.folder.parent();
        let is_beside = |one: &Arc<Deployment>| {
            let site = tree.absolute(one.place().source.path.as_ref());
            site.parent() == above && one.overlay().is_some_and(|own| own.parent() == above)
        };
        above != Some(&tree.root)
            && deployments.iter().any(|one| self.live.is_live(one) && is_beside(one))
            && !alike::shares_base(self, candidate)
    }

    /// Whether a deployed kustomization lists others like it, or like a folder above it in which nothing is deployed.
    fn is_left_out(&self, one: &Candidate) -> bool {
        let Repository { tree, graph, .. } = self.repository;
        let reached = &self.live.reached;
        let own = match one.kind {
            Kind::Manifests => one.files.first(),
            Kind::Kustomization | Kind::Chart => None,
        };
        let above = one.folder.ancestors().take_while(|folder| **folder != tree.root);
        let above = above.take_while(|folder| !reached.is_inside(folder));
        let folders = above.filter(|folder| graph.has(folder));
        let mut listers = folders
            .chain(own.map(PathBuf::as_path))
            .flat_map(|path| live::listers(path, graph, tree));
        listers.any(|folder| reached.folders.contains(folder))
    }
}

impl Repository<'_> {
    /// A path relative to the root, with `/`.
    fn inside(&self, path: &Path) -> String {
        crate::discover::shown(path.strip_prefix(&self.tree.root).unwrap_or(path))
    }
}

/// Whether a GitOps object deploys a part of this repository by its address, or by that of its fork.
fn is_of_here(one: &Arc<Deployment>) -> bool {
    let is_own = !one.deployer.assumed || matches!(one.named, Some(Named::Path(_)));
    is_own && live::is_found(one)
}

/// What is deployed. Paths are absolute.
#[derive(Debug, Default)]
struct Reached {
    /// Folders of kustomizations.
    folders: HashSet<PathBuf>,
    charts: HashSet<PathBuf>,
    files: HashSet<PathBuf>,
    /// All of them, in order.
    all: BTreeSet<PathBuf>,
    /// Paths that are not known in full.
    patterns: Vec<Pattern>,
}

impl Reached {
    /// Whether anything in or below a folder is deployed.
    fn is_inside(&self, folder: &Path) -> bool {
        self.below(folder).next().is_some()
    }

    /// What is deployed in and below a folder.
    fn below(&self, folder: &Path) -> impl Iterator<Item = &PathBuf> {
        let from = self.all.range::<Path, _>((Included(folder), Unbounded));
        from.take_while(move |path| path.starts_with(folder))
    }

    /// Whether a path, relative to the root, may be one that is not known in full.
    fn may_be(&self, path: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.covers(path))
    }
}
