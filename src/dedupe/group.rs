//! One finding per cause: findings of one rule about several objects become one that names them all.
//!
//! Ignores and the baseline apply before, to each object alone: an accepted object leaves its group, and one that
//! joins it later is reported.

use std::{cmp::Reverse, collections::HashMap, ops::Range};

use job_lifecycle::ObjectName;
use yaml_spans::Location;

use super::copies::{Copied, Documents};
use crate::{
    diagnostic::{Also, Diagnostic},
    finding::Severity,
    fingerprint,
    rules::{
        Rule, failure_hidden, generate_name_leaks, hook_annotation_without_hook,
        idempotency_unknown, invalid_name, missing_ttl, nondeterministic_template,
        removed_api_version, stale_hook_blocks, sync_option_unknown,
        template_changes_under_fixed_name, ttl_out_of_sync, ttl_reruns, unbounded_wait,
        unknown_hook_event, unreadable, unreplaceable_job,
    },
    words::{count, noted, set_here},
};

/// The rules whose cause is a habit of the whole chart or folder rather than a line.
static HABITS: [&Rule; 4] = [
    &generate_name_leaks::RULE,
    &idempotency_unknown::RULE,
    &missing_ttl::RULE,
    &ttl_out_of_sync::RULE,
];

/// The rules whose cause is repeated from object to object, and whether the line has to be the same: a missing `set -e` is
/// one habit, whatever the commands.
static REPEATED: [(&Rule, bool); 10] = [
    (&failure_hidden::RULE, false),
    (&hook_annotation_without_hook::RULE, false),
    (&nondeterministic_template::RULE, true),
    (&removed_api_version::RULE, false),
    (&stale_hook_blocks::RULE, true),
    (&sync_option_unknown::RULE, true),
    (&ttl_reruns::RULE, false),
    (&unbounded_wait::RULE, true),
    (&unknown_hook_event::RULE, true),
    (&unreplaceable_job::RULE, false),
];

/// The rules whose cause is repeated across charts and folders: each Application of a repository has its own line, all
/// its manifests are as old, and one deployer keeps all plain Jobs.
static EVERYWHERE: [&Rule; 3] =
    [&removed_api_version::RULE, &sync_option_unknown::RULE, &unreplaceable_job::RULE];

