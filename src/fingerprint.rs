//! Fingerprints identify findings in baselines and code scanning. They survive moved lines.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use yaml_spans::{Source, Span};

use crate::{diagnostic::Diagnostic, discover::Root, redact::Redactor};

/// Sets the fingerprint of every finding: a SHA-256 hash in hexadecimal of the rule, the path relative to the
/// repository root, the kind and name of the object (in a chart, the line of the template that prints the name), and
/// the text of the line. [`count`] makes those of findings different in which all of these are equal.
pub fn fill(findings: &mut [Diagnostic], root: &Root, redactor: &mut Redactor) {
    let named = findings.iter().filter_map(|finding| finding.named_at.as_ref());
    let places = findings.iter().map(|finding| &finding.location).chain(named);
    redactor.prepare(places.map(|at| &at.source));
    for finding in findings {
        let source = &finding.location.source;
        // The hash of a line with a password could be used to guess the password.
        let redacted = redactor.of(source);
        let named = finding.named_at.as_ref().map(|at| (redactor.of(&at.source), at.span));
        let named = named.map(|(redacted, span)| folded_line(&redacted.source, span));
        let path = root.relative(&source.path);
        let hash = identity(finding, &path, &redacted.source, &named.unwrap_or_default());
        finding.fingerprint =
            hexadecimal(&hash.chain_update(0_u32.to_le_bytes()).finalize().into());
    }
}

/// Adds a counter to the second and every later of several equal fingerprints. Expects the findings in output order.
pub fn count(findings: &mut [Diagnostic]) {
    let mut seen: HashMap<String, u32> = HashMap::new();
    for finding in findings {
        let ordinal = seen.entry(finding.fingerprint.clone()).or_default();
        if *ordinal > 0 {
            let hash = Sha256::new_with_prefix(&finding.fingerprint);
            let hash = hash.chain_update(ordinal.to_le_bytes());
            finding.fingerprint = hexadecimal(&hash.finalize().into());
        }
        *ordinal += 1;
    }
}

/// A hash of what a run covers.
pub(crate) fn of_run(parts: impl Iterator<Item = String>) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hexadecimal(&hash.finalize().into())
}

/// The fingerprint of a finding about several objects. It changes when one of them joins or leaves, so that code
/// scanning reports an object that joins a dismissed finding.
pub(crate) fn of_group<'a>(fingerprints: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<_> = fingerprints.collect();
    all.sort_unstable();
    hexadecimal(&Sha256::digest(all.concat()).into())
}

fn hexadecimal(digest: &[u8; 32]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The hash of everything but the counter.
fn identity(finding: &Diagnostic, path: &str, source: &Source, named: &str) -> Sha256 {
    let mut hash = Sha256::new();
    let mut add = |part: &str| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(finding.rule.id);
    add(path);
    match &finding.workload {
        // A rendered name depends on the values; the line of the template that prints it does not.
        Some(workload) if !finding.value_sets.is_empty() => {
            add(&workload.kind);
            add(named);
        }
        Some(workload) => {
            add(&workload.kind);
            add(workload.name.as_deref().or(workload.generate_name.as_deref()).unwrap_or_default());
        }
        None => add(""),
    }
    add(&folded_line(source, finding.location.span));
    hash
}

/// The line on which the finding starts, with runs of white space and masked secrets shortened. Of a very long
/// line, only the text near the finding.
fn folded_line(source: &Source, span: Span) -> String {
    const NEAR: u32 = 500;
    let mut line = source.line_span(source.line_of(span.start));
    if line.end - line.start > 2 * NEAR {
        line.start = line.start.max(span.start.saturating_sub(NEAR));
        line.end = line.end.min(span.start + NEAR);
    }
    let start = yaml_spans::char_start(&source.text, line.start as usize);
    let end = yaml_spans::char_start(&source.text, line.end as usize);
    let words: Vec<_> = source.text[start..end].split_whitespace().collect();
    let mut folded = words.join(" ");
    while folded.contains("**") {
        folded = folded.replace("**", "*");
    }
    folded
}
