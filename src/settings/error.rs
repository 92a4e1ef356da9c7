//! What is wrong with a settings file, and where.

use std::{fmt, sync::Arc};

use yaml_spans::{Location, Source, Span};

use crate::redact::Redactor;

/// Settings that cannot be used: every problem that was found, at least one.
#[derive(Clone, Debug)]
pub struct Error {
    /// The problems in the order of the file.
    pub problems: Vec<Problem>,
}

/// One problem of a settings file. Its `Display` form shows the line, as a compiler does.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The offending key or value; the start of the file when it cannot be read.
    pub location: Location,
    /// What is wrong, on one line.
    pub reason: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Problem {
    pub(super) fn new(source: &Arc<Source>, span: Span, reason: impl Into<String>) -> Self {
        Self {
            location: Location { source: source.clone(), span },
            reason: reason.into(),
            help: None,
        }
    }

    /// The problem with masked secrets.
    pub(crate) fn redacted(&self, redactor: &mut Redactor) -> Self {
        let source = redactor.of(&self.location.source).source.clone();
        let mut problem =
            Self { location: Location { source, span: self.location.span }, ..self.clone() };
        redactor.hide(&mut problem.reason);
        problem.help.iter_mut().for_each(|help| _ = redactor.hide(help));
        problem
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (start, end) = (self.location.start(), self.location.end());
        let source = &self.location.source;
        let (number, line) = (start.line.to_string(), source.line_text(start.line));
        let pad = " ".repeat(number.len());
        write!(f, "{}\n{pad}--> {}:{number}:{}", self.reason, source.path, start.column)?;
        if line.is_empty() {
            return Ok(());
        }
        let is_one_line = end.line == start.line;
        let width = if is_one_line { end.column.saturating_sub(start.column).max(1) } else { 1 };
        let (indent, marker) = (" ".repeat(start.column - 1), "^".repeat(width));
        let help = self.help.as_ref().map(|help| format!(" {help}")).unwrap_or_default();
        write!(f, "\n{pad} |\n{number} | {line}\n{pad} | {indent}{marker}{help}")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Problem {}

impl std::error::Error for Error {}
