//! Why a document cannot be read.

use std::{error::Error, fmt};

use crate::Span;

/// Why a document cannot be read, in words for the author of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseError {
    /// The bytes to look at; empty only in an empty text.
    pub span: Span,
    /// What is wrong, as a lower-case phrase without a full stop.
    pub reason: String,
    /// A second place and its label: where the parser stopped, when `span` is where a quote or bracket opens.
    pub secondary: Option<(Span, String)>,
    /// Where the YAML parser stopped and its own message, which is close to go-yaml's; `None` when another
    /// check found the error.
    pub parser: Option<(u32, String)>,
}

impl ParseError {
    pub(crate) fn new(span: Span, reason: impl Into<String>) -> Self {
        Self { span, reason: reason.into(), secondary: None, parser: None }
    }

    pub(crate) fn with_secondary(mut self, span: Span, label: impl Into<String>) -> Self {
        self.secondary = Some((span, label.into()));
        self
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl Error for ParseError {}

/// The reason for a tab in indentation.
pub(crate) const TAB: &str = "a tab cannot indent YAML; use spaces";
