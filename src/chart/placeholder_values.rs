//! What values that somebody made up leave empty, or fill with placeholders: who switches the feature on
//! sets it, so nothing is to be said about it.

use super::origin::Manifest;
use crate::{
    finding::Finding,
    load::Loaded,
    object::Object,
    rules::{Category, Rule},
};
use go_template::provenance::{InputSet, Span as Traced};
use helm_render::PLACEHOLDER;
use yaml_spans::{Entry, Node, Origin, Span};

/// Texts of values that hold nothing.
const NOTHING: [&str; 6] = ["", "\"\"", "''", "{}", "[]", "null"];

/// The finding is about what made-up values leave empty. What follows placeholders changes like any other
/// value, and nothing else can be said of it.
pub fn is_made_up(rule: &Rule, object: &Object, finding: &Finding, loaded: &Loaded) -> bool {
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

impl Manifest {
    /// Some part of a span of its text is nothing, and a value of the chart made it so; or, with
    /// `conditions`, decided about it.
    pub(super) fn has_nothing(&self, span: Span, conditions: bool) -> bool {
        self.any(span, |one, text| {
            let decided = conditions && self.is_of_value(one.control);
            NOTHING.contains(&text.trim()) && (decided || self.is_of_value(one.data))
        })
    }

    /// A value of the chart printed a placeholder in a span of its text.
    pub(super) fn has_placeholder(&self, span: Span) -> bool {
        self.any(span, |one, text| text.contains(PLACEHOLDER) && self.is_of_value(one.data))
    }

    fn any(&self, span: Span, holds: impl Fn(&Traced, &str) -> bool) -> bool {
        let rendered = &self.rendering.rendered;
        let made = &rendered.files[self.file];
        let range = self.start + span.start as usize..self.start + span.end as usize;
        let spans = made.spans.trace(&rendered.provenance, range);
        spans.iter().any(|one| holds(one, made.text.get(one.range.clone()).unwrap_or_default()))
    }

    fn is_of_value(&self, set: InputSet) -> bool {
        let inputs = &self.rendering.rendered.provenance.inputs;
        inputs.members(set).into_iter().any(|input| inputs.path(input).starts_with("Values"))
    }
}