/// What findings of one rule have in common.
#[derive(PartialEq, Eq, Hash)]
enum Cause {
    /// The path and number of a line.
    Line(&'static str, String, usize),
    /// A place in a document that files of one name repeat: what a chart renders for several examples, a sub-chart
    /// that several charts vendor.
    Copy(Copied),
    /// A chart or folder, and the severity there.
    Unit(&'static str, String, Severity),
    /// A chart or folder, what is said about a line, and its text if that counts.
    Repeated(&'static str, String, String, String),
    /// What is said about an object that several branches of one template print.
    Branch(&'static str, String, String),
    /// What is said about files that cannot be read, by their folder.
    Unreadable(String, String),
    /// Something that is not in the repository, by the severity and the remedy.
    Absence(Severity, String),
}

impl Cause {
    /// The causes of a finding, those that unite most first.
    fn all(finding: &Diagnostic, copied: Copied) -> Vec<Self> {
        let rule = finding.rule;
        if finding.is_absent {
            return vec![Self::Absence(finding.severity, finding.help.clone())];
        }
        if is_unreadable(finding) {
            let folder = folder(finding).to_owned();
            return vec![Self::Copy(copied), Self::Unreadable(folder, finding.label.clone())];
        }
        if finding.workload.is_none() {
            return vec![Self::Copy(copied)];
        }
        let at = &finding.location;
        let line = Self::Line(rule.id, at.source.path.clone(), at.start().line);
        let mut causes = vec![line, Self::Copy(copied)];
        causes.extend(
            set_at(finding).map(|at| Self::Line(rule.id, at.source.path.clone(), at.start().line)),
        );
        if is_habit(finding) && !finding.unit.is_empty() {
            // A helper of several charts is one line.
            causes.push(Self::Unit(rule.id, scope(finding), finding.severity));
        }
        causes.extend(Self::repeated(finding));
        causes.extend(Self::branch(finding));
        causes
    }

    fn repeated(finding: &Diagnostic) -> Option<Self> {
        if is_name_of_chart(finding) {
            let label = nameless(finding);
            return Some(Self::Repeated(finding.rule.id, String::new(), label, String::new()));
        }
        let is_own = |(rule, _): &&(&Rule, bool)| *rule == finding.rule && !finding.unit.is_empty();
        let (rule, with_text) = REPEATED.iter().find(is_own)?;
        let at = &finding.location;
        let text = at.source.text.get(line_span(at)).filter(|_| *with_text).unwrap_or_default();
        let mut label = nameless(finding);
        if EVERYWHERE.contains(rule) {
            // One remedy for all.
            label.push_str(&finding.help);
        }
        Some(Self::Repeated(rule.id, scope(finding), label, text.trim().to_owned()))
    }

    fn branch(finding: &Diagnostic) -> Option<Self> {
        let path = &finding.location.source.path;
        let said = format!("{:?} {}", finding.workload, finding.label);
        (!finding.value_sets.is_empty()).then(|| Self::Branch(finding.rule.id, path.clone(), said))
    }
}

/// The chart or folder in which a cause is one; empty if it is one in the whole run.
fn scope(finding: &Diagnostic) -> String {
    if is_everywhere(finding) { String::new() } else { finding.unit.to_string() }
}

/// True for the name of a chart: that of a family of charts has one form.
fn is_name_of_chart(finding: &Diagnostic) -> bool {
    *finding.rule == invalid_name::RULE && finding.location.source.path.ends_with("Chart.yaml")
}

/// A prediction names its deployers, unlike an advice about the next edit.
fn is_everywhere(finding: &Diagnostic) -> bool {
    is_brief(finding) && !finding.deployers.is_empty()
        || EVERYWHERE.contains(&finding.rule)
        || is_name_of_chart(finding)
}

/// Where the only value is set that the finding depends on, if it is corrected there: one line of `values.yaml` for all
/// templates that print it.
fn set_at(finding: &Diagnostic) -> Option<&Location> {
    let [input] = &finding.inputs[..] else { return None };
    let label = set_here(input);
    let (at, _) = finding.secondary.iter().find(|(_, text)| *text == label)?;
    finding.fixes.first().filter(|fix| fix.source.path == at.source.path).map(|_| at)
}

/// The bytes of the line where a finding starts.
fn line_span(at: &Location) -> Range<usize> {
    let line = at.source.line_span(at.source.line_of(at.span.start));
    line.start as usize..line.end as usize
}

/// A finding of a group.
struct Member {
    finding: Diagnostic,
    copied: Copied,
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
    for finding in findings {
        let ordinal = is_unreadable(&finding).then(|| {
            let same = (finding.location.source.path.clone(), finding.label.clone());
            let count = ordinals.entry(same).or_default();
            *count += 1;
            *count
        });
        let member = Member { copied: documents.copied(&finding), finding, ordinal };
        let causes = Cause::all(&member.finding, member.copied.clone());
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
    groups.into_iter().filter_map(|group| merged(findings(group))).collect()
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
        return ends.into_iter().flatten().all(is_beside)
            || group.iter().all(|other| is_copy(member, other));
    }
    let is_alike = |other: &Member| is_habit(finding) || alike(finding, &other.finding);
    let is_named_same = |other: &&Member| other.finding.workload == finding.workload;
    if !group.iter().any(|other| is_named_same(&other)) {
        return group.iter().all(|other| is_as_severe(finding, &other.finding))
            && group.iter().any(is_alike);
    }
    let is_elsewhere =
        |other: &Member| is_everywhere(finding) && !is_same_file(finding, &other.finding);
    group.iter().filter(is_named_same).all(|other| {
        is_same_place(finding, &other.finding) && finding.unit != other.finding.unit
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

/// True for a file that is no YAML. One that was not opened, such as a link out of the repository, is named by itself.
fn is_unreadable(finding: &Diagnostic) -> bool {
    *finding.rule == unreadable::RULE && !finding.location.source.text.is_empty()
}

/// The folder of a finding's file.
fn folder(finding: &Diagnostic) -> &str {
    let path = &finding.location.source.path;
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// True for two files of a folder that cannot be read for one reason.
fn is_beside(a: &Diagnostic, b: &Diagnostic) -> bool {
    let is_one = (folder(a), &a.label, a.severity) == (folder(b), &b.label, b.severity);
    is_unreadable(a) && is_unreadable(b) && !is_same_file(a, b) && is_one
}

/// True for what one finding says of all objects, whatever the line.
fn is_habit(finding: &Diagnostic) -> bool {
    is_brief(finding) || HABITS.contains(&finding.rule)
}

/// True for what a short TTL leaves of a prediction.
fn is_brief(finding: &Diagnostic) -> bool {
    *finding.rule == template_changes_under_fixed_name::RULE && finding.severity == Severity::Info
}

/// True for the same text of a line, or for the same words about another part of it.
fn alike(a: &Diagnostic, b: &Diagnostic) -> bool {
    is_same_place(a, b) || nameless(a) == nameless(b)
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

/// The label without the name and the kind of the object.
fn nameless(finding: &Diagnostic) -> String {
    let Some(object) = &finding.workload else { return finding.label.clone() };
    let without = |text: String, word: &str| match word {
        "" => text,
        word => text.replace(word, ""),
    };
    without(without(finding.label.clone(), &shown(object)), &format!("the {} ", object.kind))
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
