//! Whether the likes of a folder are deployed from the repository: those beside it, or the same folder below those.

use std::{
    cell::OnceCell,
    collections::{BTreeSet, HashMap, HashSet},
    path::{Path, PathBuf},
    rc::Rc,
    sync::Arc,
};

use yaml_spans::{self as yaml, Node, Source};

use super::{Candidate, Deployed, Kind, Repository};
use crate::{
    discover,
    gitops::{Tree, scan},
};

/// The fewest folders that show how a repository deploys.
const LEAST: usize = 2;

/// Whether at least two of its likes are deployed, more than are not, and none of those is the same for another
/// environment.
pub(super) fn are_deployed(deployed: &Deployed<'_>, one: &Candidate) -> bool {
    let root = &deployed.repository.tree.root;
    let is_empty = |folder: &&Path| *folder != root && !deployed.live.reached.is_inside(folder);
    let Some(outermost) = one.folder.ancestors().take_while(is_empty).last() else { return false };
    let (Some(above), Ok(below)) = (outermost.parent(), one.folder.strip_prefix(outermost)) else {
        return false;
    };
    // Where others have a kustomization, a folder without one is left out all the more.
    let kinds: &[Kind] = match one.kind {
        Kind::Manifests => &[Kind::Manifests, Kind::Kustomization],
        Kind::Kustomization => &[Kind::Kustomization],
        Kind::Chart => &[Kind::Chart],
    };
    kinds.iter().any(|kind| {
        let key = (*kind, above.to_owned(), below.to_owned());
        let known = deployed.likes.borrow().get(&key).cloned();
        let likes = known.unwrap_or_else(|| {
            let found = Rc::new(Likes::of(deployed, *kind, above, below));
            deployed.likes.borrow_mut().insert(key, found.clone());
            found
        });
        likes.on.len() >= LEAST && likes.on.len() > likes.off && !likes.include(deployed, one)
    })
}

/// Whether a kustomization shares a file, but for those of components, with something deployed.
pub(super) fn shares_base(deployed: &Deployed<'_>, one: &Candidate) -> bool {
    let graph = &deployed.repository.graph;
    let is_of_component =
        |path: &Path| path.parent().is_some_and(|folder| graph.is_component(folder));
    let is_reached = |file: &PathBuf| deployed.live.reached.files.contains(file);
    let mut files = one.files.iter();
    one.kind == Kind::Kustomization && files.any(|file| is_reached(file) && !is_of_component(file))
}

/// The folders of a kind that are alike, by the folder around them and the path below those beside one another.
pub(super) type Known = HashMap<(Kind, PathBuf, PathBuf), Rc<Likes>>;

/// Folders that are alike.
pub(super) struct Likes {
    kind: Kind,
    /// Those that are deployed.
    on: Vec<PathBuf>,
    /// The number of the others.
    off: usize,
    /// What those that are deployed run.
    runs: OnceCell<Runs>,
}

impl Likes {
    fn of(deployed: &Deployed<'_>, kind: Kind, above: &Path, below: &Path) -> Self {
        let is_like = |folder: &&PathBuf| {
            let beside = folder.strip_prefix(above).ok().and_then(|rest| rest.components().next());
            beside.is_some_and(|beside| above.join(beside).join(below) == **folder)
        };
        let all = deployed.folders.get_or_init(|| Folders::of(deployed)).of_kind(kind);
        let (on, off): (Vec<_>, Vec<_>) =
            all.iter().filter(is_like).partition(|folder| is_deployed(deployed, kind, folder));
        Self { kind, on: on.into_iter().cloned().collect(), off: off.len(), runs: OnceCell::new() }
    }

    /// Whether a folder shares a base with something deployed, or runs what one of these runs: it is for another environment,
    /// and may be deployed from elsewhere.
    fn include(&self, deployed: &Deployed<'_>, one: &Candidate) -> bool {
        let Repository { graph, tree, .. } = deployed.repository;
        let reached = &deployed.live.reached;
        if shares_base(deployed, one) {
            return true;
        }
        let files = |folder: &PathBuf| -> Vec<PathBuf> {
            match self.kind {
                Kind::Kustomization => graph.closure(folder).files.into_iter().collect(),
                Kind::Chart => vec![folder.join("Chart.yaml")],
                Kind::Manifests => {
                    let below = reached.below(folder);
                    below.filter(|file| file.parent() == Some(folder)).cloned().collect()
                }
            }
        };
        let all =
            || self.on.iter().flat_map(|folder| runs(&files(folder), self.kind, tree)).collect();
        !self.runs.get_or_init(all).is_disjoint(&runs(&one.files, one.kind, tree))
    }
}

