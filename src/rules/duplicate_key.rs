use job_lifecycle::{Object, workload::kind_of};
use yaml_spans::{Entry, Map, Node, Span, Value};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::{joined, titled},
};

pub(crate) static RULE: Rule = Rule::new(
    "duplicate-key",
    include_str!("../../rules/duplicate-key.yaml"),
    Check::Object(check),
);

/// An entry that a later one replaces.
struct Lost<'a> {
    old: &'a Entry,
    new: &'a Entry,
    /// The mapping that holds both.
    mapping: Span,
}

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
    lost.retain(|one| !overrides_printed(object, one));
    // The content of an anchor is visited once per alias.
    lost.sort_by_key(|one| (one.mapping.start, one.old.key_span.start));
    lost.dedup_by_key(|one| one.old.key_span);
    let blocks = lost.chunk_by(|a, b| a.mapping == b.mapping);
    found.extend(blocks.map(|block| {
        let finding = finding(&titled(object), block);
        // Nothing is lost where there was no value, and what selects by labels selects pods.
        match own_labels == Some(block[0].mapping) {
            true => finding.severity(Severity::Info).pedantic(),
            false if block.iter().all(|lost| loses_nothing(lost)) => finding.pedantic(),
            false => finding,
        }
    }));
}

/// Whether the later value holds all of the first one, which may be empty.
fn loses_nothing(lost: &Lost<'_>) -> bool {
    let (old, new) = (&lost.old.value, &lost.new.value);
    let keeps = |entry: &Entry| new.get(&entry.key) == Some(&entry.value);
    match &old.value {
        Value::Null => true,
        Value::Seq(items) => items.iter().all(|item| new.items().contains(item)),
        Value::Map(_) => old.entries().iter().all(keeps),
        _ => false,
    }
}

/// Whether a template writes its own value behind what `include` or `toYaml` prints, to override that.
fn overrides_printed(object: &Object, lost: &Lost<'_>) -> bool {
    let Some(origin) = &object.source.origin else { return false };
    let place = |entry: &Entry| origin.literal(entry.key_span).map(|at| at.source.path.clone());
    let template = object.root.entry("kind").and_then(place);
    template.is_some() && place(lost.new) == template && place(lost.old) != template
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
