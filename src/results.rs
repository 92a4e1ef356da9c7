//! The result of a run: `check` and `upgrade` fill it, `report` prints it.

mod part;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use job_lifecycle::{Deployer, Object, ObjectName, Outcome};
use serde::{Deserialize, Serialize};
use yaml_spans::Source;

use crate::{
    diagnostic::Diagnostic,
    discover::Root,
    redact::{LastMask, Redactor, SecretValues},
    rules::Rule,
    unit::Counts,
};

pub use part::Part;

/// The findings of a run with everything that summaries and formats need.
#[derive(Debug, Default)]
pub struct Report {
    /// In output order: path, position, rule.
    pub findings: Vec<Diagnostic>,
    /// Numbers of files, objects and workloads.
    pub counts: Counts,
    /// Inputs that could not be checked; each is also a finding, or among `skipped`.
    pub unchecked: Vec<Unchecked>,
    /// Broken inputs without Jobs and hooks, each with its file: remarks for standard error.
    pub remarks: Vec<(Arc<Source>, String)>,
    /// What the run left out although nothing is known to be wrong with it: one finding for each place, none of them
    /// among `findings`.
    pub skipped: Vec<Diagnostic>,
    /// How many findings are about what nothing deploys, and not among `findings`, by folder.
    pub undeployed: BTreeMap<String, usize>,
    /// How many are about a manifest that nothing names, and not among `findings`, by path.
    pub unnamed: BTreeMap<String, usize>,
    /// What READMEs say that hides findings: that what they describe is deprecated, or wrong on purpose.
    pub said_by_readmes: BTreeSet<Arc<str>>,
    /// What was read and why, as a path with its kind and a text, for `--verbose`.
    pub trail: Vec<(String, String)>,
    /// Remarks for standard error that are not findings.
    pub notes: Vec<String>,
    /// Inputs that stopped a part of the run, so that findings may be missing; for standard error.
    pub errors: Vec<String>,
    /// The files that were read completely.
    pub checked: BTreeSet<String>,
    /// The policies that cannot be decided without a cluster.
    pub undecided: Undecided,
    /// The policies and rules of the user, as rules.
    pub own_rules: Vec<&'static Rule>,
    /// The repository around the run.
    pub root: Root,
    /// Indexes of the `ignore:` entries of the settings that matched a finding.
    pub used_entries: BTreeSet<usize>,
    /// The secrets of the files of the findings.
    pub redactor: Redactor,
    /// The secret values of the run, to mask wherever they reappear.
    pub secrets: SecretValues,
    /// What distinguishes the run of a shard from other runs: a hash of all its units. Empty without shards.
    pub run: String,
    /// Findings of a shard about ignores of the settings without a use. They hold if they are those of all shards.
    pub entries: Vec<Diagnostic>,
    /// The result of a shard, for `merge`.
    pub part: Option<Part>,
    /// The comparison of `upgrade`; absent after `check`.
    pub comparison: Option<Comparison>,
    /// Files anywhere in the repository count for a chart of the run.
    pub is_searched: bool,
    /// What scripts, pipelines and guides of the repository do counts for a finding.
    pub is_of_repository: bool,
}

/// The policies that cannot be decided without a cluster, by their names.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Undecided(BTreeMap<String, (BTreeSet<String>, BTreeSet<String>)>);

impl Undecided {
    /// Adds an object that a policy cannot be decided for.
    pub(crate) fn add(&mut self, policy: &str, object: &Object, names: &BTreeSet<String>) {
        let known = self.0.entry(policy.to_owned()).or_default();
        known.0.insert(format!("{:?}", object.full_name()));
        known.1.extend(names.iter().cloned());
    }

    /// Adds those of another unit.
    pub(crate) fn extend(&mut self, other: Self) {
        for (policy, (objects, names)) in other.0 {
            let known = self.0.entry(policy).or_default();
            known.0.extend(objects);
            known.1.extend(names);
        }
    }

    /// Each policy with the number of objects and what is unknown.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&str, usize, &BTreeSet<String>)> {
        self.0.iter().map(|(policy, (objects, names))| (&**policy, objects.len(), names))
    }
}

/// An input that could not be checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// The file.
    pub path: String,
    /// The line, from 1.
    pub line: usize,
    /// Why it could not be checked.
    pub reason: String,
}

impl Unchecked {
    /// Whether a finding reports this place.
    pub(crate) fn is_of(&self, finding: &Diagnostic) -> bool {
        let at = &finding.location;
        (&self.path, self.line, &self.reason) == (&at.source.path, at.start().line, &finding.label)
    }
}

