//! One finding per cause: findings of one rule about several objects become one that names them all.
//!
//! Ignores and the baseline apply before, to each object alone: an accepted object leaves its group, and one that
//! joins it later is reported.

use std::{cmp::Reverse, collections::HashMap, ops::Range};

use job_lifecycle::ObjectName;
use yaml_spans::Location;

use crate::{
    diagnostic::{Also, Diagnostic},
    finding::Severity,
    fingerprint,
    rules::{
        Rule, failure_hidden, idempotency_unknown, missing_ttl, stale_hook_blocks, unbounded_wait,
    },
    words::{count, noted},
};

/// The rules whose cause is a habit of the whole chart or folder rather than a line.
static HABITS: [&Rule; 2] = [&idempotency_unknown::RULE, &missing_ttl::RULE];

/// The rules whose cause is copied from Job to Job, and whether the line has to be the same: a missing `set -e` is one
/// habit, whatever the commands.
static COPIED: [(&Rule, bool); 3] = [
    (&failure_hidden::RULE, false),
    (&stale_hook_blocks::RULE, true),
    (&unbounded_wait::RULE, true),
];

/// What findings of one rule have in common.
#[derive(PartialEq, Eq, Hash)]
enum Cause {
    /// The path and number of a line.
    Line(&'static str, String, usize),
    /// A chart or folder, and the severity there.
    Unit(&'static str, String, Severity),
    /// A chart or folder, the severity there, what is said about a line, and its text if that counts.
    Copy(&'static str, String, Severity, String, String),
    /// Something that is not in the repository, by the severity and the remedy.
    Absence(Severity, String),
}

impl Cause {
    /// The causes of a finding, those that unite most first.
    fn all(finding: &Diagnostic) -> Vec<Self> {
        let rule = finding.rule;
        if finding.is_absent {
            return vec![Self::Absence(finding.severity, finding.help.clone())];
        }
        let at = &finding.location;
        let line = Self::Line(rule.id, at.source.path.clone(), at.start().line);
        if HABITS.contains(&rule) && !finding.unit.is_empty() {
            let unit = Self::Unit(rule.id, finding.unit.to_string(), finding.severity);
            // A helper of several charts is one line.
            return vec![line, unit];
        }
        let copied = COPIED.iter().find(|(copied, _)| *copied == rule && !finding.unit.is_empty());
        let copy = copied.map(|(_, with_text)| {
            let text = at.source.text.get(line_span(at)).filter(|_| *with_text).unwrap_or_default();
            let (unit, label) = (finding.unit.to_string(), nameless(finding));
            Self::Copy(rule.id, unit, finding.severity, label, text.trim().to_owned())
        });
        std::iter::once(line).chain(copy).collect()
    }
}

/// The bytes of the line where a finding starts.
fn line_span(at: &Location) -> Range<usize> {
    let line = at.source.line_span(at.source.line_of(at.span.start));
    line.start as usize..line.end as usize
}

/// The findings, in their order, with those of one cause as one: the most severe one, with the other objects in
/// [`Diagnostic::also`].
pub(crate) fn grouped(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut groups: Vec<Vec<Diagnostic>> = Vec::new();
    let mut known: HashMap<Cause, Vec<usize>> = HashMap::new();
    for finding in findings {
        if finding.workload.is_none() && !finding.is_absent {
            groups.push(vec![finding]);
            continue;
        }
        let causes = Cause::all(&finding);
        let candidates = causes.iter().filter_map(|cause| known.get(cause)).flatten();
        let fitting = candidates.copied().find(|group| belongs(&finding, &groups[*group]));
        let group = fitting.unwrap_or(groups.len());
        for cause in causes {
            let own = known.entry(cause).or_default();
            if !own.contains(&group) {
                own.push(group);
            }
        }
        match groups.get_mut(group) {
            Some(group) => group.push(finding),
            None => groups.push(vec![finding]),
        }
    }
    groups.into_iter().filter_map(merged).collect()
}

/// True when the finding has the cause of a group. A finding about an object of the group has it only if another unit
/// repeats it: within a unit, a rule that reports an object twice means two things.
fn belongs(finding: &Diagnostic, group: &[Diagnostic]) -> bool {
    if finding.is_absent {
        return true;
    }
    let same_object = |other: &Diagnostic| other.workload == finding.workload;
    match group.iter().find(|other| same_object(other)) {
        Some(other) => is_same_place(finding, other) && finding.unit != other.unit,
        None => HABITS.contains(&finding.rule) || group.iter().any(|one| alike(finding, one)),
    }
}

/// True for the same text of a line, or for the same words about another part of it.
fn alike(a: &Diagnostic, b: &Diagnostic) -> bool {
    is_same_place(a, b) || nameless(a) == nameless(b)
}

fn is_same_place(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.location.sort_key() == b.location.sort_key()
}

/// The label without the name of the object.
fn nameless(finding: &Diagnostic) -> String {
    let name = finding.workload.as_ref().map(shown).unwrap_or_default();
    if name.is_empty() { finding.label.clone() } else { finding.label.replace(&name, "") }
}

/// The name for people, with `*` for a generated suffix; empty without a name.
fn shown(name: &ObjectName) -> String {
    match (&name.name, &name.generate_name) {
        (Some(name), _) => name.clone(),
        (None, Some(prefix)) => format!("{prefix}*"),
        (None, None) => String::new(),
    }
}

/// One finding about the objects of a group.
fn merged(mut group: Vec<Diagnostic>) -> Option<Diagnostic> {
    // What holds for all value sets is preferred to what holds with some.
    let worst =
        |(index, one): &(usize, &Diagnostic)| (Reverse(one.severity), !one.note.is_empty(), *index);
    let (index, _) = group.iter().enumerate().min_by_key(worst)?;
    let mut first = group.remove(index);
    let mut fingerprints = vec![first.fingerprint.clone()];
    fingerprints.extend(group.iter().map(|other| other.fingerprint.clone()));
    let more = match first.is_absent {
        true => first.label_absences(group),
        false => {
            group.into_iter().for_each(|other| first.take(other));
            (!first.also.is_empty()).then(|| first.more())
        }
    };
    if let Some(more) = more {
        first.fingerprint = fingerprint::of_group(fingerprints.iter().map(String::as_str));
        first.message = noted(&first.message, &format!("and {more}"));
    }
    Some(first)
}

impl Diagnostic {
    /// Adds the object of another finding with the same cause.
    fn take(&mut self, other: Diagnostic) {
        let Some(workload) = other.workload else { return };
        let own = self.workload.iter().chain(self.also.iter().map(|one| &one.workload));
        if own.into_iter().any(|own| *own == workload) {
            return;
        }
        let fingerprint = other.fingerprint;
        let (location, fixes) = (other.location, other.fixes);
        self.raised_at.extend(other.raised_at);
        self.also.push(Also { workload, location, fixes, fingerprint });
    }

    /// Adds what else is absent as labels, and returns the number of charts or kustomizations that lack it.
    fn label_absences(&mut self, others: Vec<Diagnostic>) -> Option<String> {
        let noun = match self.is_about_kustomization() {
            true => "more kustomization",
            false => "more chart",
        };
        let more = (!others.is_empty()).then(|| count(others.len(), noun));
        for other in others {
            self.secondary.push((other.location, other.label));
            self.secondary.extend(other.secondary);
            self.raised_at.extend(other.raised_at);
        }
        more
    }

    /// The number of other objects with their kind: `28 more Jobs`.
    fn more(&self) -> String {
        let kind = self.also.first().map_or("", |one| &one.workload.kind);
        let noun = match self.also.iter().all(|one| one.workload.kind == kind) {
            true => format!("more {kind}"),
            false => "more object".to_owned(),
        };
        count(self.also.len(), &noun)
    }
}
