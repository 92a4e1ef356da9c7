//! Summaries of a run: one line for standard error, and a table of rules.

use std::{collections::BTreeMap, fmt::Write};

use super::{Style, style::Paint, text::one_line};
use crate::{
    diagnostic::Diagnostic,
    finding::{Applicability, Severity},
    results::Report,
    words::count,
};

/// One line for standard error, without its line break.
pub fn summary(report: &Report, style: &Style) -> String {
    let counts = &report.counts;
    let mut line = match report.findings.len() {
        0 if counts.workloads == 0 && report.unchecked.is_empty() => {
            format!("{}, no Jobs", count(counts.objects, "object"))
        }
        0 => format!(
            "No problems in {} ({}, {})",
            count(counts.workloads, "workload"),
            count(counts.objects, "object"),
            count(counts.files, "file")
        ),
        found => format!(
            "Found {} ({}) in {}{}",
            count(found, "problem"),
            by_severity(&report.findings, style),
            count(counts.files, "file"),
            fixable(&report.findings)
        ),
    };
    if !report.unchecked.is_empty() {
        let places = count(report.unchecked.len(), "place");
        let _ = write!(line, "; {places} could not be checked");
    }
    if counts.ignored > 0 {
        let _ = write!(line, "; {} ignored", counts.ignored);
    }
    line
}

/// A table of the rules that fired: number of findings, highest severity, number of fixable findings.
pub fn statistics(report: &Report, style: &Style) -> String {
    let mut rules: BTreeMap<&str, Vec<&Diagnostic>> = BTreeMap::new();
    for finding in &report.findings {
        rules.entry(finding.rule.id).or_default().push(finding);
    }
    let mut rows: Vec<_> = rules.into_iter().collect();
    rows.sort_by_key(|(id, found)| (std::cmp::Reverse(found.len()), *id));
    let numbers = rows.first().map_or(0, |(_, found)| found.len().to_string().len());
    let names = rows.iter().map(|(id, _)| id.len()).max().unwrap_or_default();
    let mut out = String::new();
    for (id, found) in rows {
        let worst = found.iter().map(|f| f.severity).max().unwrap_or(Severity::Info);
        let severity = style.paint(worst.paint(), &format!("{:<7}", worst.name()));
        let message = one_line(&found[0].rule.meta().summary).into_owned();
        let fixes =
            match found.iter().filter(|f| f.best_fix() > Some(Applicability::Display)).count() {
                0 => String::new(),
                fixes => format!(" [{fixes} fixable]"),
            };
        let _ =
            writeln!(out, "{:>numbers$}  {severity}  {id:<names$}  {message}{fixes}", found.len());
    }
    out
}

/// Numbers by severity, highest first, in colour: `1 error, 2 warnings`.
pub(super) fn by_severity(findings: &[Diagnostic], style: &Style) -> String {
    let of = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let parts =
        [Severity::Error, Severity::Warning, Severity::Info].into_iter().filter_map(|severity| {
            let number = of(severity);
            let text = match severity {
                Severity::Info => format!("{number} info"),
                other => count(number, other.name()),
            };
            (number > 0).then(|| style.paint(severity.paint(), &text))
        });
    parts.collect::<Vec<_>>().join(", ")
}

/// `; 1 fixable with --fix, 2 more with --unsafe-fixes`.
fn fixable(findings: &[Diagnostic]) -> String {
    let with = |fix| findings.iter().filter(|finding| finding.best_fix() == Some(fix)).count();
    match (with(Applicability::Safe), with(Applicability::Unsafe)) {
        (0, 0) => String::new(),
        (safe, 0) => format!("; {safe} fixable with --fix"),
        (0, risky) => format!("; {risky} fixable with --fix --unsafe-fixes"),
        (safe, risky) => format!("; {safe} fixable with --fix, {risky} more with --unsafe-fixes"),
    }
}

impl Diagnostic {
    /// The applicability of its safest fix; `None` without a fix.
    pub(super) fn best_fix(&self) -> Option<Applicability> {
        self.fixes.iter().map(|fix| fix.applicability).max()
    }
}

impl Severity {
    pub(super) fn paint(self) -> Paint {
        match self {
            Severity::Error => Paint::Error,
            Severity::Warning => Paint::Warning,
            Severity::Info => Paint::Info,
        }
    }
}
