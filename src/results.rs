//! What a run found, as data: filled by `check` and `upgrade`, printed by `report`.

use std::collections::BTreeSet;

use job_lifecycle::{Deployer, ObjectName, Outcome};

use crate::{diagnostic::Diagnostic, discover::Root, redact::Redactor, unit::Counts};

/// What a run found, in output order.
#[derive(Debug, Default)]
pub struct Report {
    pub findings: Vec<Diagnostic>,
    pub counts: Counts,
    /// Inputs that could not be checked; each is also a finding.
    pub unchecked: Vec<Unchecked>,
    /// Things the user should know that are no findings; for standard error.
    pub notes: Vec<String>,
    /// Bad paths: findings may be missing.
    pub errors: Vec<String>,
    /// The files that were read in full.
    pub checked: BTreeSet<String>,
    /// The repository around the run.
    pub root: Root,
    /// Indexes of the settings' `ignore:` entries that ignored something.
    pub used_entries: BTreeSet<usize>,
    /// The secrets of the sources that findings point into.
    pub redactor: Redactor,
    /// What `upgrade` compared.
    pub comparison: Option<Comparison>,
}

/// An input that could not be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    pub path: String,
    pub line: usize,
    pub reason: String,
}

/// Two versions compared: what `check` does not have.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    pub old: String,
    pub new: String,
    pub jobs: Vec<Changed>,
}

/// What happens to one Job, CronJob or hook.
#[derive(Clone, Debug)]
pub struct Changed {
    pub name: ObjectName,
    /// As people call it: with `*` for what the API server makes up.
    pub title: String,
    /// The old name, where it is another one.
    pub was: Option<String>,
    pub change: Change,
    pub fields: Vec<FieldChange>,
    pub columns: Vec<Column>,
}

/// In a word; what each deployer does is in [`Changed::columns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Unchanged,
    Rejected,
    Reruns,
    Renamed,
    Removed,
    New,
    /// From an ordinary object to a hook, or back.
    Converted,
}

/// An immutable field that differs; secrets are blanked out.
#[derive(Clone, Debug)]
pub struct FieldChange {
    pub path: String,
    pub old: Option<serde_json::Value>,
    pub new: Option<serde_json::Value>,
}

/// A workload under one deployer.
#[derive(Clone, Debug)]
pub struct Column {
    pub deployer: Deployer,
    pub hook: bool,
    pub outcome: Outcome,
    pub also: Vec<Outcome>,
    pub reason: String,
}

impl Change {
    pub fn name(self) -> &'static str {
        match self {
            Change::Unchanged => "unchanged",
            Change::Rejected => "rejected",
            Change::Reruns => "reruns",
            Change::Renamed => "renamed",
            Change::Removed => "removed",
            Change::New => "new",
            Change::Converted => "converted",
        }
    }
}

impl Report {
    /// Puts the findings in the order of output: path, place, rule.
    pub fn sort(&mut self) {
        self.findings.sort_by(|a, b| {
            (a.location.sort_key(), a.rule.id).cmp(&(b.location.sort_key(), b.rule.id))
        });
    }
}
