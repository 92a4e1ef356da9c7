//! Summaries of a run: one line for standard error, and a table of rules.

use std::{collections::BTreeMap, fmt::Write};

use super::{Style, style::Paint, text::one_line};
use crate::{
    diagnostic::{Diagnostic, chosen_fixes},
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

/// The most places with Jobs or hooks that were not checked to name without `--pedantic`.
const MOST_MISSED: usize = 5;

/// What the run left out, for standard error: a line for each place that may hold a Job or hook, and one for the rest.
pub(crate) fn skipped(report: &Report) -> Vec<String> {
    let is_missed = |one: &&Diagnostic| report.unchecked.iter().any(|other| other.is_of(one));
    let (missed, rest): (Vec<_>, Vec<_>) = report.skipped.iter().partition(is_missed);
    let named = missed.iter().take(MOST_MISSED).map(|one| {
        let at = &one.location;
        format!("{}:{}: {}", at.source.path, at.start().line, one.message)
    });
    let more = missed.len().saturating_sub(MOST_MISSED);
    let more = (more > 0).then(|| {
        let places = count(more, "more place");
        format!("{places} with Jobs or hooks not checked; `--pedantic` names them")
    });
    named.chain(more).chain(harmless(&rest)).collect()
}

/// What was left out without Jobs or hooks, in one line.
fn harmless(skipped: &[&Diagnostic]) -> Option<String> {
    if let [one] = skipped {
        let at = &one.location;
        return Some(format!("{}:{}: {}", at.source.path, at.start().line, one.label));
    }
    let (kustomizations, charts): (Vec<_>, Vec<_>) =
        skipped.iter().copied().partition(|one| one.is_about_kustomization());
    let dependent = charts.iter().filter(|one| one.is_absent).count();
    let parts = [
        (dependent, "the dependencies of", "chart"),
        (kustomizations.len(), "parts of", "kustomization"),
        (charts.len() - dependent, "Jobs that no values enable in", "chart"),
    ];
    let parts = parts.into_iter().filter(|(number, ..)| *number > 0);
    let parts = parts.map(|(number, what, noun)| format!("{what} {}", count(number, noun)));
    let all: Vec<_> = parts.collect();
    let names = "`--pedantic` names them";
    (!all.is_empty()).then(|| format!("not checked: {}; {names}", all.join(", ")))
}

/// The findings of one rule.
pub(super) struct RuleCount {
    pub(super) id: &'static str,
    /// The general sentence of the rule.
    summary: String,
    /// The highest severity.
    pub(super) worst: Severity,
    pub(super) findings: usize,
    /// The findings that `--fix --unsafe-fixes` fixes.
    pub(super) fixable: usize,
}

/// The rules that fired, those with the most findings first.
pub(super) fn rules(report: &Report) -> Vec<RuleCount> {
    let mut rules: BTreeMap<&str, RuleCount> = BTreeMap::new();
    let fixes = chosen_fixes(&report.findings, Applicability::Unsafe);
    for (finding, fixes) in report.findings.iter().zip(fixes) {
        let rule = rules.entry(finding.rule.id).or_insert_with(|| RuleCount {
            id: finding.rule.id,
            summary: one_line(&finding.rule.meta().summary).into_owned(),
            worst: finding.severity,
            findings: 0,
            fixable: 0,
        });
        rule.worst = rule.worst.max(finding.severity);
        rule.findings += 1;
        rule.fixable += fixes.len();
    }
    let mut rules: Vec<_> = rules.into_values().collect();
    rules.sort_by_key(|rule| (std::cmp::Reverse(rule.findings), rule.id));
    rules
}

/// A table of the rules that fired: number of findings, highest severity, number of fixable findings.
pub(super) fn statistics(report: &Report, style: &Style) -> String {
    let rules = rules(report);
    let numbers = rules.first().map_or(0, |rule| rule.findings.to_string().len());
    let names = rules.iter().map(|rule| rule.id.len()).max().unwrap_or_default();
    let mut out = String::new();
    for RuleCount { id, summary, worst, findings, fixable } in rules {
        let severity = style.paint(worst.paint(), &format!("{:<7}", worst.name()));
        let fixes = match fixable {
            0 => String::new(),
            number => format!(" [{number} fixable]"),
        };
        let _ = writeln!(out, "{findings:>numbers$}  {severity}  {id:<names$}  {summary}{fixes}");
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

/// `; 1 fixable with --fix, 2 more with --unsafe-fixes`: what the first round of fixes applies.
fn fixable(findings: &[Diagnostic]) -> String {
    let with = |allowed| chosen_fixes(findings, allowed).into_iter().flatten().count();
    let (safe, all) = (with(Applicability::Safe), with(Applicability::Unsafe));
    match (safe, all.saturating_sub(safe)) {
        (0, 0) => String::new(),
        (safe, 0) => format!("; {safe} fixable with --fix"),
        (0, risky) => format!("; {risky} fixable with --fix --unsafe-fixes"),
        (safe, risky) => format!("; {safe} fixable with --fix, {risky} more with --unsafe-fixes"),
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
