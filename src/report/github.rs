//! Workflow commands, which GitHub Actions shows beside the changed lines of a pull request.

use std::fmt::Write;

use super::text::{one_line, safe};
use crate::{finding::Severity, report::RedactedReport};

pub(crate) fn print(report: &RedactedReport) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "notice",
        };
        let (start, end) = (finding.location.start(), finding.location.end());
        let path = report.root.relative(&finding.location.source.path);
        let _ = write!(out, "::{command} file={},line={}", property(&path), start.line);
        let _ = write!(out, ",endLine={}", end.line);
        // GitHub supports columns only within one line.
        if start.line == end.line {
            let _ = write!(out, ",col={},endColumn={}", start.column, end.column);
        }
        let _ = write!(out, ",title={}", property(finding.rule.id));
        let help = if finding.help.is_empty() {
            String::new()
        } else {
            format!("\n{}", one_line(&finding.help))
        };
        let _ = writeln!(out, "::{}", data(&format!("{}{help}", finding.sentence())));
    }
    for error in &report.errors {
        let _ = writeln!(out, "::error title=joblint::{}", data(error));
    }
    out
}

/// The message of a command. Its lines show no control characters and are no commands themselves.
fn data(text: &str) -> String {
    let shown = safe(text);
    shown.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
