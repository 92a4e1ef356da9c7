//! Which GitOps objects are applied: a folder of the repository may be off, and with it the objects in it.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use super::{Pattern, Reached, Repository, mentions};
use crate::{
    discover::can_hold_manifests,
    gitops::{Tree, overlays::Root},
    kustomize::Graph,
    resolve::is_put_aside,
    unit::{Deployment, DeploymentSource, Named},
};

/// The files with GitOps objects that are applied, and what those objects reach.
pub(super) struct Live {
    /// The files, absolute, each with its position.
    sites: HashMap<PathBuf, usize>,
    /// The positions of the files of all objects, in their order.
    site_of: Vec<usize>,
    /// The same by the address of the object.
    known: HashMap<usize, usize>,
    live: Vec<bool>,
    /// Whether something here packs a folder of the repository as an artifact.
    packs: bool,
    pub(super) reached: Reached,
}

/// How a file with GitOps objects reaches a cluster.
#[derive(Clone)]
enum Way {
    /// Somebody applies it, unless a deployed kustomization of these folders lists others like it.
    Hand(Vec<PathBuf>),
    /// The objects in the files at these positions apply it.
    Objects(Rc<[usize]>),
    /// It has been put aside: nobody applies it.
    Aside,
}

/// The most steps from one file to another that applies it.
const MOST_STEPS: usize = 1_000_000;

impl Live {
    /// Which objects are live. `None` if they may deploy any folder, or one that is not here.
    pub(super) fn of(repository: &Repository<'_>, roots: &[Root]) -> Option<Self> {
        let Repository { tree, deployments, .. } = repository;
        let (mut sites, mut site_of, mut known) = (HashMap::new(), Vec::new(), HashMap::new());
        for one in *deployments {
            let site = tree.absolute(one.place().source.path.as_ref());
            let next = sites.len();
            let at = *sites.entry(site).or_insert(next);
            site_of.push(at);
            known.insert(address(one), at);
        }
        let live = vec![false; sites.len()];
        let is_artifact = |one: &Arc<Deployment>| matches!(one.named, Some(Named::PathBelow(_)));
        let packs = deployments.iter().any(is_artifact) && mentions::pack_artifacts(repository);
        let mut all = Self { sites, site_of, known, live, packs, reached: Reached::default() };
        let ways = Appliers::of(&all, repository, roots).ways();
        all.settle(&ways, repository, roots);
        all.is_certain(repository).then_some(all)
    }

    /// Finds the files that are live.
    fn settle(&mut self, ways: &[Vec<Way>], repository: &Repository<'_>, roots: &[Root]) {
        let by_hand = |way: &Way| matches!(way, Way::Hand(listers) if listers.is_empty());
        self.live = ways.iter().map(|ways| ways.iter().any(by_hand)).collect();
        let mut steps = MOST_STEPS;
        loop {
            self.spread(repository, roots);
            let off = self.off(ways);
            let open: Vec<_> = (0..off.len()).filter(|at| !self.live[*at] && !off[*at]).collect();
            if open.is_empty() {
                return;
            }
            // What applies itself was once applied by hand. Nobody applies the lists that leave out the rest.
            let own = open.iter().copied().filter(|at| applies_itself(*at, ways, &mut steps));
            let own: Vec<_> = own.collect();
            let more = if own.is_empty() { open } else { own };
            more.into_iter().for_each(|at| self.live[at] = true);
        }
    }

    pub(super) fn is_live(&self, one: &Arc<Deployment>) -> bool {
        self.known.get(&address(one)).is_some_and(|at| self.live[*at])
    }

    /// Whether a file holds GitOps objects, which say what they deploy.
    pub(super) fn is_known(&self, file: &Path) -> bool {
        self.sites.contains_key(file)
    }

    /// Whether a file holds an object that is live.
    pub(super) fn is_of_objects(&self, file: &Path) -> bool {
        self.sites.get(file).is_some_and(|at| self.live[*at])
    }

    /// Follows the live objects to all that they reach, objects too.
    fn spread(&mut self, repository: &Repository<'_>, roots: &[Root]) {
        loop {
            self.reached = self.reach(repository, roots);
            let reached = |(site, at): (&PathBuf, &usize)| {
                (!self.live[*at] && self.reached.files.contains(site)).then_some(*at)
            };
            let new: Vec<_> = self.sites.iter().filter_map(reached).collect();
            if new.is_empty() {
                return;
            }
            new.into_iter().for_each(|at| self.live[at] = true);
        }
    }

    fn reach(&self, repository: &Repository<'_>, roots: &[Root]) -> Reached {
        let mut reached = Reached::default();
        for one in repository.deployments.iter().filter(|one| self.is_live(one)) {
            reached.patterns.extend(pattern(one, self.packs));
            reached.files.extend(one.files().iter().cloned());
            if let DeploymentSource::Chart(folder) = &one.source {
                reached.charts.insert(folder.clone());
            }
        }
        reached.patterns.sort_unstable();
        reached.patterns.dedup();
        for root in roots {
            let (folder, own) = (&root.root.folder, &root.root.deployments);
            let by_objects = || own.iter().any(|own| self.is_live(own));
            let by_hand =
                || own.is_empty() && root.closure.files.iter().any(|file| self.is_of_objects(file));
            if by_objects() || by_hand() || reached.may_be(&repository.inside(folder)) {
                reached.folders.extend(root.closure.folders.iter().cloned());
                // A folder without a kustomization file gets one.
                reached.folders.insert(folder.clone());
                reached.files.extend(root.closure.files.iter().cloned());
            }
        }
        let Reached { folders, charts, files, .. } = &reached;
        let sites = self.sites.keys().filter(|site| self.is_of_objects(site));
        let all = folders.iter().chain(charts).chain(files).chain(sites);
        Reached { all: all.cloned().collect(), ..reached }
    }