/// The folders of a repository that a deployer may apply as a whole, by kind.
pub(super) struct Folders {
    kustomizations: BTreeSet<PathBuf>,
    charts: BTreeSet<PathBuf>,
    manifests: BTreeSet<PathBuf>,
}

impl Folders {
    fn of(deployed: &Deployed<'_>) -> Self {
        let repository = deployed.repository;
        let kustomizations: BTreeSet<_> = repository.graph.folders().map(Path::to_owned).collect();
        let (mut charts, mut manifests) = (BTreeSet::new(), BTreeSet::new());
        for path in repository.paths {
            let path = repository.tree.absolute(path);
            let Some(folder) = path.parent() else { continue };
            match path.ends_with("Chart.yaml") {
                true => _ = charts.insert(folder.to_owned()),
                false if kustomizations.contains(folder) => {}
                false => _ = manifests.insert(folder.to_owned()),
            }
        }
        Self { kustomizations, charts, manifests }
    }

    fn of_kind(&self, kind: Kind) -> &BTreeSet<PathBuf> {
        match kind {
            Kind::Kustomization => &self.kustomizations,
            Kind::Chart => &self.charts,
            Kind::Manifests => &self.manifests,
        }
    }
}

fn is_deployed(deployed: &Deployed<'_>, kind: Kind, folder: &Path) -> bool {
    let reached = &deployed.live.reached;
    let has_file = || {
        let mut below = reached.below(folder);
        below.any(|path| path.parent() == Some(folder) && reached.files.contains(path))
    };
    match kind {
        Kind::Kustomization => reached.folders.contains(folder),
        Kind::Chart => reached.charts.contains(folder),
        Kind::Manifests => has_file(),
    }
}

/// Kinds of what runs.
const RUNNING: [&str; 7] =
    ["CronJob", "DaemonSet", "Deployment", "HelmRelease", "Job", "Pod", "StatefulSet"];

/// Objects and charts, by kind and name.
type Runs = HashSet<(String, String)>;

/// What some files run.
fn runs(files: &[PathBuf], kind: Kind, tree: &Tree) -> Runs {
    let read = |path: &'_ PathBuf| tree.boundary.read_to_string(path).ok();
    let texts = files.iter().filter_map(|path| Some((path, read(path)?)));
    texts
        .flat_map(|(path, text)| match kind {
            Kind::Chart => chart(&text),
            Kind::Kustomization if discover::is_overlay_file(path) => charts_of(&text),
            Kind::Kustomization | Kind::Manifests => objects(text),
        })
        .collect()
}

fn objects(text: String) -> Vec<(String, String)> {
    let source = Arc::new(Source::new(String::new(), text));
    let all = scan::objects(&source, &|_| true).into_iter();
    let running = all.filter(|object| RUNNING.contains(&object.kind()));
    running
        .filter_map(|object| Some((object.kind().to_owned(), object.name()?.to_owned())))
        .collect()
}

/// The charts that a kustomization renders.
fn charts_of(text: &str) -> Vec<(String, String)> {
    let root = root(text);
    let charts = root.as_ref().and_then(|root| root.get("helmCharts"));
    names(charts.map(Node::items).unwrap_or_default())
}

/// A chart by its name, or by those of its dependencies: a chart that only wraps another.
fn chart(text: &str) -> Vec<(String, String)> {
    let Some(root) = root(text) else { return Vec::new() };
    let mut all = names(root.get("dependencies").map(Node::items).unwrap_or_default());
    all.extend(names(std::slice::from_ref(&root)));
    all
}

fn names(nodes: &[Node]) -> Vec<(String, String)> {
    let name = |node: &Node| Some(("Chart".to_owned(), node.get("name")?.as_str()?.to_owned()));
    nodes.iter().filter_map(name).collect()
}

fn root(text: &str) -> Option<Node> {
    Some(yaml::parse(text).into_iter().next()?.ok()?.root)
}

/// The name that a chart has in `Chart.yaml`.
pub(super) fn chart_name(folder: &Path, tree: &Tree) -> Option<String> {
    let text = tree.boundary.read_to_string(&folder.join("Chart.yaml")).ok()?;
    Some(root(&text)?.get("name")?.as_str()?.to_owned())
}
