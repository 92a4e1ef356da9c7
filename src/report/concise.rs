//! One line per finding, in the form vim, emacs and Helix read.

use std::fmt::Write;

use crate::check::Report;

pub fn print(report: &Report) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        let at = finding.location.start();
        let path = &finding.location.source.path;
        let (severity, rule, message) =
            (finding.severity.name(), finding.rule.id, &finding.message);
        let label = &finding.label;
        let _ = writeln!(
            out,
            "{path}:{}:{}: {severity}[{rule}] {message}: {label}",
            at.line, at.column
        );
    }
    out
}
