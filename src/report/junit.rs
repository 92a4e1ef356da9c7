//! JUnit XML: one test case per file with findings, or one passing test case. A test case fails when one of its
//! findings is at or above `--fail-on`; the others are its output.

use std::fmt::Write;

use super::{concise, text::visible};
use crate::{
    diagnostic::Diagnostic,
    finding::Severity,
    report::{Options, RedactedReport},
    words::count,
};

pub(crate) fn print(report: &RedactedReport, options: &Options) -> String {
    let mut files: Vec<(&str, Vec<&Diagnostic>)> = Vec::new();
    for finding in &report.findings {
        let path = finding.location.source.path.as_str();
        match files.last_mut().filter(|(last, _)| *last == path) {
            Some((_, findings)) => findings.push(finding),
            None => files.push((path, vec![finding])),
        }
    }
    let errors = report.errors.len();
    let fails = |findings: &[&Diagnostic]| worst(findings) >= options.fail_on;
    let failures = files.iter().filter(|(_, findings)| fails(findings)).count();
    let tests = (files.len() + errors).max(1);
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"joblint\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"joblint\" {counts}>");
    for (path, findings) in &files {
        case(&mut out, path, findings, fails(findings));
    }
    for error in &report.errors {
        let error = escaped(error);
        let _ = writeln!(out, "    <testcase name=\"joblint\" classname=\"joblint\">");
        let _ = writeln!(out, "      <error type=\"error\" message=\"{error}\"/>");
        out.push_str("    </testcase>\n");
    }
    if files.is_empty() && errors == 0 {
        out.push_str("    <testcase name=\"joblint\" classname=\"joblint\"/>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn worst(findings: &[&Diagnostic]) -> Severity {
    findings.iter().map(|finding| finding.severity).max().unwrap_or(Severity::Info)
}

fn case(out: &mut String, path: &str, findings: &[&Diagnostic], fails: bool) {
    let path = escaped(path);
    let worst = worst(findings).name();
    let message = match findings {
        [only] => escaped(&only.sentence()),
        several => count(several.len(), "problem"),
    };
    let _ = writeln!(out, "    <testcase name=\"{path}\" classname=\"joblint\" file=\"{path}\">");
    let end = if fails { "failure" } else { "system-out" };
    match fails {
        true => _ = writeln!(out, "      <failure type=\"{worst}\" message=\"{message}\">"),
        false => out.push_str("      <system-out>\n"),
    }
    for finding in findings {
        let _ = writeln!(out, "{}", escaped(&concise::line(finding)));
    }
    let _ = writeln!(out, "      </{end}>\n    </testcase>");
}

/// Escapes text for elements and attributes. Control characters, most of which XML 1.0 does not allow, become visible.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' | '\n' => _ = write!(out, "&#{};", c as u32),
            '\u{FFFE}' | '\u{FFFF}' => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.extend(visible(c)),
        }
    }
    out
}