/// Two compared versions.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The title of the old version.
    pub old: String,
    /// The title of the new version.
    pub new: String,
    /// Every Job, CronJob and hook of either version.
    pub jobs: Vec<Changed>,
}

/// What the upgrade does to one Job, CronJob or hook.
#[derive(Clone, Debug)]
pub struct Changed {
    /// Its name in the new version, or in the old one if it is removed.
    pub name: ObjectName,
    /// The name for people, with `*` for the suffix that the API server generates.
    pub title: String,
    /// The old name if it differs.
    pub was: Option<String>,
    /// The most important change.
    pub change: Change,
    /// Only the first upgrade after the installation does this; `.Release.IsInstall` decided what was installed.
    pub is_first: bool,
    /// The immutable fields that differ.
    pub fields: Vec<FieldChange>,
    /// The outcome under each deployer.
    pub columns: Vec<Column>,
}

/// A change in one word; [`Changed::columns`] has the outcome under each deployer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// The same in both versions.
    Unchanged,
    /// The API server rejects the new version.
    Rejected,
    /// The work runs again.
    Reruns,
    /// The name differs.
    Renamed,
    /// Only in the old version.
    Removed,
    /// Only in the new version.
    New,
    /// From an ordinary object to a hook, or back.
    Converted,
}

/// An immutable field that differs; secrets are masked.
#[derive(Clone, Debug)]
pub struct FieldChange {
    /// The path of the field, such as `spec.template.spec.containers[0].image`.
    pub path: String,
    /// The old value; absent if the field is new.
    pub old: Option<serde_json::Value>,
    /// The new value; absent if the field is removed.
    pub new: Option<serde_json::Value>,
}

/// A workload under one deployer.
#[derive(Clone, Debug)]
pub struct Column {
    /// The deployer.
    pub deployer: Deployer,
    /// The deployer treats the workload as a hook.
    pub hook: bool,
    /// What happens to the workload.
    pub outcome: Outcome,
    /// What else happens, such as the fate of the old object.
    pub also: Vec<Outcome>,
    /// Why; may be empty.
    pub reason: String,
}

impl Change {
    /// The name in machine-readable output.
    pub(crate) fn name(self) -> &'static str {
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
    /// The same report, redacted with the mask of an earlier run if it needs the same.
    pub(crate) fn with_mask(self, last: &LastMask) -> Self {
        Self { redactor: self.redactor.after(last), ..self }
    }

    /// Sorts the findings by path, position and rule, and what could not be checked by place.
    pub(crate) fn sort(&mut self) {
        let key = |one: &Diagnostic| (one.rule.id, one.unit_index);
        for findings in [&mut self.findings, &mut self.skipped] {
            findings.sort_by(|a, b| {
                a.location.sort_key().cmp(&b.location.sort_key()).then_with(|| key(a).cmp(&key(b)))
            });
        }
        self.unchecked
            .sort_by(|a, b| (&a.path, a.line, &a.reason).cmp(&(&b.path, b.line, &b.reason)));
    }

    /// Sorts the findings, and leaves one of those that a GitOps object raises in each unit that it deploys.
    pub(crate) fn settle(&mut self) {
        self.sort();
        for findings in [&mut self.findings, &mut self.skipped] {
            findings.dedup_by(|other, first| {
                let key = |one: &Diagnostic| (one.rule.id, one.label.clone(), one.workload.clone());
                let is_same = other.location.sort_key() == first.location.sort_key()
                    && key(other) == key(first);
                if is_same {
                    first.keep_fixes_of(other);
                }
                is_same
            });
        }
    }

    /// Hides the findings that a baseline accepts, and returns them.
    pub(crate) fn hide(&mut self, accepts: impl Fn(&str) -> bool) -> Vec<Diagnostic> {
        let findings = std::mem::take(&mut self.findings).into_iter();
        let (hidden, left): (Vec<_>, _) =
            findings.partition(|finding| accepts(&finding.fingerprint));
        self.findings = left;
        hidden.iter().for_each(|finding| self.forgive(finding));
        self.counts.ignored += hidden.len();
        hidden
    }

    /// Drops the failure behind an ignored finding, which no longer makes the run fail.
    pub(crate) fn forgive(&mut self, finding: &Diagnostic) {
        self.unchecked.retain(|one| !one.is_of(finding));
    }
}
