//! Which GitOps objects are applied: a folder of the repository may be off, and with it the objects in it.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Pattern, Reached, Repository};
use crate::{
    discover::can_hold_manifests,
    gitops::{Tree, overlays::Root},
    kustomize::Graph,
    resolve::is_put_aside,
    unit::{Deployment, DeploymentSource, Named},
};

/// The GitOps objects that are applied, and what they reach.
pub(super) struct Live {
    live: Vec<bool>,
    /// The files of all objects, absolute, in their order.
    sites: Vec<PathBuf>,
    /// The positions of the objects in a file.
    held: HashMap<PathBuf, Vec<usize>>,
    pub(super) reached: Reached,
}

/// How the file of a GitOps object reaches a cluster.
enum Way {
    /// Somebody applies it, unless a deployed kustomization of these folders lists others like it.
    Hand(Vec<PathBuf>),
    /// The GitOps objects at these positions apply it.
    Objects(Vec<usize>),
    /// It has been put aside: nobody applies it.
    Aside,
}

impl Live {
    /// Which objects are live. `None` if they may deploy any folder, or one that is not here.
    pub(super) fn of(repository: &Repository<'_>, roots: &[Root]) -> Option<Self> {
        let Repository { tree, deployments, .. } = repository;
        let site = |one: &Deployment| tree.absolute(one.place().source.path.as_ref());
        let sites: Vec<_> = deployments.iter().map(|one| site(one)).collect();
        let mut held: HashMap<_, Vec<_>> = HashMap::new();
        for (at, site) in sites.iter().enumerate() {
            held.entry(site.clone()).or_default().push(at);
        }
        let appliers = Appliers::of(&held, repository, roots);
        let ways: Vec<_> = sites.iter().map(|site| appliers.ways(site)).collect();
        let by_hand = |way: &Way| matches!(way, Way::Hand(listers) if listers.is_empty());
        let live = ways.iter().map(|ways| ways.iter().any(by_hand)).collect();
        let mut all = Self { live, sites, held, reached: Reached::default() };
        loop {
            all.spread(repository, roots);
            let off = all.off(&ways);
            let open: Vec<_> = (0..off.len()).filter(|at| !all.live[*at] && !off[*at]).collect();
            if open.is_empty() {
                break;
            }
            // What applies itself was once applied by hand. Nobody applies the lists that leave out the rest.
            let own: Vec<_> =
                open.iter().copied().filter(|at| is_applied_by(&ways, *at, *at)).collect();
            let more = if own.is_empty() { open } else { own };
            more.into_iter().for_each(|at| all.live[at] = true);
        }
        all.is_certain(repository).then_some(all)
    }

    pub(super) fn is_live(&self, index: usize) -> bool {
        self.live[index]
    }

    /// Whether a file holds GitOps objects, which say what they deploy.
    pub(super) fn is_known(&self, file: &Path) -> bool {
        self.held.contains_key(file)
    }

    /// Whether a file holds an object that is live.
    pub(super) fn is_of_objects(&self, file: &Path) -> bool {
        self.held.get(file).is_some_and(|held| held.iter().any(|at| self.live[*at]))
    }

    /// Follows the live objects to all that they reach, objects too.
    fn spread(&mut self, repository: &Repository<'_>, roots: &[Root]) {
        loop {
            self.reached = self.reach(repository, roots);
            let is_new =
                |at: &usize| !self.live[*at] && self.reached.files.contains(&self.sites[*at]);
            let new: Vec<_> = (0..self.live.len()).filter(is_new).collect();
            if new.is_empty() {
                return;
            }
            new.into_iter().for_each(|at| self.live[at] = true);
        }
    }

    fn reach(&self, repository: &Repository<'_>, roots: &[Root]) -> Reached {
        let Repository { deployments, .. } = repository;
        let mut reached = Reached::default();
        let mut live: HashSet<*const Deployment> = HashSet::new();
        for (at, one) in deployments.iter().enumerate().filter(|(at, _)| self.live[*at]) {
            live.insert(Arc::as_ptr(one));
            reached.patterns.extend(pattern(one));
            reached.files.extend(one.files().iter().cloned());
            if let DeploymentSource::Chart(folder) = &one.source {
                reached.charts.insert(folder.clone());
            }
            reached.all.insert(self.sites[at].clone());
        }
        for root in roots {
            let folder = &root.root.folder;
            let own = &root.root.deployments;
            let by_objects = || own.iter().any(|own| live.contains(&Arc::as_ptr(own)));
            let by_hand =
                || own.is_empty() && root.closure.files.iter().any(|file| self.is_of_objects(file));
            if by_objects() || by_hand() || reached.may_be(&repository.inside(folder)) {
                reached.folders.extend(root.closure.folders.iter().cloned());
                // A folder without a kustomization file gets one.
                reached.folders.insert(folder.clone());
                reached.files.extend(root.closure.files.iter().cloned());
            }
        }
        reached
            .all
            .extend(reached.folders.iter().chain(&reached.charts).chain(&reached.files).cloned());
        reached
    }

    /// Which objects nothing applies: each way to them ends at a list that leaves them out.
    fn off(&self, ways: &[Vec<Way>]) -> Vec<bool> {
        let mut off = vec![false; ways.len()];
        loop {
            let is_closed = |way: &Way| match way {
                Way::Hand(listers) => {
                    listers.iter().any(|folder| self.reached.folders.contains(folder))
                }
                Way::Objects(by) => by.iter().all(|at| off[*at]),
                Way::Aside => true,
            };
            let is_new =
                |at: &usize| !self.live[*at] && !off[*at] && ways[*at].iter().all(is_closed);
            let new: Vec<_> = (0..ways.len()).filter(is_new).collect();
            if new.is_empty() {
                return off;
            }
            new.into_iter().for_each(|at| off[at] = true);
        }
    }

