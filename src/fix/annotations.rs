//! Edits that set annotations.

use job_lifecycle::annotations::{ARGO_DELETE_POLICY, HELM_DELETE_POLICY};
use yaml_spans::{Edit, Entry, Node, Source, Span, Style, Value};

use super::{
    append, double_quoted, editable, fill_braces, in_braces, indent, is_compact, is_json, pair,
    quote_value, replace_string, written,
};

/// Sets annotations in a `metadata` mapping: adds those that are missing, changes those that are there. A list of
/// delete policies keeps its other words. `None` as for [`insert_first`].
pub(crate) fn annotate(
    source: &Source,
    metadata: &Node,
    wanted: &[(&str, &str)],
) -> Option<Vec<Edit>> {
    let is_flow = metadata.style == Style::Flow;
    let Some(own) = metadata.entry("annotations") else {
        return Some(vec![append(source, metadata, &block(source, metadata, wanted)?)?]);
    };
    let annotations = &own.value;
    if own.merged || source.slice(annotations.span).starts_with(['*', '&', '!']) {
        return None;
    }
    if annotations.is_null() && annotations.span.is_empty() && !is_flow {
        return Some(vec![append_below(source, own, wanted)?]);
    }
    if annotations.is_empty() {
        return Some(vec![fill_braces(source, annotations, wanted)?]);
    }
    let (present, missing): (Vec<_>, Vec<_>) =
        wanted.iter().partition(|(key, _)| annotations.entry(key).is_some());
    let mut edits = Vec::new();
    for (key, value) in present {
        edits.extend(set_annotation(source, annotations.entry(key)?, (key, value))?);
    }
    let is_flow = annotations.style == Style::Flow;
    for one in missing {
        edits.push(append(source, annotations, &pair(source, one, is_flow))?);
    }
    Some(edits)
}

/// Changes an annotation that is there; `Some(None)` if it says the same already.
fn set_annotation(
    source: &Source,
    entry: &Entry,
    (key, value): (&str, &str),
) -> Option<Option<Edit>> {
    let is_list = [HELM_DELETE_POLICY, ARGO_DELETE_POLICY].contains(&key);
    let own = entry.value.as_str().unwrap_or_default();
    let mut words = own.split(',').map(str::trim).filter(|word| !word.is_empty());
    if entry.merged || matches!(entry.value.style, Style::Literal | Style::Folded) {
        return None;
    }
    if own == value || is_list && words.clone().any(|word| word == value) {
        return Some(None);
    }
    let kept = words.by_ref().filter(|_| is_list);
    let text = std::iter::once(value).chain(kept).collect::<Vec<_>>().join(",");
    if entry.value.span.is_empty() {
        let edit = quote_value(source, entry)?;
        return Some(Some(Edit { text: format!(" {}", double_quoted(&text)), ..edit }));
    }
    let is_scalar = !matches!(entry.value.value, Value::Map(_) | Value::Seq(_));
    is_scalar.then(|| Some(replace_string(source, &entry.value, &text)))
}

/// The text of a new block of annotations in the style of `metadata`.
fn block(source: &Source, metadata: &Node, wanted: &[(&str, &str)]) -> Option<String> {
    if metadata.style == Style::Flow {
        let key = match (is_json(source), is_compact(source)) {
            (_, true) => "\"annotations\":",
            (true, _) => "\"annotations\": ",
            _ => "annotations: ",
        };
        return Some(format!("{key}{}", in_braces(source, wanted)));
    }
    let first = written(metadata).min_by_key(|entry| entry.key_span)?;
    let line = format!("{}{}  ", source.line_break(), indent(source, first.key_span.start)?);
    let pairs: Vec<_> = wanted.iter().map(|one| pair(source, *one, false)).collect();
    Some(format!("annotations:{line}{}", pairs.join(&line)))
}

/// Adds entries below a key without a value, after its comment.
fn append_below(source: &Source, entry: &Entry, wanted: &[(&str, &str)]) -> Option<Edit> {
    let line = format!("{}{}  ", source.line_break(), indent(source, entry.key_span.start)?);
    let text = wanted.iter().map(|one| line.clone() + &pair(source, *one, false)).collect();
    let end = source.line_span(source.line_of(entry.key_span.end)).end;
    editable(source).then_some(Edit { span: Span { start: end, end }, text })
}
