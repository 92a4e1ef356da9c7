//! Finding the GitOps objects: every file is searched at memory speed, few are parsed.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use job_lifecycle::Object;
use memchr::memmem;
use rayon::prelude::*;
use yaml_spans::{self as yaml, Source};

use super::repository::Tree;
use crate::{
    discover::{self, Request},
    load::{Glance, Seen, is_gitops},
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

/// What templates say that make objects of these groups which deploy something.
const DEPLOYING: &[&[u8]] =
    &[b"kind: Application", b"kind: HelmRelease", b"kustomize.toolkit.fluxcd.io/v"];

/// The names of Fleet's files.
pub const FLEET: &[&str] = &["fleet.yaml", "fleet.yml"];

/// Searches the tree. Templates of charts are no objects. `walked` are the files of the request: where these
/// are the tree, nothing is walked or read twice.
pub fn scan(tree: &Tree, request: &Request, walked: Vec<PathBuf>) -> Found {
    let named = |folder: &PathBuf| request.paths.iter().any(|path| tree.absolute(path) == *folder);
    let is_all = tree.searched.iter().all(|folder| folder.is_dir() && named(folder));
    let mut paths = if is_all { walked } else { files(tree, request) };
    // As text: paths compare slower.
    paths.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    paths.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
    let texts =
        request.texts.iter().map(|(path, bytes)| (tree.absolute(path), &bytes[..])).collect();
    let searched = Searched { paths: &paths, texts, tree };
    let (mut objects, charts, seen) = searched.search(is_gitops, matters, is_all);
    // Only then does it pay to look for the values.
    if objects.iter().any(|object| object.root.at(&["spec", "valuesFrom"]).is_some()) {
        objects.extend(searched.search(holds_values, is_values, false).0);
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

/// The files of the tree, and the texts that stand for some of them, by absolute path.
struct Searched<'a> {
    paths: &'a [PathBuf],
    texts: HashMap<PathBuf, &'a [u8]>,
    tree: &'a Tree,
}

impl Searched<'_> {
    /// The objects to keep of the documents that may hold one, and the charts with templates that may; with a
    /// glance at every file where each of them will be asked for again.
    fn search(
        &self,
        wanted: Wanted,
        keep: fn(&Object) -> bool,
        glance: bool,
    ) -> (Vec<Object>, Vec<PathBuf>, Seen) {
        let look = |path: &PathBuf| {
            let bytes = self.read(path)?;
            let holds = wanted(&bytes).then(|| holds(path, &bytes, self.tree, wanted)).flatten();
            Some((holds, glance.then(|| (path.clone(), Glance::of(bytes)))))
        };
        let (held, seen): (Vec<_>, Vec<_>) = self.paths.par_iter().filter_map(look).unzip();
        let (mut objects, mut charts) = (Vec::new(), Vec::new());
        for one in held.into_iter().flatten() {
            match one {
                Holds::Objects(own) => objects.extend(own.into_iter().filter(keep)),
                Holds::Template(chart) => charts.push(chart),
            }
        }
        charts.sort_unstable();
        charts.dedup();
        (objects, charts, seen.into_iter().flatten().collect())
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let given = || self.texts.get(&self.tree.absolute(path));
        match (!self.texts.is_empty()).then(given).flatten() {
            Some(bytes) => Some(bytes.to_vec()),
            None => fs::read(path).ok(),
        }
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
