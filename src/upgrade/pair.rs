//! Matches the objects of two versions: by name, or as a rename of the same workload.

use std::collections::BTreeSet;

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
    old: &'a [VersionedObject],
    new: &'a [VersionedObject],
    deployers: &[Deployer],
    from_chart: bool,
) -> Vec<Pair<'a>> {
    let runs = |part: &&VersionedObject| is_work(&part.object, deployers, from_chart);
    let old: Vec<_> = old.iter().filter(runs).collect();
    let new: Vec<_> = new.iter().filter(runs).collect();
    let mut left: BTreeSet<usize> = (0..old.len()).collect();
    let mut matched = vec![None; new.len()];
    for exact in [true, false] {
        for (index, part) in new
            .iter()
            .enumerate()
            .filter(|(index, _)| matched[*index].is_none())
            .collect::<Vec<_>>()
        {
            let same = |at: &&usize| is_same(&old[**at].object, &part.object, exact);
            if let Some(at) = left.iter().find(same).copied() {
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

/// Returns whether two objects are the same to the API server: equal kind, namespace and name. Unless
/// `exact`, a namespace that only one version states is ignored.
fn is_same(old: &Object, new: &Object, exact: bool) -> bool {
    let names = |object: &Object| {
        (object.name().map(str::to_owned), object.generate_name().map(str::to_owned))
    };
    let namespaces = [old.namespace(), new.namespace()];
    let same = namespaces[0] == namespaces[1] || !exact && namespaces.contains(&None);
    kind(old) == kind(new) && names(old) == names(new) && same
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
    let hooks = |part: &VersionedObject| -> Vec<bool> {
        let hook = |deployer| matches!(classify(&part.object, deployer, from_chart), Role::Hook(_));
        deployers.iter().map(hook).collect()
    };
    let mut candidates = Vec::new();
    for at in left {
        for (index, part) in new.iter().enumerate().filter(|(index, _)| matched[*index].is_none()) {
            let before = old[*at];
            let alike = kind(&before.object) == kind(&part.object) && hooks(before) == hooks(part);
            let score = likeness(before, part);
            if alike && score >= LIKELY {
                candidates.push((std::cmp::Reverse(score), *at, index));
            }
        }
    }
    candidates.sort_unstable();
    let (mut olds, mut news) = (BTreeSet::new(), BTreeSet::new());
    let mut chosen = Vec::new();
    for (_, at, index) in candidates {
        if !olds.contains(&at) && !news.contains(&index) {
            olds.insert(at);
            news.insert(index);
            chosen.push((at, index));
        }
    }
    chosen
}

/// The least score for a rename: for example the same file and containers, or names that differ only in a
/// version or hash plus one of these.
const LIKELY: usize = 3;

fn likeness(old: &VersionedObject, new: &VersionedObject) -> usize {
    let file = old.file == new.file && !old.file.is_empty();
    let containers = containers(&old.object) == containers(&new.object);
    let stems = [old, new].map(|part| stem(&part.object.display_name()));
    let name = stems[0] == stems[1];
    2 * usize::from(name) + 2 * usize::from(file) + usize::from(containers)
}

/// The names of the containers.
fn containers(object: &Object) -> Vec<&str> {
    let pod = job_lifecycle::workload::pod_path(object).and_then(|path| object.root.at(path));
    let containers = pod.and_then(|pod| pod.get("containers")).map(Node::items).unwrap_or_default();
    containers.iter().filter_map(|container| container.get("name")?.as_str()).collect()
}

/// A name without the parts that contain digits: versions, hashes, revisions.
fn stem(name: &str) -> Vec<String> {
    let parts = name.split(['-', '.']);
    parts
        .filter(|part| !part.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}
