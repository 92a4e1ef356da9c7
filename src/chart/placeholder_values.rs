//! Detects rendered text that is empty, or holds a placeholder, because of a chart value.

use go_template::{
    ABSENT,
    provenance::{InputSet, Span as Traced},
};
use helm_render::guards::PLACEHOLDER;
use yaml_spans::Span;

use super::origin::Manifest;

/// Rendered forms of an empty value.
const NOTHING: [&str; 6] = ["", "\"\"", "''", "{}", "[]", "null"];

impl Manifest {
    /// Returns whether part of a span is empty because of a chart value. With `conditions`, a value that only
    /// decided a condition counts too.
    pub(super) fn has_nothing(&self, span: Span, conditions: bool) -> bool {
        self.any(span, |action, text| {
            let is_of_value = |one: &Traced| {
                self.is_of_value(one.data) || conditions && self.is_of_value(one.control)
            };
            NOTHING.contains(&text.trim()) && action.iter().any(is_of_value)
        })
    }

    /// Returns whether a chart value printed a placeholder into a span.
    pub(super) fn has_placeholder(&self, span: Span) -> bool {
        let is_of_value = |one: &Traced| self.is_of_value(one.data);
        self.any(span, |action, text| text.contains(PLACEHOLDER) && action.iter().any(is_of_value))
    }

    /// Whether this holds for what one literal or action printed in a span. A function may print its text in several runs,
    /// some of them empty.
    fn any(&self, span: Span, holds: impl Fn(&[Traced], &str) -> bool) -> bool {
        let rendered = &self.rendering.rendered;
        let made = &rendered.files[self.file];
        let range = self.start + span.start as usize..self.start + span.end as usize;
        let spans = made.spans.trace(&rendered.provenance, range);
        let mut actions = spans.chunk_by(|one, next| one.chain == next.chain);
        actions.any(|action| {
            let range = action[0].range.start..action[action.len() - 1].range.end;
            holds(action, made.text.get(range).unwrap_or_default())
        })
    }

    fn is_of_value(&self, set: InputSet) -> bool {
        let inputs = &self.rendering.rendered.provenance.inputs;
        inputs.members(set).into_iter().any(|input| {
            let path = inputs.path(input);
            path.starts_with("Values") || path == ABSENT
        })
    }
}
