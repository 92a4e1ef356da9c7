//! GitLab's Code Quality report.

use serde::Serialize;

use crate::{finding::Severity, report::RedactedReport};

pub(crate) fn print(report: &RedactedReport) -> String {
    let issues: Vec<_> = report
        .findings
        .iter()
        .map(|finding| Issue {
            description: finding.sentence(),
            check_name: finding.rule.id,
            fingerprint: &finding.fingerprint,
            severity: match finding.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Info => "info",
            },
            location: Location {
                path: report.root.relative(&finding.location.source.path),
                lines: Lines {
                    begin: finding.location.start().line,
                    end: finding.location.end().line,
                },
            },
        })
        .collect();
    let text = serde_json::to_string_pretty(&issues).expect("keys are texts and values plain");
    text + "\n"
}

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'static str,
    fingerprint: &'a str,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: usize,
    end: usize,
}
