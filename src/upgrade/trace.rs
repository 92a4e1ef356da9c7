//! A difference between two versions: where to point, and in which words.

use job_lifecycle::kubernetes::immutable::{Difference, Written};
use yaml_spans::{Node, Span, Value};

use super::{pair::Pair, version::Part};
use crate::{redact, results::FieldChange};

/// Longer values are cut.
const LONGEST: usize = 60;

/// Where to point at a difference in the new version. In a manifest that is the value; of what a template prints the
/// part that is another one, for scalars written in one line.
pub fn changed_part(pair: &Pair<'_>, difference: &Difference) -> Option<Span> {
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

/// How many bytes two texts start with in common.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum()
}

/// A difference for machines.
pub fn field_change(pair: &Pair<'_>, difference: &Difference) -> FieldChange {
    let json = |part: Option<&Part>, written: &Option<Written>| {
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

/// `` `a` becomes `b` ``, for people; secrets and texts of many lines are not shown.
pub fn words(pair: &Pair<'_>, difference: &Difference) -> String {
    let text = |part: Option<&Part>, written: &Option<Written>| {
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
        (Some(old), Some(new)) if old == new => format!("`{name}` is another one"),
        (Some(old), Some(new)) => format!("{old} becomes {new}"),
        (None, Some(new)) => format!("`{name}` is new: {new}"),
        (Some(old), None) => format!("`{name}` is no longer set: was {old}"),
        (None, None) => format!("`{name}` differs"),
    }
}

/// One of the values is not to be seen.
pub fn is_hidden(pair: &Pair<'_>, difference: &Difference) -> bool {
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

/// A secret stands in the value, or the value comes from one.
fn is_secret(part: &Part, difference: &Difference, written: &Written) -> bool {
    let span = written.node.span;
    let overlaps = |own: &Span| own.start < span.end && span.start < own.end;
    let named = |text: &str| redact::is_secret(text.rsplit('.').next().unwrap_or(text));
    let source = &part.object.source;
    let inputs = || source.origin.iter().flat_map(|origin| origin.written(span).inputs);
    part.secrets().spans.iter().any(overlaps)
        || difference.names().iter().any(|name| named(name))
        || inputs().any(|path| named(&path))
}
