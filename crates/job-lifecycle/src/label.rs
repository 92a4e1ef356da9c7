//! A span of source text with a short message about it.

use std::sync::Arc;

use yaml_spans::{Location, Source, Span};

/// A span of source text that explains an answer: where a value is set, which annotation decides.
#[derive(Clone, Debug)]
pub struct Label {
    /// The source that `span` belongs to.
    pub source: Arc<Source>,
    /// Byte range in the source.
    pub span: Span,
    /// The message, a phrase without a full stop.
    pub text: String,
}

impl Label {
    /// A label with this text at a location.
    pub fn at(at: Location, text: impl Into<String>) -> Self {
        Self { source: at.source, span: at.span, text: text.into() }
    }
}

impl PartialEq for Label {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.source, &other.source)
            && (self.span, &self.text) == (other.span, &other.text)
    }
}
