//! Findings about what made-up values leave empty, or fill with placeholders. Whoever enables the feature sets
//! such a value, so there is nothing to report.

use job_lifecycle::Object;
use yaml_spans::{Entry, Node, Origin, Span};

use crate::{
    rules::{Category, Raised},
    unit::Loaded,
};

/// The finding is about what made-up values leave empty. What follows placeholders changes like any other
/// value, and nothing else can be said of it.
pub fn is_made_up(raised: &Raised<'_>, loaded: &Loaded) -> bool {
    let Raised { rule, object, finding } = raised;
    let is_made_up = loaded.rendering.as_ref().is_some_and(|one| one.options.is_lint);
    let Some(origin) = object.source.origin.as_deref().filter(|_| is_made_up) else { return false };
    is_left_empty(origin, object, finding.span)
        || rule.meta().category != Category::Recreation
            && origin.is_placeholder(line(object, finding.span))
}

/// A value of the chart printed nothing on the first line of the span, or the field there has no value
/// because of one.
fn is_left_empty(origin: &dyn Origin, object: &Object, span: Span) -> bool {
    let is_empty = |node: &Node| node.is_empty() || node.as_str() == Some("");
    let field = || entry_at(&object.root, span).filter(|entry| is_empty(&entry.value));
    origin.is_left_empty(line(object, span), false)
        || field().is_some_and(|entry| origin.is_left_empty(whole(object, entry), true))
}

/// The line that a span starts on, without the white space around it.
fn line(object: &Object, span: Span) -> Span {
    let source = &object.source;
    let line = source.line_span(source.line_of(span.start));
    let text = source.slice(line);
    let indent = text.len() - text.trim_start().len();
    Span { start: line.start + indent as u32, end: line.start + text.trim_end().len() as u32 }
}

/// A key with its empty value, up to where the next text starts.
fn whole(object: &Object, entry: &Entry) -> Span {
    let rest = &object.source.text[entry.key_span.end as usize..];
    let next = rest.trim_start_matches([':', '"', '\'']).trim_start();
    let end = entry.key_span.end + (rest.len() - next.len()) as u32;
    Span { start: entry.key_span.start, end: end.max(entry.value.span.end) }
}

/// The innermost entry that a span starts in.
fn entry_at(node: &Node, span: Span) -> Option<&Entry> {
    let holds = |own: Span| own.start <= span.start && span.start <= own.end;
    let inside = node.items().iter().find_map(|item| entry_at(item, span));
    inside.or_else(|| {
        let mut entries = node.entries().iter();
        let entry = entries.find(|one| holds(one.key_span) || holds(one.value.span))?;
        entry_at(&entry.value, span).or(Some(entry))
    })
}
