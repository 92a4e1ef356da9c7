//! One finding per cause: findings of one rule about several objects become one that names them all.
//!
//! Ignores and the baseline apply before, to each object alone: an accepted object leaves its group, and one that
//! joins it later is reported.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use super::{
    cause::{
        Cause, is_everywhere, is_habit, is_of_overlay, is_unreadable, nameless, said,
        scope_of_unreadable,
    },
    copies::{Copied, Documents},
    rendered::families,
};
use crate::{
    diagnostic::{Also, Diagnostic},
    fingerprint,
    rules::{duplicate_job, hook_deletes_data, kustomize_churn, unrenderable},
    words::{count, noted},
};

/// A finding of a group.
pub(super) struct Member {
    pub(super) finding: Diagnostic,
    copied: Copied,
    /// The same lines in another file, if they have the same cause.
    text: Option<Cause>,
    /// The number among the findings that say the same of a file that cannot be read.
    ordinal: Option<usize>,
}

/// The findings, in their order, with those of one cause as one: the most severe one, with the other objects in
/// [`Diagnostic::also`].
pub(crate) fn grouped(findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut groups: Vec<Vec<Member>> = Vec::new();
    let mut known: HashMap<Cause, Vec<usize>> = HashMap::new();
    let mut documents = Documents::default();
    let mut ordinals: HashMap<(String, String), usize> = HashMap::new();
    for finding in without_repetition(findings) {
        let ordinal = is_unreadable(&finding).then(|| {
            let same = (finding.location.source.path.clone(), finding.label.clone());
            let count = ordinals.entry(same).or_default();
            *count += 1;
            *count
        });
        let (copied, text) = (documents.copied(&finding), Cause::text(&finding));
        let member = Member { finding, copied, text, ordinal };
        let causes = Cause::all(&member.finding, member.copied.clone(), member.text.clone());
        let candidates = causes.iter().filter_map(|cause| known.get(cause)).flatten();
        let fitting = candidates.copied().find(|group| belongs(&member, &groups[*group]));
        let group = fitting.unwrap_or(groups.len());
        for cause in causes {
            let own = known.entry(cause).or_default();
            if !own.contains(&group) {
                own.push(group);
            }
        }
        match groups.get_mut(group) {
            Some(group) => group.push(member),
            None => groups.push(vec![member]),
        }
    }
    let findings = |group: Vec<Member>| group.into_iter().map(|member| member.finding).collect();
    let families = families(groups).into_iter();
    families.filter_map(|(group, copies)| merged(findings(group), findings(copies))).collect()
}

/// The findings without those of duplicate-job at places that `unrenderable` names: a kustomization does not build with
/// both objects.
fn without_repetition(mut findings: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let place = |one: &Diagnostic| {
        let (path, start, _) = one.location.sort_key();
        (path.to_owned(), start)
    };
    let refused = findings.iter().filter(|one| *one.rule == unrenderable::RULE);
    let refused: HashSet<_> = refused.map(place).collect();
    findings.retain(|one| *one.rule != duplicate_job::RULE || !refused.contains(&place(one)));
    findings
}

/// True when the finding has the cause of a group. A finding about an object of the group has it only if another unit
/// repeats it, or another file of the same text: within a unit, a rule that reports an object twice means two things.
fn belongs(member: &Member, group: &[Member]) -> bool {
    let finding = &member.finding;
    if finding.is_absent {
        return true;
    }
    if finding.workload.is_none() {
        // Copies or neighbours, never both: the first and the last stand for all neighbours.
        let is_beside =
            |other: &Member| member.ordinal == other.ordinal && is_beside(finding, &other.finding);
        let ends = [group.first(), group.last()];
        let repeats = |other: &Member| is_of_overlay(finding) && member.text == other.text;
        return ends.into_iter().flatten().all(is_beside)
            || group.iter().all(|other| is_copy(member, other))
            || group.iter().all(repeats);
    }
    let is_alike = |other: &Member| is_habit(finding) || alike(finding, &other.finding);
    let is_named_same = |other: &&Member| other.finding.workload == finding.workload;
    // A chart and those that take it in print the object from one line.
    let is_of_other_chart = |other: &Member| {
        is_same_place(finding, &other.finding) && finding.unit != other.finding.unit
    };
    if !group.iter().any(|other| is_named_same(&other)) {
        let fits =
            |other: &Member| is_as_severe(finding, &other.finding) || is_of_other_chart(other);
        return group.iter().all(fits) && group.iter().any(is_alike);
    }
    let is_elsewhere = |other: &Member| {
        let says_same = || member.text.is_some() && member.text == other.text;
        (is_everywhere(finding) || says_same()) && !is_same_file(finding, &other.finding)
    };
    group.iter().filter(is_named_same).all(|other| {
        is_of_other_chart(other)
            || is_copy(member, other)
            || is_elsewhere(other) && is_alike(other)
            || is_other_branch(finding, &other.finding)
    })
}

/// True for the same flaw of an object that another branch of the template prints: no values print both.
fn is_other_branch(a: &Diagnostic, b: &Diagnostic) -> bool {
    let is_apart = a.value_sets.iter().all(|set| !b.value_sets.contains(set));
    let is_rendered = !a.value_sets.is_empty() && !b.value_sets.is_empty();
    is_apart
        && is_rendered
        && is_same_file(a, b)
        && (a.severity, &a.label) == (b.severity, &b.label)
}