    /// Whether the live objects tell what they deploy: no path may be that of any folder, and all paths are here.
    fn is_certain(&self, repository: &Repository<'_>) -> bool {
        let live = repository.deployments.iter().zip(&self.live).filter(|(_, live)| **live);
        let is_missing = |one: &Deployment| match &one.named {
            Some(Named::Path(path)) if !is_found(one) => {
                !Pattern::of(path).is_open() && !repository.tree.path(path).is_dir()
            }
            _ => false,
        };
        let may_patch_path = |one: &Deployment| {
            one.object
                .root
                .at(&["spec", "templatePatch"])
                .and_then(|patch| patch.as_str())
                .is_some_and(|patch| patch.contains("path"))
        };
        !self.reached.patterns.iter().any(Pattern::is_any)
            && !live.into_iter().any(|(one, _)| is_missing(one) || may_patch_path(one))
    }
}

/// Whether the source of a deployment is in the repository.
pub(super) fn is_found(one: &Deployment) -> bool {
    !matches!(one.source, DeploymentSource::Unresolved(_) | DeploymentSource::External(_))
}

/// What an object names, as far as it is not known which folder that is.
fn pattern(one: &Deployment) -> Option<Pattern> {
    match one.named.as_ref()? {
        Named::Path(path) => {
            let pattern = Pattern::of(path);
            (pattern.is_open() || !is_found(one)).then_some(pattern)
        }
        Named::PathBelow(path) => (!is_found(one)).then(|| Pattern::below(path)),
        Named::Chart(_) => None,
    }
}

/// Whether an object applies another one, through others or not.
fn is_applied_by(ways: &[Vec<Way>], at: usize, other: usize) -> bool {
    let by = |at: usize| {
        ways[at].iter().flat_map(|way| match way {
            Way::Objects(by) => &by[..],
            Way::Hand(_) | Way::Aside => &[],
        })
    };
    let (mut known, mut waiting) = (HashSet::new(), vec![at]);
    while let Some(next) = waiting.pop() {
        let new: Vec<_> = by(next).copied().filter(|at| known.insert(*at)).collect();
        waiting.extend(new);
    }
    known.contains(&other)
}

/// What applies the files of GitOps objects.
struct Appliers<'a> {
    repository: &'a Repository<'a>,
    /// The kustomizations that read a file.
    roots: HashMap<&'a Path, Vec<&'a Root>>,
    /// The positions of the objects that apply a file as it is.
    objects: HashMap<&'a Path, Vec<usize>>,
    /// The positions of all objects.
    positions: HashMap<*const Deployment, usize>,
}

impl<'a> Appliers<'a> {
    fn of(
        held: &HashMap<PathBuf, Vec<usize>>,
        repository: &'a Repository<'a>,
        all: &'a [Root],
    ) -> Self {
        let mut roots: HashMap<&Path, Vec<&Root>> = HashMap::new();
        for root in all {
            for file in root.closure.files.iter().filter(|file| held.contains_key(*file)) {
                roots.entry(file).or_default().push(root);
            }
        }
        let mut objects: HashMap<&Path, Vec<usize>> = HashMap::new();
        let mut positions = HashMap::new();
        for (at, one) in repository.deployments.iter().enumerate() {
            positions.insert(Arc::as_ptr(one), at);
            let is_plain = matches!(one.source, DeploymentSource::Manifests(_));
            for file in one.files().iter().filter(|file| is_plain && held.contains_key(*file)) {
                objects.entry(file).or_default().push(at);
            }
        }
        Self { repository, roots, objects, positions }
    }

    fn ways(&self, site: &Path) -> Vec<Way> {
        let by_hand = |path: &Path| match is_put_aside(&self.repository.inside(site)) {
            true => Way::Aside,
            false => {
                let Repository { graph, tree, .. } = self.repository;
                Way::Hand(listers(path, graph, tree).map(Path::to_owned).collect())
            }
        };
        let of_root = |root: &&Root| match &root.root.deployments[..] {
            [] => by_hand(&root.root.folder),
            by => Way::Objects(by.iter().map(|one| self.positions[&Arc::as_ptr(one)]).collect()),
        };
        let mut ways: Vec<_> = self.roots.get(site).into_iter().flatten().map(of_root).collect();
        ways.extend(self.objects.get(site).cloned().map(Way::Objects));
        if ways.is_empty() {
            ways.push(by_hand(site));
        }
        ways
    }
}

/// The kustomizations in the folders above a kustomization that list others beside it, and those above a file that list
/// files in folders beside its own.
pub(super) fn listers<'a>(
    path: &'a Path,
    graph: &'a Graph,
    tree: &'a Tree,
) -> impl Iterator<Item = &'a Path> {
    let is_folder = graph.has(path);
    let is_beside = move |other: &Path| match is_folder {
        true => graph.has(other) && other.parent() == path.parent(),
        false => {
            let (own, others) = (path.parent(), other.parent());
            let around =
                |folder: Option<&'_ Path>| folder.and_then(Path::parent).map(Path::to_owned);
            can_hold_manifests(other) && own != others && around(own) == around(others)
        }
    };
    // A file beside a kustomization is not left out of a list of folders.
    let first = if is_folder { 1 } else { 2 };
    let above = path.ancestors().skip(first).take_while(|folder| folder.starts_with(&tree.root));
    above.filter(move |above| {
        let is_listed = |other: &Path| other.starts_with(above) && is_beside(other);
        graph.named(above).any(is_listed) && !graph.named(above).any(|other| other == path)
    })
}
