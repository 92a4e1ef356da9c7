//! Finds GitOps objects: searches the bytes of every file and parses only candidates.

use std::{
    collections::{BTreeSet, HashMap},
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
};

use aho_corasick::AhoCorasick;
use job_lifecycle::Object;
use memchr::memmem;
use rayon::prelude::*;
use yaml_spans::{self as yaml, Node, Source};

use super::{
    build_options::{self, BuildOptions},
    repository::Tree,
};
use crate::{
    discover::{self, Request},
    load::{CachedFile, FileCache, is_gitops, mentions_kind},
};

/// The GitOps objects and charts of a repository.
#[derive(Debug, Default)]
pub(crate) struct ScanResult {
    /// Applications, HelmReleases, Kustomizations, and the sources they refer to.
    pub objects: Vec<Object>,
    /// Admission policies and their bindings.
    pub policies: Vec<Object>,
    /// The files that were searched.
    pub paths: Vec<PathBuf>,
    pub fleet: Vec<PathBuf>,
    /// Charts whose templates may render such objects.
    pub charts: Vec<PathBuf>,
    /// Charts whose templates may render admission policies.
    pub policy_charts: Vec<PathBuf>,
    /// Kustomization files, absolute.
    pub kustomizations: Vec<PathBuf>,
    /// What Argo CD passes to kustomize.
    pub build_options: Vec<BuildOptions>,
    /// Files that were read during the search.
    pub seen: FileCache,
}

/// Text in templates that render GitOps objects.
const DEPLOYING: &[&[u8]] =
    &[b"kind: Application", b"kind: HelmRelease", b"kustomize.toolkit.fluxcd.io/v"];

/// The file names of Fleet bundles.
pub(crate) const FLEET: &[&str] = &["fleet.yaml", "fleet.yml"];

/// Searches the repository. Chart templates are not parsed as objects. `walked` are the files of the request;
/// if they cover the repository, nothing is walked or read twice.
pub(crate) fn scan(tree: &Tree, request: &Request, walked: Vec<PathBuf>) -> ScanResult {
    let named = |folder: &PathBuf| request.paths.iter().any(|path| tree.absolute(path) == *folder);
    let is_all = tree.searched.iter().all(|folder| folder.is_dir() && named(folder));
    let mut paths = if is_all { walked } else { files(tree, request) };
    // Compared as strings: comparing paths by component is slower.
    paths.sort_unstable_by(|a, b| a.as_os_str().cmp(b.as_os_str()));
    paths.dedup_by(|a, b| a.as_os_str() == b.as_os_str());
    let searched = Search::new(&paths, request, tree);
    let wanted = |bytes: &[u8]| is_gitops(bytes) || holds_policy(bytes);
    let keep = |object: &Object| matters(object) || is_policy(object);
    let Found { objects, charts, policy_charts, build_options, seen } =
        searched.search(&wanted, &keep, is_all);
    let (policies, objects): (Vec<_>, Vec<_>) = objects.into_iter().partition(is_policy);
    let is_meant = |one: &Object| {
        let path = &one.source.path;
        request.obeys(path) && !discover::is_of_a_test(&tree.absolute(path.as_ref()))
    };
    let policies = policies.into_iter().filter(is_meant).collect();
    let fleet = paths.iter().filter(|path| is_fleet(path));
    let fleet = fleet.map(|path| tree.absolute(path)).collect();
    let kustomizations = paths.iter().filter(|path| discover::is_overlay_file(path));
    let kustomizations = kustomizations.map(|path| tree.absolute(path));
    let kustomizations = kustomizations
        .filter(|path| discover::outermost_chart(path, &tree.boundary).is_none())
        .collect();
    ScanResult {
        objects,
        policies,
        fleet,
        charts,
        policy_charts,
        kustomizations,
        build_options,
        seen,
        paths,
    }
}

/// Whether a file may tell who deploys something, with which options, or which policies hold.
pub(crate) fn may_decide(path: &Path, bytes: &[u8]) -> bool {
    is_fleet(path) || is_gitops(bytes) || holds_policy(bytes) || build_options::are_in(bytes)
}

fn is_fleet(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(|name| FLEET.contains(&name))
}

