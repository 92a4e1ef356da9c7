//! One line per finding, in the format that vim, emacs and Helix read.

use std::fmt::Write;

use super::text::{one_line, titled};
use crate::{diagnostic::Diagnostic, report::RedactedReport};

pub(crate) fn print(report: &RedactedReport) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let _ = writeln!(out, "{}", line(finding));
    }
    out
}

/// `path:line:col: severity[rule] message`.
pub(crate) fn line(finding: &Diagnostic) -> String {
    let at = finding.location.start();
    let path = one_line(&finding.location.source.path);
    let (severity, rule) = (finding.severity.name(), finding.rule.id);
    let note = match finding.message.contains(&finding.note) {
        true => String::new(),
        false => format!(" ({})", one_line(&finding.note)),
    };
    let message = finding.sentence();
    format!("{path}:{}:{}: {severity}[{rule}] {message}{note}", at.line, at.column)
}

impl Diagnostic {
    /// The headline on one line.
    pub(super) fn sentence(&self) -> String {
        one_line(&self.message).into_owned()
    }

    /// The other objects with the same cause, with the lines of those that are elsewhere.
    pub(super) fn others(&self) -> impl Iterator<Item = String> + '_ {
        let at = &self.location;
        self.also.iter().map(move |one| {
            let (own, title) = (&one.location, titled(&one.workload));
            let is_here = own.source.path == at.source.path && own.start().line == at.start().line;
            let place = format!("{}:{}", one_line(&own.source.path), own.start().line);
            match (is_here, one.note.as_str()) {
                (true, "") => title,
                (true, note) => format!("{title} ({note})"),
                (false, "") => format!("{title} ({place})"),
                (false, note) => format!("{title} ({place}, {note})"),
            }
        })
    }
}
