//! Locates and words the differences between two versions.

use job_lifecycle::kubernetes::immutable::{Difference, Written};
use yaml_spans::{Node, Span, Value};

use super::{pair::Pair, version::VersionedObject};
use crate::{redact, results::FieldChange};

/// The longest value to show, in characters.
const LONGEST: usize = 60;

/// The span of a difference in the new version: the value in a manifest; in rendered one-line scalars only
/// the part that changed.
pub(crate) fn changed_part(pair: &Pair<'_>, difference: &Difference) -> Option<Span> {
    let (new, written) = (pair.new?, difference.new.as_ref()?);
    if new.object.source.origin.is_none() {
        return Some(written.span);
    }
    let Some((old, before)) = pair.old.zip(difference.old.as_ref()) else {
        return Some(written.span);
    };
    let [a, b] = [old.object.source.slice(before.span), new.object.source.slice(written.span)];
    if b.is_empty() || b.contains('\n') || a.contains('\n') {
        return Some(written.span);
    }
    let start = common(a.chars(), b.chars());
    let end = common(a[start..].chars().rev(), b[start..].chars().rev());
    let (from, to) = (written.span.start + start as u32, written.span.end - end as u32);
    Some(if from < to { Span { start: from, end: to } } else { written.span })
}

/// The length of the common prefix, in bytes.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// A difference for machine-readable output.
pub(crate) fn field_change(pair: &Pair<'_>, difference: &Difference) -> FieldChange {
    let json = |part: Option<&VersionedObject>, written: &Option<Written>| {
        let (part, written) = part.zip(written.as_ref())?;
        let secret = is_secret(part, difference, written);
        Some(if secret { "***".into() } else { written.node.to_json() })
    };
    FieldChange {
        path: difference.path(),
        old: json(pair.old, &difference.old),
        new: json(pair.new, &difference.new),
    }
}

/// Describes a difference for people: `` `a` becomes `b` ``. Secrets and multi-line texts are not shown.
pub(crate) fn words(pair: &Pair<'_>, difference: &Difference) -> String {
    let text = |part: Option<&VersionedObject>, written: &Option<Written>| {
        let (part, written) = part.zip(written.as_ref())?;
        Some(match is_secret(part, difference, written) {
            true => "`***`".to_owned(),
            false => shown(&written.node),
        })
    };
    let name = difference.path();
    let name = name
        .strip_prefix("spec.template.spec.")
        .or(name.strip_prefix("spec.template."))
        .unwrap_or(&name);
    match (text(pair.old, &difference.old), text(pair.new, &difference.new)) {
        (Some(old), Some(new)) if old == new => format!("`{name}` changes"),
        (Some(old), Some(new)) => format!("{old} becomes {new}"),
        (None, Some(new)) => format!("`{name}` is new: {new}"),
        (Some(old), None) => format!("`{name}` is no longer set: was {old}"),
        (None, None) => format!("`{name}` differs"),
    }
}

/// Returns whether one of the values is secret.
pub(crate) fn is_hidden(pair: &Pair<'_>, difference: &Difference) -> bool {
    let sides = [(pair.old, &difference.old), (pair.new, &difference.new)];
    sides.into_iter().any(|(part, written)| {
        part.zip(written.as_ref())
            .is_some_and(|(part, written)| is_secret(part, difference, written))
    })
}

fn shown(node: &Node) -> String {
    let text = match &node.value {
        Value::Map(_) => return "a mapping".to_owned(),
        Value::Seq(items) => return format!("a list of {}", items.len()),
        Value::Str(text) => text.to_string(),
        _ => node.to_json().to_string(),
    };
    let line = text.lines().next().unwrap_or_default();
    let cut: String = line.chars().take(LONGEST).collect();
    if cut.len() < text.trim_end().len() { format!("`{cut}…`") } else { format!("`{cut}`") }
}

/// Returns whether a value contains a secret or derives from one.
fn is_secret(part: &VersionedObject, difference: &Difference, written: &Written) -> bool {
    let span = written.node.span;
    let overlaps = |own: &Span| own.start < span.end && span.start < own.end;
    let named = |text: &str| redact::is_secret(text.rsplit('.').next().unwrap_or(text));
    let source = &part.object.source;
    let inputs = || source.origin.iter().flat_map(|origin| origin.written(span).inputs);
    part.secrets().spans.iter().any(overlaps)
        || difference.names().iter().any(|name| named(name))
        || inputs().any(|path| named(&path))
}
