//! Finding the GitOps objects: every file is searched at memory speed, few are parsed.

use std::{fs, path::Path, path::PathBuf, sync::Arc};

use memchr::memmem;
use rayon::prelude::*;

use super::tree::Tree;
use crate::{
    discover::{self, Request},
    object::Object,
    read::{Glance, Seen},
    source::Source,
    yaml,
};

/// What the tree holds.
#[derive(Debug, Default)]
pub struct Found {
    /// Applications, HelmReleases, Kustomizations, and what they refer to: sources, ConfigMaps, Secrets.
    pub objects: Vec<Object>,
    pub fleet: Vec<PathBuf>,
    /// The charts that may render such objects.
    pub charts: Vec<PathBuf>,
    /// What was read on the way.
    pub seen: Seen,
}

/// The API groups of the objects that matter, with the `v` of a version.
const GROUPS: &[&[u8]] =
    &[b"argoproj.io/v", b"toolkit.fluxcd.io/v", b"source.extensions.fluxcd.io/v"];

/// What templates say that make objects of these groups which deploy something.
const DEPLOYING: &[&[u8]] =
    &[b"kind: Application", b"kind: HelmRelease", b"kustomize.toolkit.fluxcd.io/v"];

/// The names of Fleet's files.
pub const FLEET: &[&str] = &["fleet.yaml", "fleet.yml"];

/// Searches the tree. Templates of charts are no objects. `walked` are the files of the request: where these
/// are the tree, nothing is walked or read twice.
pub fn scan(tree: &Tree, request: &Request, walked: Vec<PathBuf>) -> Found {
    let named = |folder: &PathBuf| request.paths.iter().any(|path| tree.absolute(path) == *folder);
    let mut paths = match tree.searched.iter().all(|folder| folder.is_dir() && named(folder)) {
        true => walked,
        false => files(tree, request),
    };
    paths.sort_unstable();
    paths.dedup();
    let search = |wanted, keep| search(&paths, tree, request, wanted, keep);
    let (mut objects, charts, seen) = search(is_gitops, matters);
    // Only then does it pay to look for the values.
    if objects.iter().any(|object| object.root.at(&["spec", "valuesFrom"]).is_some()) {
        objects.extend(search(holds_values, is_values).0);
    }
    let is_fleet = |path: &PathBuf| {
        path.file_name().and_then(|name| name.to_str()).is_some_and(|name| FLEET.contains(&name))
    };
    let fleet = paths.iter().filter(|path| is_fleet(path));
    let fleet = fleet.map(|path| tree.absolute(path)).collect();
    Found { objects, fleet, charts, seen }
}

/// The files of the tree.
fn files(tree: &Tree, request: &Request) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for searched in &tree.searched {
        match searched.is_dir() {
            true => paths.extend(discover::files(searched).filter_map(Result::ok)),
            false => paths.push(searched.clone()),
        }
    }
    paths.extend(request.texts.keys().map(|path| tree.absolute(path)));
    paths
}

/// What a file holds, or the chart it is a template of.
enum Holds {
    Objects(Vec<Object>),
    Template(PathBuf),
}

type Wanted = fn(&[u8]) -> bool;

/// The objects to keep of the documents that may hold one, and the charts with templates that may.
fn search(
    paths: &[PathBuf],
    tree: &Tree,
    request: &Request,
    wanted: Wanted,
    keep: fn(&Object) -> bool,
) -> (Vec<Object>, Vec<PathBuf>, Seen) {
    let look = |path: &PathBuf| {
        let bytes = read(path, tree, request)?;
        let holds = wanted(&bytes).then(|| holds(path, &bytes, tree, wanted)).flatten();
        Some((holds, (path.clone(), Glance::of(bytes))))
    };
    let (held, seen): (Vec<_>, Seen) = paths.par_iter().filter_map(look).unzip();
    let (mut objects, mut charts) = (Vec::new(), Vec::new());
    for one in held.into_iter().flatten() {
        match one {
            Holds::Objects(own) => objects.extend(own.into_iter().filter(keep)),
            Holds::Template(chart) => charts.push(chart),
        }
    }
    charts.sort_unstable();
    charts.dedup();
    (objects, charts, seen)
}

fn read(path: &Path, tree: &Tree, request: &Request) -> Option<Vec<u8>> {
    let is_given = |given: &Path| given == path || tree.absolute(given) == path;
    match request.texts.iter().find(|(given, _)| is_given(given)) {
        Some((_, bytes)) => Some(bytes.clone()),
        None => fs::read(path).ok(),
    }
}

fn holds(path: &Path, bytes: &[u8], tree: &Tree, wanted: Wanted) -> Option<Holds> {
    let path = tree.absolute(path);
    if let Some(chart) = chart_of(&path) {
        let deploys = DEPLOYING.iter().any(|word| memmem::find(bytes, word).is_some());
        return deploys.then(|| Holds::Template(chart.to_owned()));
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let documents = yaml::parse_some(text, &mut |document| wanted(document.as_bytes()));
    let source = Arc::new(Source::new(tree.shown(&path), text));
    let objects = documents.into_iter().filter_map(Result::ok).filter_map(|document| {
        let span = document.span;
        Object::new(&source, document.root, span)
    });
    Some(Holds::Objects(objects.flat_map(Object::expand).collect()))
}

/// True for a text with an object of Argo CD or Flux. CRDs name the groups too, and are large.
pub fn is_gitops(bytes: &[u8]) -> bool {
    GROUPS.iter().any(|group| memmem::find(bytes, group).is_some())
        && memmem::find(bytes, b"kind: CustomResourceDefinition").is_none()
}

fn holds_values(bytes: &[u8]) -> bool {
    [&b"ConfigMap"[..], b"Secret"].iter().any(|kind| memmem::find(bytes, kind).is_some())
}

pub fn matters(object: &Object) -> bool {
    match object.group() {
        "argoproj.io" => matches!(object.kind(), "Application" | "ApplicationSet"),
        group => group.ends_with("toolkit.fluxcd.io") || group == "source.extensions.fluxcd.io",
    }
}

fn is_values(object: &Object) -> bool {
    object.group().is_empty() && matches!(object.kind(), "ConfigMap" | "Secret")
}

/// The outermost chart that a file belongs to.
fn chart_of(path: &Path) -> Option<&Path> {
    let charts = path.ancestors().skip(1).filter(|folder| {
        folder.join("Chart.yaml").is_file() && discover::belongs_to_chart(folder, path)
    });
    charts.last()
}