/// True for findings of one severity. What only some values enable may be less severe for want of anybody who sets them.
fn is_as_severe(a: &Diagnostic, b: &Diagnostic) -> bool {
    let is_conditional = |one: &Diagnostic| one.note.starts_with("with ");
    a.severity == b.severity || is_conditional(a) || is_conditional(b)
}

/// True for two files of a folder that cannot be read for one reason.
fn is_beside(a: &Diagnostic, b: &Diagnostic) -> bool {
    let is_one = (scope_of_unreadable(a), &a.label, a.severity)
        == (scope_of_unreadable(b), &b.label, b.severity);
    is_unreadable(a) && is_unreadable(b) && !is_same_file(a, b) && is_one
}

/// True for the same text of a line, for the same words about another part of it, or for what overlays change about one
/// Job.
fn alike(a: &Diagnostic, b: &Diagnostic) -> bool {
    let is_of_overlays = *a.rule == kustomize_churn::RULE && a.message == b.message;
    is_same_place(a, b) || nameless(a) == nameless(b) || said(a) == said(b) || is_of_overlays
}

fn is_same_place(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.location.sort_key() == b.location.sort_key()
}

fn is_same_file(a: &Diagnostic, b: &Diagnostic) -> bool {
    a.location.source.path == b.location.source.path
}

/// True for the same flaw of a document that is in two files of one name.
fn is_copy(one: &Member, other: &Member) -> bool {
    let (a, b) = (&one.finding, &other.finding);
    one.copied == other.copied
        && !is_same_file(a, b)
        && (a.severity, nameless(a)) == (b.severity, nameless(b))
}

/// One finding about the objects of a group.
fn merged(mut group: Vec<Diagnostic>, copies: Vec<Diagnostic>) -> Option<Diagnostic> {
    // What holds for all value sets is preferred to what holds with some, and a remedy that harms none of the objects.
    let worst = |(index, one): &(usize, &Diagnostic)| {
        let is_for_all = one.help.starts_with(hook_deletes_data::BY_HAND);
        (Reverse(one.severity), !is_for_all, !one.note.is_empty(), *index)
    };
    let (index, _) = group.iter().enumerate().min_by_key(worst)?;
    let mut first = group.remove(index);
    group.extend(copies);
    let mut fingerprints = vec![first.fingerprint.clone()];
    fingerprints.extend(group.iter().map(|other| other.fingerprint.clone()));
    let more = match first.is_absent || first.workload.is_none() {
        true => first.label_places(group),
        false => {
            group.into_iter().for_each(|other| first.take(other));
            (!first.also.is_empty()).then(|| first.more())
        }
    };
    if let Some(more) = more {
        first.fingerprint = fingerprint::of_group(fingerprints.iter().map(String::as_str));
        // What is in brackets already is about the flaw.
        first.message = match first.message.ends_with(')') {
            true => format!("{}, and {more}", first.message),
            false => noted(&first.message, &format!("and {more}")),
        };
    }
    Some(first)
}

fn copies(number: usize) -> String {
    if number == 1 { "1 copy".to_owned() } else { format!("{number} copies") }
}

impl Diagnostic {
    /// Adds the object of another finding with the same cause.
    fn take(&mut self, other: Diagnostic) {
        let Some(workload) = other.workload else { return };
        let path = &other.location.source.path;
        let own = self.workload.iter().map(|own| (own, &self.location));
        let also = self.also.iter().map(|one| (&one.workload, &one.location));
        if own.chain(also).any(|(own, at)| *own == workload && at.source.path == *path) {
            return;
        }
        let fingerprint = other.fingerprint;
        let (location, fixes, note) = (other.location, other.fixes, other.note);
        self.raised_at.extend(other.raised_at);
        self.also.push(Also { workload, location, note, fixes, fingerprint });
    }

    /// Adds what else is absent, or the copies, as labels, and returns their number.
    fn label_places(&mut self, others: Vec<Diagnostic>) -> Option<String> {
        let more = match others.len() {
            0 => None,
            more if is_beside(self, &others[0]) => Some(count(more, "more file")),
            more if !self.is_absent => Some(copies(more)),
            more if self.is_about_kustomization() => Some(count(more, "more kustomization")),
            more => Some(count(more, "more chart")),
        };
        for other in others {
            self.secondary.push((other.location, other.label));
            self.secondary.extend(other.secondary);
            self.raised_at.extend(other.raised_at);
        }
        more
    }

    /// The number of other objects with their kind, or of other files with the object: `28 more Jobs`, `11 copies`.
    fn more(&self) -> String {
        if self.also.iter().all(|one| Some(&one.workload) == self.workload.as_ref()) {
            return copies(self.also.len());
        }
        let kind = self.also.first().map_or("", |one| &one.workload.kind);
        let noun = match self.also.iter().all(|one| one.workload.kind == kind) {
            true => format!("more {kind}"),
            false => "more object".to_owned(),
        };
        count(self.also.len(), &noun)
    }
}