/// The objects of some files with one of these kinds, given as API version and kind.
pub(super) fn objects_of(
    kinds: &[(String, String)],
    paths: &[PathBuf],
    request: &Request,
    tree: &Tree,
) -> Vec<Object> {
    let finders: Vec<_> =
        kinds.iter().map(|(_, kind)| memmem::Finder::new(kind.as_bytes())).collect();
    let wanted = |bytes: &[u8]| finders.iter().any(|finder| mentions_kind(finder, bytes));
    let keep = |object: &Object| {
        kinds.iter().any(|(version, kind)| {
            (object.api_version(), object.kind()) == (version.as_str(), kind.as_str())
        })
    };
    Search::new(paths, request, tree).objects(&wanted, &keep)
}

/// The ConfigMaps and Secrets that objects take values from. Each name is searched for once.
pub(super) struct NamedValues<'a> {
    search: Search<'a>,
    names: BTreeSet<String>,
    pub(super) found: Vec<Object>,
}

impl<'a> NamedValues<'a> {
    pub(super) fn new(paths: &'a [PathBuf], request: &'a Request, tree: &'a Tree) -> Self {
        let search = Search::new(paths, request, tree);
        Self { search, names: BTreeSet::new(), found: Vec::new() }
    }

    /// Searches for what objects name.
    pub(super) fn add<'o>(&mut self, objects: impl Iterator<Item = &'o Object>) {
        let names = objects.flat_map(named_values).filter(|name| !self.names.contains(*name));
        let names: BTreeSet<&str> = names.collect();
        // More names than an automaton can hold are no names.
        let Some(finder) = AhoCorasick::new(&names).ok().filter(|_| !names.is_empty()) else {
            return;
        };
        let wanted = |bytes: &[u8]| holds_values(bytes) && finder.is_match(bytes);
        let is_named = |object: &Object| object.name().is_some_and(|name| names.contains(name));
        let keep = |object: &Object| is_values(object) && is_named(object);
        self.found.extend(self.search.objects(&wanted, &keep));
        self.names.extend(names.into_iter().map(str::to_owned));
    }
}

/// The names of the ConfigMaps and Secrets that an object takes values from.
fn named_values(object: &Object) -> impl Iterator<Item = &str> {
    let fields: [&[&str]; 2] = [&["spec", "valuesFrom"], &["spec", "postBuild", "substituteFrom"]];
    let items = fields.into_iter().filter_map(|field| object.root.at(field)).flat_map(Node::items);
    items.filter_map(|item| item.get("name")?.as_str())
}

/// All files to search.
fn files(tree: &Tree, request: &Request) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for searched in &tree.searched {
        match searched.is_dir() {
            true => {
                let (files, _) = discover::files_except(searched, request.excludes.clone());
                paths.extend(files.filter_map(Result::ok));
            }
            false => paths.push(searched.clone()),
        }
    }
    paths.extend(request.texts.keys().map(|path| tree.absolute(path)));
    paths
}

/// The relevant content of a file.
enum FileContent {
    Objects(Vec<Object>),
    Template {
        chart: PathBuf,
        /// Whether it may render GitOps objects.
        deploys: bool,
        /// Whether it may render admission policies.
        admits: bool,
    },
}

/// What a search finds.
#[derive(Default)]
struct Found {
    objects: Vec<Object>,
    charts: Vec<PathBuf>,
    policy_charts: Vec<PathBuf>,
    build_options: Vec<BuildOptions>,
    /// The files that were read, if they are wanted later.
    seen: FileCache,
}

type Wanted<'a> = &'a (dyn Fn(&[u8]) -> bool + Sync);

/// The files to search, and the contents that replace some of them, by absolute path.
struct Search<'a> {
    paths: &'a [PathBuf],
    texts: HashMap<PathBuf, &'a [u8]>,
    tree: &'a Tree,
}

impl<'a> Search<'a> {
    fn new(paths: &'a [PathBuf], request: &'a Request, tree: &'a Tree) -> Self {
        let texts = request.texts.iter();
        let texts = texts.map(|(path, bytes)| (tree.absolute(path), &bytes[..])).collect();
        Self { paths, texts, tree }
    }

    /// The objects that `keep` accepts.
    fn objects(&self, wanted: Wanted<'_>, keep: &dyn Fn(&Object) -> bool) -> Vec<Object> {
        let look = |path: &PathBuf| {
            let bytes = self.read(path)?;
            wanted(&bytes).then(|| holds(path, &bytes, self.tree, wanted)).flatten()
        };
        let held: Vec<_> = self.paths.par_iter().filter_map(look).collect();
        let objects = held.into_iter().flat_map(|one| match one {
            FileContent::Objects(own) => own,
            FileContent::Template { .. } => Vec::new(),
        });
        objects.filter(keep).collect()
    }