    /// Which files nothing applies: each way to them ends at a list that leaves them out.
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

    /// Whether the live objects tell what they deploy: no path may be that of any folder, and nearly all paths are here.
    fn is_certain(&self, repository: &Repository<'_>) -> bool {
        let mut live = repository.deployments.iter().filter(|one| self.is_live(one));
        let found = live.clone().filter(|one| is_found(one)).count();
        let is_missing = |one: &Deployment| match &one.named {
            Some(Named::Path(path)) if !is_found(one) => {
                !Pattern::of(path).is_open() && !repository.tree.path(path).is_dir()
            }
            _ => false,
        };
        let may_patch_path = |one: &Deployment| {
            let patch = one.object.root.at(&["spec", "templatePatch"]);
            patch.and_then(|patch| patch.as_str()).is_some_and(|patch| patch.contains("path"))
        };
        let missing = live.clone().filter(|one| is_missing(one)).count();
        !self.reached.patterns.iter().any(Pattern::is_any)
            && missing * FOUND_FOR_MISSING <= found
            && !live.any(|one| may_patch_path(one))
    }
}

/// How many objects have to find their folder for one that does not: it may be left over. Of more, the repository is rather not
/// what they deploy from.
const FOUND_FOR_MISSING: usize = 10;

/// What distinguishes a deployment from others.
fn address(one: &Arc<Deployment>) -> usize {
    Arc::as_ptr(one) as usize
}

/// Whether the source of a deployment is in the repository.
pub(super) fn is_found(one: &Deployment) -> bool {
    !matches!(one.source, DeploymentSource::Unresolved(_) | DeploymentSource::External(_))
}

/// What an object names, as far as it is not known which folder that is. An artifact holds nothing of a repository that packs
/// none.
fn pattern(one: &Deployment, packs: bool) -> Option<Pattern> {
    match one.named.as_ref()? {
        Named::Path(path) => {
            let pattern = Pattern::of(path);
            (pattern.is_open() || !is_found(one)).then_some(pattern)
        }
        Named::PathBelow(path) => (packs && !is_found(one)).then(|| Pattern::below(path)),
        Named::Chart(_) => None,
    }
}

/// Whether the objects of a file apply it, through others or not. Without steps left, they may.
fn applies_itself(at: usize, ways: &[Vec<Way>], steps: &mut usize) -> bool {
    let (mut known, mut waiting) = (HashSet::new(), vec![at]);
    while let Some(next) = waiting.pop() {
        for way in &ways[next] {
            let Way::Objects(by) = way else { continue };
            *steps = steps.saturating_sub(by.len());
            if by.contains(&at) || *steps == 0 {
                return true;
            }
            waiting.extend(by.iter().copied().filter(|by| known.insert(*by)));
        }
    }
    false
}

/// What applies the files with GitOps objects.
struct Appliers<'a> {
    repository: &'a Repository<'a>,
    live: &'a Live,
    /// The ways of each file through kustomizations, and through objects that apply it as it is.
    ways: Vec<Vec<Way>>,
}

impl<'a> Appliers<'a> {
    fn of(live: &'a Live, repository: &'a Repository<'a>, roots: &[Root]) -> Self {
        let mut all = Self { repository, live, ways: vec![Vec::new(); live.sites.len()] };
        for root in roots {
            let held: Vec<_> =
                root.closure.files.iter().filter_map(|file| live.sites.get(file)).collect();
            if held.is_empty() {
                continue;
            }
            let by: BTreeSet<_> =
                root.root.deployments.iter().map(|one| live.known[&address(one)]).collect();
            let by: Rc<[usize]> = by.into_iter().collect();
            let way = match by.is_empty() {
                true => all.by_hand(&root.root.folder),
                false => Way::Objects(by),
            };
            held.into_iter().for_each(|at| all.ways[*at].push(way.clone()));
        }
        for (one, site) in repository.deployments.iter().zip(&live.site_of) {
            let is_plain = matches!(one.source, DeploymentSource::Manifests(_));
            let files = one.files().iter().filter(|_| is_plain);
            let way = Way::Objects(Rc::from([*site]));
            for at in files.filter_map(|file| live.sites.get(file)) {
                all.ways[*at].push(way.clone());
            }
        }
        all
    }

    /// The ways of each file, in the order of their positions.
    fn ways(mut self) -> Vec<Vec<Way>> {
        for (site, at) in &self.live.sites {
            let is_aside = is_put_aside(&self.repository.inside(site));
            if self.ways[*at].is_empty() {
                let own = self.by_hand(site);
                self.ways[*at].push(own);
            }
            let by_hand = |way: &&mut Way| matches!(way, Way::Hand(_));
            let hands = self.ways[*at].iter_mut().filter(by_hand);
            hands.filter(|_| is_aside).for_each(|way| *way = Way::Aside);
        }
        self.ways
    }

    fn by_hand(&self, path: &Path) -> Way {
        let Repository { graph, tree, .. } = self.repository;
        Way::Hand(listers(path, graph, tree).map(Path::to_owned).collect())
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
