//! Joins the parts of a run: the findings of all shards become the report of the whole run.

use std::{
    collections::{BTreeMap, HashSet},
    fmt,
};

use crate::{
    check, dedupe,
    diagnostic::Diagnostic,
    discover::{Request, Root},
    finding::Severity,
    fingerprint,
    report::RedactedReport,
    results::{Part, Report},
    rules::policy_undecided,
    settings::Settings,
    shard::Shard,
};

/// The results of a shard: the report of its own findings, what the check said about itself, and the part for `merge`.
pub(crate) struct ShardResult {
    pub(crate) report: RedactedReport,
    /// The same before the findings were grouped, with notes and trail.
    pub(crate) checked: RedactedReport,
}

/// Checks the units of a shard.
pub(crate) fn check_shard(request: &Request, settings: &Settings, shard: Shard) -> ShardResult {
    let (report, accepted) = check::shard(request, settings);
    let checked = RedactedReport::new(report);
    let part = Part::new(&checked, accepted, shard, settings.fail_on);
    let mut own = part.clone().report().expect("it was written by this joblint");
    own.entries.clear();
    conclude(&mut own, &part.accepted.iter().cloned().collect());
    ShardResult { report: RedactedReport::of_redacted(own).with_part(part), checked }
}

/// Why parts cannot be joined.
#[derive(Debug, PartialEq, Eq)]
pub enum Misfit {
    /// There is no part of a shard of the run that this file belongs to.
    Missing(String, String),
    /// Two files hold the same shard.
    Twice(String, String),
    /// A part was changed after it was written.
    Damaged(String),
}

/// The report of the whole run, or of several runs, each with all of its shards; and the lowest severity that fails
/// one of them. Takes the parts with the names of their files.
///
/// # Errors
/// A shard is missing, given twice or damaged.
pub fn merge(parts: Vec<(String, Part)>) -> Result<(RedactedReport, Severity), Misfit> {
    let fail_on = parts.iter().map(|(_, part)| part.fail_on).min().unwrap_or(Severity::Warning);
    let mut runs: BTreeMap<(String, usize), Vec<OfFile>> = BTreeMap::new();
    for (file, part) in parts {
        let shard: Shard = part.shard.parse().map_err(|_| Misfit::Damaged(file.clone()))?;
        runs.entry((part.run.clone(), shard.of())).or_default().push((file, shard, part));
    }
    let mut all: Option<Report> = None;
    for run in runs.into_values() {
        let report = join(run)?;
        match &mut all {
            None => all = Some(report),
            Some(all) => all.add_run(report),
        }
    }
    let mut report = all.unwrap_or_default();
    report.sort();
    report.errors.sort();
    Ok((RedactedReport::of_redacted(report), fail_on))
}

/// A part with the name of its file.
type OfFile = (String, Shard, Part);

/// The report of one run.
fn join(mut parts: Vec<OfFile>) -> Result<Report, Misfit> {
    parts.sort_by_key(|(_, shard, _)| shard.index());
    complete(&parts)?;
    let mut whole: Option<Report> = None;
    let mut accepted = HashSet::new();
    for (file, _, mut part) in parts {
        accepted.extend(std::mem::take(&mut part.accepted));
        let report = part.report().ok_or(Misfit::Damaged(file))?;
        match &mut whole {
            None => whole = Some(report),
            Some(whole) => {
                let unused = std::mem::take(&mut whole.entries).into_iter();
                let is_unused = |entry: &Diagnostic| {
                    report.entries.iter().any(|other| is_same_entry(other, entry))
                };
                whole.entries = unused.filter(is_unused).collect();
                whole.add_part(report);
            }
        }
    }
    let mut whole = whole.unwrap_or_default();
    conclude(&mut whole, &accepted);
    Ok(whole)
}

/// Whether every shard of a run is there once; the parts are in order.
fn complete(parts: &[OfFile]) -> Result<(), Misfit> {
    let of = parts.first().map_or(0, |(_, shard, _)| shard.of());
    if let Some(pair) = parts.windows(2).find(|pair| pair[0].1 == pair[1].1) {
        return Err(Misfit::Twice(pair[0].0.clone(), pair[1].0.clone()));
    }
    let missing = (1..=of).find(|index| parts.iter().all(|(_, shard, _)| shard.index() != *index));
    match (missing, parts.first()) {
        (Some(index), Some((file, ..))) => {
            Err(Misfit::Missing(format!("{index}/{of}"), file.clone()))
        }
        _ => Ok(()),
    }
}

fn is_same_entry(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.rule.id == b.rule.id && a.label == b.label && a.location.sort_key() == b.location.sort_key()
}

/// What a run does once all findings are there: it counts equal ones, applies the baseline, and groups.
fn conclude(report: &mut Report, accepted: &HashSet<String>) {
    let entries = std::mem::take(&mut report.entries);
    report.findings.extend(entries);
    state_undecided(report);
    report.settle();
    fingerprint::count(&mut report.findings);
    report.hide(|fingerprint| accepted.contains(fingerprint));
    report.findings = dedupe::grouped(std::mem::take(&mut report.findings));
}

/// Has each finding about an undecided policy count the objects of all shards.
fn state_undecided(report: &mut Report) {
    for (name, objects, unknown) in report.undecided.each() {
        let (message, label) = policy_undecided::words(name, objects, unknown);
        let about = policy_undecided::about(name);
        let is_about = |finding: &&mut Diagnostic| {
            *finding.rule == policy_undecided::RULE && finding.message.starts_with(&about)
        };
        for finding in report.findings.iter_mut().filter(is_about) {
            (finding.message, finding.label) = (message.clone(), label.clone());
        }
    }
}

impl Report {
    /// Adds another shard of the run.
    fn add_part(&mut self, other: Report) {
        self.findings.extend(other.findings);
        self.skipped.extend(other.skipped);
        self.unchecked.extend(other.unchecked);
        self.undecided.extend(other.undecided);
        self.counts.add(other.counts);
        // Every shard finds what is wrong with the paths and the settings.
        let new = other.errors.into_iter().filter(|error| !self.errors.contains(error));
        let new: Vec<_> = new.collect();
        self.errors.extend(new);
    }

    /// Adds another run. Paths stay as they were printed unless both runs have the same repository.
    fn add_run(&mut self, other: Report) {
        if self.root.places() != other.root.places() {
            self.root = Root::default();
        }
        self.add_part(other);
    }
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Misfit::Missing(shard, file) => {
                write!(f, "{file}: shard {shard} of the same run is missing")
            }
            Misfit::Twice(one, other) => write!(f, "{one} and {other} hold the same shard"),
            Misfit::Damaged(file) => {
                write!(f, "{file}: damaged, or changed after joblint wrote it")
            }
        }
    }
}

impl std::error::Error for Misfit {}
