//! Errors with Go's wording.

use std::fmt;

use crate::provenance::Position;

/// A template that does not parse: `template: NAME:LINE: MESSAGE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The name the source was parsed under.
    pub name: String,
    /// 1-based.
    pub line: usize,
    /// Where parsing stopped: the last token read.
    pub position: Position,
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template: {}:{}: {}", self.name, self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// Execution that stopped: `template: NAME:LINE:COLUMN: executing "TEMPLATE" at <NODE>: MESSAGE`.
#[derive(Debug)]
pub struct ExecError {
    /// The template being executed.
    pub template: String,
    /// `NAME:LINE:COLUMN` and the node, where known.
    pub at: Option<ErrorContext>,
    /// Without the texts of the errors that caused it.
    pub message: String,
    /// The error that a function returned; the message then ends in `error calling NAME: `.
    pub cause: Option<Box<FuncError>>,
}

/// The node an error is reported at.
#[derive(Debug)]
pub struct ErrorContext {
    pub position: Position,
    /// `NAME:LINE:COLUMN`, NAME being the one the source was parsed under.
    pub location: String,
    /// The node as Go prints it.
    pub node: String,
}

impl fmt::Display for ExecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            None => f.write_str("template: ")?,
            Some(at) => {
                let name = super::quote::quote(self.template.as_bytes());
                write!(f, "template: {}: executing {name} at <{}>: ", at.location, at.node)?;
            }
        }
        f.write_str(&self.message)?;
        self.cause.as_ref().map_or(Ok(()), |cause| cause.fmt(f))
    }
}

impl std::error::Error for ExecError {}

/// What a function returns to stop the execution.
#[derive(Debug)]
pub struct FuncError {
    /// Tells kinds of errors apart for the embedder (`"required"`, `"fail"`, …); may be empty.
    pub kind: &'static str,
    /// The text; what comes from `cause` is not repeated here.
    pub message: String,
    /// An execution that the function started and that failed. Its text follows the message.
    pub cause: Option<Box<ExecError>>,
}

impl FuncError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: "", message: message.into(), cause: None }
    }

    /// An error that the embedder can recognise by `kind` on its way out.
    pub fn of_kind(kind: &'static str, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), cause: None }
    }

    /// `prefix` followed by the text of the failed execution.
    pub fn wrap(prefix: impl Into<String>, cause: Box<ExecError>) -> Self {
        Self { kind: "", message: prefix.into(), cause: Some(cause) }
    }
}

impl From<Box<ExecError>> for FuncError {
    fn from(cause: Box<ExecError>) -> Self {
        Self::wrap("", cause)
    }
}

/// Why a text made at run time gave no output.
#[derive(Debug)]
pub enum TextError {
    Parse(ParseError),
    Exec(Box<ExecError>),
}

impl From<TextError> for FuncError {
    fn from(error: TextError) -> Self {
        match error {
            TextError::Parse(error) => Self::new(error.to_string()),
            TextError::Exec(error) => Self::from(error),
        }
    }
}

impl fmt::Display for FuncError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.cause.as_ref().map_or(Ok(()), |cause| cause.fmt(f))
    }
}

impl std::error::Error for FuncError {}
