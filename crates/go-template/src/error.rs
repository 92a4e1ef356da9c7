//! Errors, worded as Go words them.

use std::fmt;

use crate::budget::Limit;
use crate::provenance::Position;
use crate::quote::quote;

/// A source that does not parse. Displayed as `template: NAME:LINE: MESSAGE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The name the source was parsed under.
    pub name: String,
    /// The line of the error, from 1.
    pub line: usize,
    /// The last token read.
    pub position: Position,
    /// The text without name and line.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "template: {}:{}: {}", self.name, self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

/// A failed execution. Displayed as
/// `template: NAME:LINE:COLUMN: executing "TEMPLATE" at <NODE>: MESSAGE`.
#[derive(Debug)]
pub struct ExecError {
    /// The template being executed.
    pub template: String,
    /// The node that failed; `None` if the template does not exist.
    pub at: Option<ErrorContext>,
    /// The text without those of the causes.
    pub message: String,
    /// The error of a function; the message then ends in `error calling NAME: `.
    pub cause: Option<Box<FuncError>>,
}

/// The node an error is reported at.
#[derive(Debug)]
pub struct ErrorContext {
    /// The node in its source.
    pub position: Position,
    /// `NAME:LINE:COLUMN`, where NAME is the one the source was parsed under; COLUMN counts
    /// bytes from 0.
    pub location: String,
    /// The node as Go prints it.
    pub node: String,
}

impl fmt::Display for ExecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.at {
            None => f.write_str("template: ")?,
            Some(at) => {
                let name = quote(self.template.as_bytes());
                write!(f, "template: {}: executing {name} at <{}>: ", at.location, at.node)?;
            }
        }
        f.write_str(&self.message)?;
        self.cause.as_ref().map_or(Ok(()), |cause| cause.fmt(f))
    }
}

impl std::error::Error for ExecError {}

/// An error that a function returns to stop the execution.
#[derive(Debug)]
pub struct FuncError {
    /// The embedder's name for this kind of error; may be empty.
    pub kind: &'static str,
    /// The text without that of the cause.
    pub message: String,
    /// A failed execution that the function had started. Its text follows the message.
    pub cause: Option<Box<ExecError>>,
}

impl FuncError {
    /// An error of no particular kind.
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: "", message: message.into(), cause: None }
    }

    /// An error that the embedder can recognise by its `kind`.
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

impl From<Limit> for FuncError {
    fn from(limit: Limit) -> Self {
        Self::new(limit.to_string())
    }
}

/// The reason why a text built at run time gave no output.
#[derive(Debug)]
pub enum TextError {
    /// The text does not parse.
    Parse(ParseError),
    /// Its execution failed.
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
