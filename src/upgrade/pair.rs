//! Matches the objects of two versions: by name, or as a rename of the same workload.

use std::collections::{BTreeSet, HashMap};

use job_lifecycle::{Deployer, Object, Role, classify, workload::Kind};
use yaml_spans::Node;

use super::version::VersionedObject;

/// One workload in both versions; one side is missing if it was added or removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub old: Option<&'a VersionedObject>,
    pub new: Option<&'a VersionedObject>,
    /// Whether the two names differ.
    pub renamed: bool,
}

impl<'a> Pair<'a> {
    /// Returns whether another pair has the same manifests on both sides.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        let root = |part: Option<&'a VersionedObject>| part.map(|part| &part.object.root);
        let of = |pair: &Self| (root(pair.old), root(pair.new), pair.renamed);
        of(self) == of(other)
    }

    /// The new object, or the old one if it was removed.
    pub(crate) fn part(&self) -> &'a VersionedObject {
        self.new.or(self.old).expect("a pair has a side")
    }
}

/// Pairs the Jobs, CronJobs and hooks of two versions: first in the order of the new version, then the
/// removed ones.
pub(crate) fn pairs<'a>(
    old: impl Iterator<Item = &'a VersionedObject>,
    new: impl Iterator<Item = &'a VersionedObject>,
    deployers: &[Deployer],
    from_chart: bool,
) -> Vec<Pair<'a>> {
    let runs = |part: &&VersionedObject| is_work(&part.object, deployers, from_chart);
    let old: Vec<_> = old.filter(runs).collect();
    let new: Vec<_> = new.filter(runs).collect();
    let mut left: BTreeSet<usize> = (0..old.len()).collect();
    let mut matched = vec![None; new.len()];
    let mut named: HashMap<Identity<'_>, Vec<usize>> = HashMap::new();
    for (at, part) in old.iter().enumerate() {
        named.entry(identity(part)).or_default().push(at);
    }
    for exact in [true, false] {
        for (index, part) in new.iter().enumerate() {
            let Some(same) = named.get_mut(&identity(part)) else { continue };
            let fits = |at: &usize| is_same_namespace(&old[*at].object, &part.object, exact);
            if matched[index].is_none()
                && let Some(found) = same.iter().position(fits)
            {
                let at = same.remove(found);
                left.remove(&at);
                matched[index] = Some((at, false));
            }
        }
    }
    for (at, index) in renames(&old, &new, &left, &matched, deployers, from_chart) {
        left.remove(&at);
        matched[index] = Some((at, true));
    }
    let kept = new.iter().zip(&matched).map(|(part, found)| Pair {
        old: found.map(|(at, _)| old[at]),
        new: Some(*part),
        renamed: found.is_some_and(|(_, renamed)| renamed),
    });
    let gone = left.iter().map(|at| Pair { old: Some(old[*at]), new: None, renamed: false });
    kept.chain(gone).collect()
}

/// Returns whether an object is a Job, a CronJob, or a Pod that is a hook.
fn is_work(object: &Object, deployers: &[Deployer], from_chart: bool) -> bool {
    job_lifecycle::workload::kind_of(object).is_some()
        || job_lifecycle::workload::pod_path(object).is_some()
            && deployers
                .iter()
                .any(|deployer| classify(object, deployer, from_chart).hook().is_some())
}

/// What, with the namespace, identifies an object to the API server, and the kustomization that deploys it.
type Identity<'a> = (Option<&'a str>, Option<Kind>, Option<&'a str>, Option<&'a str>);

fn identity(part: &VersionedObject) -> Identity<'_> {
    let object = &part.object;
    (part.kustomization.as_deref(), kind(object), object.name(), object.generate_name())
}

/// Returns whether two objects are in one namespace. Unless `exact`, a namespace that only one version states is
/// ignored.
fn is_same_namespace(old: &Object, new: &Object, exact: bool) -> bool {
    let namespaces = [old.namespace(), new.namespace()];
    namespaces[0] == namespaces[1] || !exact && namespaces.contains(&None)
}

fn kind(object: &Object) -> Option<Kind> {
    job_lifecycle::workload::kind_of(object)
}

/// Indexes (old, new) of workloads that were probably renamed, most similar first.
fn renames(
    old: &[&VersionedObject],
    new: &[&VersionedObject],
    left: &BTreeSet<usize>,
    matched: &[Option<(usize, bool)>],
    deployers: &[Deployer],
    from_chart: bool,
) -> Vec<(usize, usize)> {
    let features = |part: &VersionedObject| Features::new(part, deployers, from_chart);
    let mut before: Vec<_> = left.iter().map(|at| (*at, features(old[*at]))).collect();
    let added = new.iter().enumerate().filter(|(index, _)| matched[*index].is_none());
    let mut after: Vec<_> = added.map(|(index, part)| (index, features(part))).collect();
    let mut chosen = Vec::new();
    for score in (LIKELY..=MOST_LIKELY).rev() {
        before.retain(|(at, gone)| {
            let found = after.iter().position(|(_, come)| gone.likeness(come) == Some(score));
            let Some(found) = found else { return true };
            chosen.push((*at, after.remove(found).0));
            false
        });
    }
    chosen
}

/// The least score for a rename: for example the same file and containers, or names that differ only in a
/// version or hash plus one of these.
const LIKELY: usize = 3;
/// The score of workloads that differ in nothing that is compared.
const MOST_LIKELY: usize = 5;

/// What a workload is recognised by after a rename.
struct Features {
    kind: Option<Kind>,
    hooks: Vec<bool>,
    stem: Vec<String>,
    file: String,
    containers: Vec<String>,
}

impl Features {
    fn new(part: &VersionedObject, deployers: &[Deployer], from_chart: bool) -> Self {
        let hook = |deployer| matches!(classify(&part.object, deployer, from_chart), Role::Hook(_));
        Self {
            kind: kind(&part.object),
            hooks: deployers.iter().map(hook).collect(),
            stem: stem(&part.object.display_name()),
            file: part.file.clone(),
            containers: containers(&part.object),
        }
    }

    /// How similar two workloads are; `None` if one cannot be the other.
    fn likeness(&self, other: &Self) -> Option<usize> {
        if self.kind != other.kind || self.hooks != other.hooks {
            return None;
        }
        let name = self.stem == other.stem;
        let file = self.file == other.file && !self.file.is_empty();
        let containers = self.containers == other.containers;
        Some(2 * usize::from(name) + 2 * usize::from(file) + usize::from(containers))
    }
}

/// The names of the containers.
fn containers(object: &Object) -> Vec<String> {
    let pod = job_lifecycle::workload::pod_path(object).and_then(|path| object.root.at(path));
    let containers = pod.and_then(|pod| pod.get("containers")).map(Node::items).unwrap_or_default();
    let names = containers.iter().filter_map(|container| container.get("name")?.as_str());
    names.map(str::to_owned).collect()
}

/// A name without the parts that contain digits: versions, hashes, revisions.
fn stem(name: &str) -> Vec<String> {
    let parts = name.split(['-', '.']);
    parts
        .filter(|part| !part.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}
