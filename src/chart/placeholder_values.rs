//! Which parts of a render are empty, or hold a placeholder, because of a value.

use go_template::provenance::{InputSet, Span as Traced};
use helm_render::guards::PLACEHOLDER;
use yaml_spans::Span;

use super::origin::Manifest;

/// Texts of values that hold nothing.
const NOTHING: [&str; 6] = ["", "\"\"", "''", "{}", "[]", "null"];

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