    /// Returns the objects that `keep` accepts, the charts with matching templates, the options of Argo CD, and, with
    /// `caches`, every file read for later use.
    fn search(&self, wanted: Wanted<'_>, keep: &dyn Fn(&Object) -> bool, caches: bool) -> Found {
        let look = |path: &PathBuf| {
            let bytes = self.read(path)?;
            let holds = wanted(&bytes).then(|| holds(path, &bytes, self.tree, wanted)).flatten();
            let options = build_options::of_file(path, &bytes);
            Some(((holds, options), caches.then(|| (path.clone(), CachedFile::of(bytes)))))
        };
        let (held, seen): (Vec<_>, Vec<_>) = self.paths.par_iter().filter_map(look).unzip();
        let (held, options): (Vec<_>, Vec<_>) = held.into_iter().unzip();
        let seen = FileCache::new(seen.into_iter().flatten());
        let build_options = options.into_iter().flatten().collect();
        let mut found = Found { seen, build_options, ..Found::default() };
        for one in held.into_iter().flatten() {
            match one {
                FileContent::Objects(own) => found.objects.extend(own.into_iter().filter(keep)),
                FileContent::Template { chart, deploys, admits } => {
                    found.policy_charts.extend(admits.then(|| chart.clone()));
                    found.charts.extend(deploys.then_some(chart));
                }
            }
        }
        for charts in [&mut found.charts, &mut found.policy_charts] {
            charts.sort_unstable();
            charts.dedup();
        }
        found
    }

    fn read(&self, path: &Path) -> Option<Vec<u8>> {
        let given = || self.texts.get(&self.tree.absolute(path));
        match (!self.texts.is_empty()).then(given).flatten() {
            Some(bytes) => Some(bytes.to_vec()),
            None => self.tree.boundary.read(path).ok(),
        }
    }
}

fn holds(path: &Path, bytes: &[u8], tree: &Tree, wanted: Wanted<'_>) -> Option<FileContent> {
    let path = tree.absolute(path);
    if let Some(chart) = discover::outermost_chart(&path, &tree.boundary) {
        let deploys = DEPLOYING.iter().any(|word| memmem::find(bytes, word).is_some());
        let admits = holds_policy(bytes);
        let chart = chart.to_owned();
        return (deploys || admits).then_some(FileContent::Template { chart, deploys, admits });
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let source = Arc::new(Source::new(tree.shown(&path), text));
    Some(FileContent::Objects(objects(&source, wanted)))
}

/// The objects in the documents of a text that matter by their bytes. What is no YAML is left to others.
pub(super) fn objects(source: &Arc<Source>, wanted: Wanted<'_>) -> Vec<Object> {
    let documents = yaml::parse_some(&source.text, &mut |document| wanted(document.as_bytes()));
    let documents = documents.into_iter().filter_map(Result::ok);
    let objects =
        documents.filter_map(|document| Object::new(source, document.root, document.span));
    objects.flat_map(Object::expand).collect()
}

/// Built once because every file is searched for them.
static POLICIES: LazyLock<[memmem::Finder<'_>; 2]> =
    LazyLock::new(|| ["AdmissionPolicy", "joblint.dev/v1"].map(memmem::Finder::new));

/// Whether a text may hold an admission policy, a binding of one, or a rule of the user.
pub(crate) fn holds_policy(bytes: &[u8]) -> bool {
    POLICIES.iter().any(|finder| finder.find(bytes).is_some())
}

/// Whether an object is an admission policy, a binding of one, or a rule of the user.
pub(crate) fn is_policy(object: &Object) -> bool {
    match object.kind() {
        "Rule" => object.api_version() == "joblint.dev/v1",
        kind => {
            kind.contains("AdmissionPolicy") && object.group() == "admissionregistration.k8s.io"
        }
    }
}

pub(super) fn holds_values(bytes: &[u8]) -> bool {
    [&b"ConfigMap"[..], b"Secret"].iter().any(|kind| memmem::find(bytes, kind).is_some())
}

pub(crate) fn matters(object: &Object) -> bool {
    match object.group() {
        "argoproj.io" => matches!(object.kind(), "Application" | "ApplicationSet"),
        group => group.ends_with("toolkit.fluxcd.io") || group == "source.extensions.fluxcd.io",
    }
}

pub(super) fn is_values(object: &Object) -> bool {
    object.group().is_empty() && matches!(object.kind(), "ConfigMap" | "Secret")
}
