//! Masks the secrets of a report before any format sees it.

use std::{collections::HashMap, ops::Deref, sync::Arc};

use serde_json::Value;
use yaml_spans::Source;

use crate::{
    diagnostic::Diagnostic,
    finding::Applicability,
    redact::{Redactor, Secrets},
    results::{Comparison, Part, Report},
};

/// A report without secrets: the only kind that formats take.
#[derive(Debug, Default)]
pub struct RedactedReport(Report);

impl RedactedReport {
    /// Masks the secrets of a report: in the sources of its locations, and their values and those of the run in all
    /// texts.
    ///
    /// A fix that would write a secret becomes [display-only](Applicability::Display), because its masked text must
    /// not be written to the file. Apply fixes from the original report.
    pub fn new(mut report: Report) -> Self {
        let mut redactor = std::mem::take(&mut report.redactor);
        let apart = report.skipped.iter().chain(&report.entries);
        for source in report.findings.iter().chain(apart).flat_map(sources) {
            redactor.of(source);
        }
        for (source, text) in &mut report.remarks {
            redactor.of(source).hide(text);
        }
        let mut secrets = std::mem::take(&mut report.secrets);
        report.checked.iter().for_each(|path| secrets.add_public(path));
        report.findings.iter().flat_map(names).for_each(|name| secrets.add_public(name));
        let mut redactor = redactor.with_values(secrets);
        let mut reasons = HashMap::new();
        let apart = report.skipped.iter_mut().chain(&mut report.entries);
        apart.for_each(|finding| redact(&mut redactor, finding));
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
            redactor.hide(&mut unchecked.reason);
        }
        let trail = report.trail.iter_mut().map(|(_, text)| text);
        let remarks = report.remarks.iter_mut().map(|(_, text)| text);
        for text in report.notes.iter_mut().chain(&mut report.errors).chain(trail).chain(remarks) {
            redactor.hide(text);
        }
        if let Some(comparison) = &mut report.comparison {
            redact_comparison(&redactor, comparison);
        }
        Self(report)
    }
}

impl RedactedReport {
    /// A report that was written after redaction, such as the joined parts of a run.
    pub(crate) fn of_redacted(mut report: Report) -> Self {
        report.findings.iter_mut().for_each(drop_hidden);
        Self(report)
    }

    /// Adds the result of a shard for `merge`.
    pub(crate) fn with_part(mut self, part: Part) -> Self {
        self.0.part = Some(part);
        self
    }
}

/// Drops what no format shows.
fn drop_hidden(finding: &mut Diagnostic) {
    finding.named_at = None;
    finding.also.iter_mut().for_each(|one| one.fixes.clear());
}

/// The sources of all locations of a finding.
fn sources(finding: &Diagnostic) -> impl Iterator<Item = &Arc<Source>> {
    let secondary = finding.secondary.iter().map(|(at, _)| &at.source);
    let fixes = finding.fixes.iter().map(|fix| &fix.source);
    let raised = finding.raised_at.iter().map(|at| &at.source);
    let also = finding.also.iter().map(|one| &one.location.source);
    std::iter::once(&finding.location.source)
        .chain(secondary)
        .chain(fixes)
        .chain(raised)
        .chain(also)
}

/// The names of the objects of a finding, which the cluster shows anyway.
fn names(finding: &Diagnostic) -> impl Iterator<Item = &str> {
    let also = finding.also.iter().map(|one| &one.workload);
    finding.workload.iter().chain(also).filter_map(|object| object.name.as_deref())
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
    known.extend(finding.also.iter_mut().map(|one| swap(&mut one.location.source)));
    known.retain(|known| !known.is_clean());
    known.sort_by_key(Arc::as_ptr);
    known.dedup_by_key(|known| Arc::as_ptr(known));
    let hide = |text: &mut String| {
        let own = known.iter().filter(|known| known.hide(text)).count() > 0;
        redactor.hide(text) || own
    };
    let labels = finding.secondary.iter_mut().map(|(_, text)| text);
    let deployers = finding.deployers.iter_mut().map(|own| &mut own.text);
    let own = [&mut finding.message, &mut finding.note, &mut finding.label, &mut finding.help];
    let texts = own.into_iter().chain(labels).chain(deployers).chain(&mut finding.inputs);
    texts.for_each(|text| _ = hide(text));
    drop_hidden(finding);
    finding.workload.iter_mut().for_each(|name| redactor.hide_name(name));
    for one in &mut finding.also {
        hide(&mut one.note);
        redactor.hide_name(&mut one.workload);
    }
    finding.value_sets.iter_mut().for_each(|name| redactor.hide_shared(name));
    for fix in &mut finding.fixes {
        hide(&mut fix.title);
        for edit in &mut fix.edits {
            fix.applicability = fix.applicability.min(redact_edit(hide, &mut edit.text));
        }
    }
}

/// Masks the secrets of an edit and returns how it may still be applied.
fn redact_edit(hide: impl Fn(&mut String) -> bool, text: &mut String) -> Applicability {
    let hidden = hide(text);
    let own = Secrets::find(text);
    *text = own.blank(text);
    if hidden || !own.is_empty() { Applicability::Display } else { Applicability::Safe }
}

fn redact_comparison(redactor: &Redactor, comparison: &mut Comparison) {
    redactor.hide(&mut comparison.old);
    redactor.hide(&mut comparison.new);
    for job in &mut comparison.jobs {
        redactor.hide_name(&mut job.name);
        redactor.hide(&mut job.title);
        job.was.iter_mut().for_each(|was| _ = redactor.hide(was));
        for field in &mut job.fields {
            redactor.hide(&mut field.path);
            let values = field.old.iter_mut().chain(&mut field.new);
            values.for_each(|value| redact_json(redactor, value));
        }
        job.columns.iter_mut().for_each(|column| _ = redactor.hide(&mut column.reason));
    }
}

fn redact_json(redactor: &Redactor, value: &mut Value) {
    match value {
        Value::String(text) => _ = redactor.hide(text),
        Value::Array(items) => items.iter_mut().for_each(|item| redact_json(redactor, item)),
        Value::Object(map) => {
            for (mut key, mut value) in std::mem::take(map) {
                redactor.hide(&mut key);
                redact_json(redactor, &mut value);
                map.insert(key, value);
            }
        }
        Value::Number(number) => {
            let mut text = number.to_string();
            if redactor.hide(&mut text) {
                *value = Value::String(text);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}
