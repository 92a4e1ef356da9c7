use yaml_spans::{Entry, Map, Node, Span, Value};

use super::{Check, Rule};
use crate::{finding::Finding, words::joined, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "duplicate-key",
    include_str!("../../rules/duplicate-key.yaml"),
    Check::Workload(check),
);

/// An entry that a later one replaces.
struct Lost<'a> {
    old: &'a Entry,
    new: &'a Entry,
    /// The mapping that holds both.
    mapping: Span,
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut lost = Vec::new();
    add_lost(&job.object.root, &mut lost);
    // The content of an anchor is visited once per alias.
    lost.sort_by_key(|one| (one.mapping.start, one.old.key_span.start));
    lost.dedup_by_key(|one| one.old.key_span);
    let blocks = lost.chunk_by(|a, b| a.mapping == b.mapping);
    found.extend(blocks.map(|block| finding(&job.title(), block)));
}

/// One finding about the keys that a mapping has twice: often a block of it was copied.
fn finding(title: &str, block: &[Lost<'_>]) -> Finding {
    let mut keys: Vec<_> = block.iter().map(|lost| format!("`{}`", lost.old.key)).collect();
    keys.sort();
    keys.dedup();
    let values = if keys.len() == 1 { "the first value is" } else { "their first values are" };
    let message = format!("{title} sets {} twice: {values} lost", joined(&keys));
    let (no_effect, counts) = ("has no effect: a later value replaces it", "this value counts");
    let finding = Finding::new(block[0].old.key_span, no_effect).message(message);
    let others = block[1..].iter();
    let finding = others.fold(finding, |finding, lost| finding.label(lost.old.key_span, no_effect));
    block.iter().fold(finding, |finding, lost| finding.label(lost.new.key_span, counts))
}

/// The entries that a later one of the same key replaces by another value.
fn add_lost<'a>(node: &'a Node, lost: &mut Vec<Lost<'a>>) {
    match &node.value {
        Value::Map(map) => {
            lost.extend(map.overridden.iter().filter_map(|old| {
                Some(Lost { old, new: successor(map, old)?, mapping: node.span })
            }));
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
