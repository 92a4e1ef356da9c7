//! Why a document cannot be read.

use std::{error::Error, fmt};

use crate::Span;

/// Why a document cannot be read, in words for the author of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct ParseError {
    /// What is wrong, for callers that act on it. When the YAML parser found the error this is its view of it;
    /// `reason` can name the cause behind it, such as a tab.
    pub kind: ErrorKind,
    /// The bytes to look at; empty only in an empty text.
    pub span: Span,
    /// What is wrong, as a lower-case phrase without a full stop.
    pub reason: String,
    /// A second place and its label: where the parser stopped, when `span` is where a quote or bracket opens.
    pub secondary: Option<(Span, String)>,
    /// The YAML parser's own message; `None` when another check found the error.
    pub parser: Option<Box<ParserMessage>>,
}

/// How the YAML parser reports an error, which is close to go-yaml's report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserMessage {
    /// The offset in the text at which the parser stopped.
    pub at: u32,
    /// Its words.
    pub text: String,
}

/// What is wrong with a document, for callers that act on it or report it in other words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An alias stands inside the value of its own anchor.
    AliasInsideAnchor,
    /// A line of a block scalar is indented less than the scalar.
    BlockScalarIndentation,
    /// A character that YAML 1.1 forbids everywhere.
    ControlCharacter,
    /// Aliases or merge keys multiply beyond the limit.
    ExcessiveAliasing,
    /// High surrogate without a low one in `\u` escapes.
    HalfSurrogatePair,
    /// A `\x`, `\u` or `\U` escape without enough hexadecimal digits.
    InvalidHexEscape,
    /// The value of `<<` is neither a mapping nor a list of mappings.
    InvalidMerge,
    /// A closing bracket that closes nothing.
    MisplacedBracket,
    /// A line among keys is not `key: value`.
    MissingColon,
    /// A `!!binary` value is not base64.
    NotBase64,
    /// An infinite number or NaN, which JSON cannot hold.
    NotFinite,
    /// A line of a quoted scalar is indented too little.
    QuoteIndentation,
    /// A tab where indentation must be spaces.
    Tab,
    /// The content of a block scalar starts with a tab.
    TabInBlockScalar,
    /// A value is not of the type that its tag states.
    TagMismatch {
        /// The text of the value.
        text: String,
        /// The tag without `!!`: `int`.
        tag: &'static str,
    },
    /// Something follows the closing quote of a value.
    TextAfterQuote,
    /// A bracket, `[` or `{`, that is never closed.
    UnclosedBracket(char),
    /// A quote that is never closed.
    UnclosedQuote,
    /// A tag handle that no `%TAG` line declares.
    UndeclaredTagHandle,
    /// A character that cannot start a value.
    UnexpectedCharacter,
    /// The document ends where a value is expected.
    UnexpectedEnd,
    /// An alias without an anchor before it.
    UnknownAnchor,
    /// An escape that YAML does not have.
    UnknownEscape,
    /// Any other error.
    Other,
}

impl ParseError {
    pub(crate) fn new(span: Span, reason: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Other, span, reason: reason.into(), secondary: None, parser: None }
    }

    /// The error of a tab where indentation must be spaces.
    pub(crate) fn tab(span: Span) -> Self {
        Self::new(span, TAB).with_kind(ErrorKind::Tab)
    }

    pub(crate) fn with_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
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
