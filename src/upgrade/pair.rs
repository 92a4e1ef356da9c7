//! Which object of the new version is which of the old: the same name, or a new name for the same work.

use std::collections::BTreeSet;

use job_lifecycle::{Deployer, Object, Role, classify, workload::Kind};
use yaml_spans::Node;

use super::version::Part;

/// One workload in both versions; one side is missing where it comes or goes.
#[derive(Clone, Copy, Debug)]
pub struct Pair<'a> {
    pub old: Option<&'a Part>,
    pub new: Option<&'a Part>,
    /// The name is another one.
    pub renamed: bool,
}

impl<'a> Pair<'a> {
    /// The new object, or the old one where there is no new one.
    pub fn part(&self) -> &'a Part {
        self.new.or(self.old).expect("a pair has a side")
    }
}

/// Pairs the Jobs, CronJobs and hooks of two versions, in the order of the new version, then what is gone.
pub fn pairs<'a>(
    old: &'a [Part],
    new: &'a [Part],
    deployers: &[Deployer],
    from_chart: bool,
) -> Vec<Pair<'a>> {
    let runs = |part: &&Part| is_work(&part.object, deployers, from_chart);
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

/// A Job, a CronJob, or a Pod that is a hook.
fn is_work(object: &Object, deployers: &[Deployer], from_chart: bool) -> bool {
    job_lifecycle::workload::kind_of(object).is_some()
        || job_lifecycle::workload::pod_path(object).is_some()
            && deployers
                .iter()
                .any(|deployer| classify(object, deployer, from_chart).hook().is_some())
}

/// One and the same to the API server: kind, namespace, name. Where one version leaves the namespace to the
/// deployer, the name decides.
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

/// Pairs of old and new indexes that are one workload under two names, the likeliest first.
fn renames(
    old: &[&Part],
    new: &[&Part],
    left: &BTreeSet<usize>,
    matched: &[Option<(usize, bool)>],
    deployers: &[Deployer],
    from_chart: bool,
) -> Vec<(usize, usize)> {
    let hooks = |part: &Part| -> Vec<bool> {
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

/// From here on two names are taken for one workload: the same file and the same containers, or names that differ
/// only in a version or hash beside one of these.
const LIKELY: usize = 3;

fn likeness(old: &Part, new: &Part) -> usize {
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

/// A name without its parts that hold digits: versions, hashes, revisions.
fn stem(name: &str) -> Vec<String> {
    let parts = name.split(['-', '.']);
    parts
        .filter(|part| !part.bytes().any(|byte| byte.is_ascii_digit()))
        .map(str::to_owned)
        .collect()
}
