//! Whether the likes of a folder are deployed from the repository: those beside it, or the same folder below those.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
    sync::Arc,
};

use yaml_spans::{self as yaml, Node, Source};

use super::{Candidate, Deployed, Kind};
use crate::gitops::{Tree, scan};

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
    let is_like = |folder: &&PathBuf| {
        let beside = folder.strip_prefix(above).ok().and_then(|rest| rest.components().next());
        beside.is_some_and(|beside| above.join(beside).join(below) == **folder)
    };
    let all = deployed.folders.get_or_init(|| Folders::of(deployed)).of_kind(one.kind);
    let (on, off): (Vec<_>, Vec<_>) =
        all.iter().filter(is_like).partition(|folder| is_deployed(deployed, one.kind, folder));
    on.len() >= LEAST && on.len() > off.len() && !is_variant(deployed, one, &on)
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

/// Whether it shares a base with something deployed, or runs what one of its likes runs: it is for another environment, and
/// may be deployed from elsewhere.
fn is_variant(deployed: &Deployed<'_>, one: &Candidate, likes: &[&PathBuf]) -> bool {
    let graph = deployed.repository.graph;
    let is_of_component =
        |path: &Path| path.parent().is_some_and(|folder| graph.is_component(folder));
    let reached = &deployed.live.reached;
    let shares = |file: &&PathBuf| reached.files.contains(*file) && !is_of_component(file);
    if one.kind == Kind::Kustomization && one.files.iter().any(|file| shares(&file)) {
        return true;
    }
    let own = runs(one.files.iter(), one.kind, deployed.repository.tree);
    likes.iter().any(|folder| {
        let files: Vec<PathBuf> = match one.kind {
            Kind::Kustomization => graph.closure(folder).files.into_iter().collect(),
            Kind::Chart => vec![folder.join("Chart.yaml")],
            Kind::Manifests => {
                let all = reached.files.iter();
                all.filter(|file| file.parent() == Some(folder)).cloned().collect()
            }
        };
        !runs(files.iter(), one.kind, deployed.repository.tree).is_disjoint(&own)
    })
}

/// Kinds of what runs.
const RUNNING: [&str; 7] =
    ["CronJob", "DaemonSet", "Deployment", "HelmRelease", "Job", "Pod", "StatefulSet"];

/// What some files run, by kind and name: objects, and charts.
fn runs<'p>(
    files: impl Iterator<Item = &'p PathBuf>,
    kind: Kind,
    tree: &Tree,
) -> HashSet<(String, String)> {
    let texts = files.filter_map(|path| Some((path, tree.boundary.read_to_string(path).ok()?)));
    texts
        .flat_map(|(path, text)| match kind {
            Kind::Chart => chart(&text),
            Kind::Kustomization if crate::discover::is_overlay_file(path) => charts_of(&text),
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
