//! Keys of a Secret or ConfigMap that a pod needs, and that the one which is deployed with it does not have.

use std::path::Path;

use job_lifecycle::{
    Object,
    workload::{Reference, keys_of},
};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    command::{keys, provided_with},
    discover::is_overlay_file,
    finding::Finding,
    words::joined,
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
    let all = keys_of(job.pod).into_iter().filter(|(of, _)| !of.is_optional);
    found.extend(all.filter_map(|(of, key)| finding(job, &of, key)).take(1));
}

fn finding(job: &Subject<'_>, of: &Reference<'_>, node: &Node) -> Option<Finding> {
    let (Reference { kind, name, .. }, key) = (of, node.as_str()?);
    let object = provided_with(job, job.context, kind, name)?;
    let keys: Vec<_> = keys(object).collect();
    let may_be_added = || {
        let path = &object.source.path;
        job.context.names.is_none_or(|names| names.may_add_key((kind, name), key, path))
    };
    if keys.is_empty() || keys.contains(&key) || is_filled(object) || may_be_added() {
        return None;
    }
    let label = format!("{kind} `{name}` has no such key");
    let message = format!("{} never starts: {kind} `{name}` has no key `{key}`", job.title());
    let at = object.root.at(&["metadata", "name"])?.span;
    let shown: Vec<_> = keys.iter().map(|key| format!("`{key}`")).collect();
    let has = format!("it has {}", joined(&shown));
    let finding = Finding::new(node.span, label).message(message);
    Some(finding.label_in(&object.source, at, has))
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
