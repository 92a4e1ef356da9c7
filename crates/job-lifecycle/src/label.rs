//! A place in a text, with what there is to say about it.

use std::sync::Arc;

use yaml_spans::{Location, Source, Span};

/// A place and what it has to do with the matter: where a value is set, which annotation decides.
#[derive(Clone, Debug)]
pub struct Label {
    /// The text that it points into.
    pub source: Arc<Source>,
    /// The bytes that it marks.
    pub span: Span,
    /// What is said there.
    pub text: String,
}

impl Label {
    /// A label at a place.
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
