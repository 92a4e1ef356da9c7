//! A comment for a pull request: a table of findings with collapsed details.

use std::fmt::Write;

use super::{
    Style,
    diff::{self, Change},
    summary::by_severity,
    text::one_line,
    upgrade,
};
use crate::{
    diagnostic::{Diagnostic, Fix},
    finding::Applicability,
    report::RedactedReport,
    words::count,
};

/// Maximum changed lines to preview a fix.
const PREVIEW: usize = 20;

pub(crate) fn print(report: &RedactedReport) -> String {
    let mut out = String::from("### joblint\n\n");
    let counts = &report.counts;
    if let Some(comparison) = &report.comparison {
        out += &upgrade::markdown(comparison);
    }
    if report.findings.is_empty() {
        let (workloads, files) = (count(counts.workloads, "workload"), count(counts.files, "file"));
        let _ = writeln!(out, "No problems in {workloads} ({files}).");
    } else {
        let found = count(report.findings.len(), "problem");
        let severities = by_severity(&report.findings, &Style::default());
        let _ = writeln!(out, "{found} ({severities}) in {}\n", count(counts.files, "file"));
        out.push_str("| Severity | Place | Rule | Problem |\n|---|---|---|---|\n");
        for finding in &report.findings {
            row(&mut out, finding);
        }
        out.push_str("\n<details><summary>What to do</summary>\n");
        for finding in &report.findings {
            details(&mut out, finding);
        }
        out.push_str("\n</details>\n");
    }
    for error in &report.errors {
        let _ = writeln!(out, "\n**error**: {}", escaped(error));
    }
    out
}

fn row(out: &mut String, finding: &Diagnostic) {
    let rule = format!("[`{}`]({})", finding.rule.id, finding.rule.url());
    let _ = writeln!(
        out,
        "| {} | {} | {rule} | {} |",
        finding.severity.name(),
        code(&position(finding)),
        escaped(&finding.sentence())
    );
}

fn details(out: &mut String, finding: &Diagnostic) {
    let _ = writeln!(out, "\n{} {}\n", code(&position(finding)), escaped(&finding.sentence()));
    if !finding.message.contains(&finding.note) {
        let _ = writeln!(out, "- note: {}", escaped(&finding.note));
    }
    if !finding.help.is_empty() {
        let _ = writeln!(out, "- help: {}", escaped(&finding.help));
    }
    for (at, text) in &finding.secondary {
        let start = at.start();
        let position = code(&format!("{}:{}:{}", at.source.path, start.line, start.column));
        let _ = writeln!(out, "- {position}: {}", escaped(text));
    }
    if !finding.also.is_empty() {
        let names: Vec<_> = finding.others().collect();
        let _ = writeln!(out, "- also: {}", escaped(&names.join(", ")));
    }
    for (who, text) in finding.by_deployer() {
        let _ = writeln!(out, "- {}: {}", escaped(&who), escaped(&text));
    }
    for fix in &finding.fixes {
        preview(out, fix);
    }
}

fn preview(out: &mut String, fix: &Fix) {
    let name = match fix.applicability {
        Applicability::Safe => "fix",
        Applicability::Unsafe => "fix (unsafe)",
        Applicability::Display => "fix (by hand)",
    };
    let _ = writeln!(out, "- {name}: {}", escaped(&fix.title));
    let Some(changes) = diff::preview(fix, PREVIEW) else { return };
    let lines = changes.iter().map(|change| {
        let (sign, text) = match change {
            Change::Removed(_, text) => ('-', text),
            Change::Added(_, text) => ('+', text),
        };
        format!("  {sign} {}\n", super::text::lines(text))
    });
    let lines: String = lines.collect();
    let fence = "`".repeat(longest_run(&lines).max(2) + 1);
    let _ = write!(out, "\n  {fence}diff\n{lines}  {fence}\n");
}

fn position(finding: &Diagnostic) -> String {
    let start = finding.location.start();
    format!("{}:{}:{}", finding.location.source.path, start.line, start.column)
}

/// A code span for any text.
fn code(text: &str) -> String {
    let text = one_line(text).replace('|', "\\|");
    let fence = "`".repeat(longest_run(&text) + 1);
    let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Escapes text for a table cell or a paragraph; text between backticks stays code.
fn escaped(text: &str) -> String {
    let text = one_line(text);
    let parts: Vec<&str> = text.split('`').collect();
    let balanced = parts.len() % 2 == 1;
    let mut out = String::with_capacity(text.len());
    for (index, part) in parts.iter().enumerate() {
        if balanced && index % 2 == 1 {
            out.push_str(&if part.is_empty() { "\\`\\`".to_owned() } else { code(part) });
            continue;
        }
        if !balanced && index > 0 {
            out.push_str("\\`");
        }
        plain(part, &mut out);
    }
    out
}

/// Escapes markup and mentions of people and issues.
fn plain(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '\\' | '*' | '_' | '[' | ']' | '|' | '~' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
}

fn longest_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or_default()
}
