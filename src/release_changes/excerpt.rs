//! Shortens the two values of a difference for a label.

use yaml_spans::{Node, Value};

use super::compare::TreeDifference;

/// The old and the new value for a label.
pub(crate) fn shown(raw: &TreeDifference<'_>, is_secret: bool) -> (Option<String>, Option<String>) {
    if raw.old.is_some() && is_secret {
        return (raw.old.map(|_| "***".into()), raw.new.map(|_| "***".into()));
    }
    let (old, new) = (raw.old.map(text), raw.new.map(text));
    match (&old, &new) {
        (Some(a), Some(b)) => {
            let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
            (Some(excerpt(a, same)), Some(excerpt(b, same)))
        }
        _ => (old.map(|text| excerpt(&text, 0)), new.map(|text| excerpt(&text, 0))),
    }
}

/// The text of a scalar; a placeholder for a collection.
fn text(node: &Node) -> String {
    match &node.value {
        Value::Str(text) => text.to_string(),
        Value::Map(_) => "{…}".to_owned(),
        Value::Seq(_) => "[…]".to_owned(),
        _ => node.to_json().to_string(),
    }
}

/// About 60 characters of the line around the first character that differs.
fn excerpt(text: &str, same: usize) -> String {
    const BEFORE: usize = 24;
    const LENGTH: usize = 60;
    let start = text.chars().take(same).collect::<String>().rfind('\n').map_or(0, |at| at + 1);
    let line = text[start..].lines().next().unwrap_or_default();
    let at = same - text[..start].chars().count();
    let skipped = if line.chars().count() > LENGTH { at.saturating_sub(BEFORE) } else { 0 };
    let shown: String = line.chars().skip(skipped).take(LENGTH).collect();
    let (before, after) = (skipped > 0, skipped + LENGTH < line.chars().count());
    format!("{}{shown}{}", if before { "…" } else { "" }, if after { "…" } else { "" })
}
