use yaml_spans::{Entry, Map, Node, Value};

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "duplicate-key",
    include_str!("../../rules/duplicate-key.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut lost = Vec::new();
    add_lost(&job.object.root, &mut lost);
    // The content of an anchor is visited once per alias.
    lost.sort_by_key(|(old, _)| old.key_span.start);
    lost.dedup_by_key(|(old, _)| old.key_span);
    for (old, new) in lost {
        let key = &old.key;
        let message = format!("{} sets `{key}` twice: the first value is lost", job.title());
        let finding = Finding::new(old.key_span, "has no effect: a later value replaces it");
        found.push(finding.message(message).label(new.key_span, "this value counts"));
    }
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
