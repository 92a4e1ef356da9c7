//! Keys of a Secret or ConfigMap that a pod needs, and that the one which is deployed with it does not have.

use std::path::Path;

use job_lifecycle::Object;
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    command::provided_with, discover::is_overlay_file, finding::Finding, words::joined,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "key-not-found",
    include_str!("../../rules/key-not-found.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // The values of a chart may add any key.
    if job.context.from_chart() {
        return;
    }
    found.extend(asked(job.pod).into_iter().find_map(|one| finding(job, &one)));
}

/// A key that a pod needs.
struct Asked<'a> {
    kind: &'static str,
    name: &'a str,
    key: &'a Node,
}

/// The fields of an environment variable that name a key, and of a volume that name objects, with the field for the name.
const VALUES: [(&str, &str); 2] = [("secretKeyRef", "Secret"), ("configMapKeyRef", "ConfigMap")];
const VOLUMES: [(&str, &str, &str); 2] =
    [("secret", "secretName", "Secret"), ("configMap", "name", "ConfigMap")];

fn items(node: Option<&Node>) -> &[Node] {
    node.map(Node::items).unwrap_or_default()
}

fn asked(pod: &Node) -> Vec<Asked<'_>> {
    let is_needed = |source: &Node| !source.get("optional").is_some_and(Node::is_true);
    let mut all = Vec::new();
    for part in ["initContainers", "containers"] {
        let variables = items(pod.get(part)).iter().flat_map(|one| items(one.get("env")));
        for value in variables.filter_map(|one| one.get("valueFrom")) {
            all.extend(VALUES.iter().filter_map(|(field, kind)| {
                let source = value.get(field).filter(|source| is_needed(source))?;
                Some(Asked { kind, name: source.get("name")?.as_str()?, key: source.get("key")? })
            }));
        }
    }
    for volume in items(pod.get("volumes")) {
        for (field, name, kind) in VOLUMES {
            let Some(source) = volume.get(field).filter(|source| is_needed(source)) else {
                continue;
            };
            let Some(name) = source.get(name).and_then(Node::as_str) else { continue };
            let keys = items(source.get("items")).iter().filter_map(|item| item.get("key"));
            all.extend(keys.map(|key| Asked { kind, name, key }));
        }
    }
    all
}

fn finding(job: &Subject<'_>, one: &Asked<'_>) -> Option<Finding> {
    let key = one.key.as_str()?;
    let object = provided_with(job, job.context, one.kind, one.name)?;
    let keys = keys(object);
    let may_be_added = || {
        let (of, path) = ((one.kind, one.name), &object.source.path);
        job.context.names.is_none_or(|names| names.may_add_key(of, key, path))
    };
    if keys.is_empty() || keys.contains(&key) || is_filled(object) || may_be_added() {
        return None;
    }
    let name = one.name;
    let label = format!("{} `{name}` has no such key", one.kind);
    let message = format!("{} never starts: {} `{name}` has no key `{key}`", job.title(), one.kind);
    let at = object.root.at(&["metadata", "name"])?.span;
    let shown: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
    let has = format!("it has {}", joined(&shown));
    let finding = Finding::new(one.key.span, label).message(message);
    Some(finding.label_in(&object.source, at, has))
}

/// The parts of a Secret or ConfigMap that hold its keys.
const PARTS: [&str; 3] = ["data", "stringData", "binaryData"];

fn keys(object: &Object) -> Vec<&str> {
    let parts = PARTS.iter().filter_map(|part| object.root.get(part));
    parts.flat_map(Node::entries).map(|entry| &*entry.key).collect()
}

/// Domains of annotations that say nothing of the content.
const PLAIN: [&str; 4] = ["argoproj.io", "config.kubernetes.io", "fluxcd.io", "helm.sh"];

/// Whether something adds keys to an object: a generator of kustomize that lacks a file, a controller which an annotation asks to,
/// or the one for the tokens of ServiceAccounts.
fn is_filled(object: &Object) -> bool {
    let asks = |key: &str| {
        let domain = key.split_once('/').map_or("", |(domain, _)| domain);
        !domain.is_empty() && !PLAIN.iter().any(|plain| domain.ends_with(plain))
    };
    let kind = object.root.get("type").and_then(Node::as_str).unwrap_or_default();
    is_overlay_file(Path::new(&*object.source.path))
        || kind == "kubernetes.io/service-account-token"
        || object.annotations().iter().any(|entry| asks(&entry.key))
}
