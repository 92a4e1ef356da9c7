//! Masks the secrets of a report before any format sees it.

use std::{collections::HashMap, ops::Deref, sync::Arc};

use yaml_spans::Source;

use crate::{
    diagnostic::Diagnostic,
    finding::Applicability,
    redact::{Redacted, Redactor, Secrets},
    results::Report,
};

/// A report without secrets: the only kind that formats take.
#[derive(Debug, Default)]
pub struct RedactedReport(Report);

impl RedactedReport {
    /// Masks the secrets of a report, in its texts and in the sources of its locations.
    ///
    /// A fix that would write a secret becomes [display-only](Applicability::Display), because its masked text must
    /// not be written to the file. Apply fixes from the original report.
    pub fn new(mut report: Report) -> Self {
        let mut redactor = std::mem::take(&mut report.redactor);
        let mut reasons = HashMap::new();
        for finding in &mut report.findings {
            let before = finding.label.clone();
            redact(&mut redactor, finding);
            if before != finding.label {
                reasons.insert(before, finding.label.clone());
            }
        }
        for unchecked in &mut report.unchecked {
            if let Some(redacted) = reasons.get(&unchecked.reason) {
                unchecked.reason.clone_from(redacted);
            }
        }
        Self(report)
    }
}

impl Deref for RedactedReport {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

/// Masks the secrets of one finding.
fn redact(redactor: &mut Redactor, finding: &mut Diagnostic) {
    let mut swap = |source: &mut Arc<Source>| {
        let redacted = redactor.of(source);
        *source = redacted.source.clone();
        redacted
    };
    let mut known = vec![swap(&mut finding.location.source)];
    known.extend(finding.secondary.iter_mut().map(|(at, _)| swap(&mut at.source)));
    known.extend(finding.fixes.iter_mut().map(|fix| swap(&mut fix.source)));
    known.extend(finding.raised_at.iter_mut().map(|at| swap(&mut at.source)));
    known.retain(|known| !known.is_clean());
    known.sort_by_key(Arc::as_ptr);
    known.dedup_by_key(|known| Arc::as_ptr(known));
    if known.is_empty() {
        return;
    }
    let labels = finding.secondary.iter_mut().map(|(_, text)| text);
    let deployers = finding.deployers.iter_mut().map(|own| &mut own.text);
    let own = [&mut finding.message, &mut finding.label, &mut finding.help];
    for text in own.into_iter().chain(labels).chain(deployers) {
        known.iter().for_each(|known| _ = known.hide(text));
    }
    for fix in &mut finding.fixes {
        known.iter().for_each(|known| _ = known.hide(&mut fix.title));
        for edit in &mut fix.edits {
            fix.applicability = fix.applicability.min(redact_edit(&known, &mut edit.text));
        }
    }
}

/// Masks the secrets of an edit and returns how it may still be applied.
fn redact_edit(known: &[Arc<Redacted>], text: &mut String) -> Applicability {
    let hidden = known.iter().filter(|known| known.hide(text)).count() > 0;
    let own = Secrets::find(text);
    *text = own.blank(text);
    if hidden || !own.is_empty() { Applicability::Display } else { Applicability::Safe }
}
