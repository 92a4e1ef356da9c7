use job_lifecycle::{Object, workload::kind_of};
use yaml_spans::{Entry, Map, Node, Span, Value};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "duplicate-key",
    include_str!("../../rules/duplicate-key.yaml"),
    Check::Object(check),
);

fn check(object: &Object, _: &Context<'_>, found: &mut Vec<Finding>) {
    if let Some(finding) = run_together(object) {
        found.push(finding);
        return;
    }
    if kind_of(object).is_none() {
        return;
    }
    let own_labels = object.root.at(&["metadata", "labels"]).map(|labels| labels.span);
    let mut lost = Vec::new();
    add_lost(&object.root, &mut lost);
    // The content of an anchor is visited once per alias.
    lost.sort_by_key(|(old, _)| old.key_span.start);
    lost.dedup_by_key(|(old, _)| old.key_span);
    for (old, new) in lost {
        let key = &old.key;
        let message = format!("{} sets `{key}` twice: the first value is lost", titled(object));
        let finding = Finding::new(old.key_span, "has no effect: a later value replaces it")
            .message(message)
            .label(new.key_span, "this value counts");
        // What selects by labels selects pods.
        let is_own_label = own_labels.is_some_and(|labels| holds(labels, new.key_span));
        found.push(match is_own_label {
            true => finding.severity(Severity::Info).pedantic(),
            false => finding,
        });
    }
}

/// The kinds that the rule is about.
const KINDS: [&str; 2] = ["Job", "CronJob"];

/// The finding about an object behind another one in the same document, for want of `---`: the keys of the first are
/// repeated, and it is lost.
fn run_together(object: &Object) -> Option<Finding> {
    let Value::Map(map) = &object.root.value else { return None };
    let old = |key: &str| map.overridden.iter().find(|old| &*old.key == key && !old.merged);
    let (version, kind) = (old("apiVersion")?, old("kind")?);
    let is_ours = |kind: &str| KINDS.contains(&kind);
    let lost = kind.value.as_str().filter(|kind| is_ours(kind) || is_ours(object.kind()))?;
    let name = old("metadata").and_then(|metadata| metadata.value.get("name")?.as_str());
    let lost = match name {
        Some(name) => format!("{lost} `{name}`"),
        None => format!("a {lost}"),
    };
    let new = map.entry("apiVersion")?;
    let label = format!("{} starts here, in the same document", titled(object));
    let message = format!("{lost} is lost: no `---` separates it from {}", titled(object));
    Some(
        Finding::new(new.key_span.to(new.value.span), label)
            .message(message)
            .label(version.key_span.to(version.value.span), format!("{lost} starts here"))
            .help("put a line `---` between the two objects"),
    )
}

fn holds(outer: Span, inner: Span) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// The entries that a later one of the same key replaces by another value, each with that one.
fn add_lost<'a>(node: &'a Node, lost: &mut Vec<(&'a Entry, &'a Entry)>) {
    match &node.value {
        Value::Map(map) => {
            lost.extend(map.overridden.iter().filter_map(|old| Some((old, successor(map, old)?))));
            map.entries.iter().for_each(|entry| add_lost(&entry.value, lost));
        }
        Value::Seq(items) => items.iter().for_each(|item| add_lost(item, lost)),
        _ => {}
    }
}

/// The entry that replaces another. What a merge key brings in is meant to be replaced.
fn successor<'a>(map: &'a Map, old: &Entry) -> Option<&'a Entry> {
    let new = map.entry(&old.key)?;
    (!old.merged && !new.merged && old.value != new.value).then_some(new)
}
