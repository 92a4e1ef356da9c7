use job_lifecycle::kubernetes::schema::{CorrectParent, Mismatch, UnknownField, correct_parent};
use yaml_spans::Edit;

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding},
    fix,
    words::joined,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "misplaced-field",
    include_str!("../../rules/misplaced-field.yaml"),
    Check::Workload(check),
);

/// A field with the mapping that it belongs to.
struct Misplaced<'a> {
    field: &'a UnknownField<'a>,
    parent: CorrectParent<'a>,
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut groups: Vec<Vec<Misplaced<'_>>> = Vec::new();
    for mismatch in job.mismatches() {
        let Mismatch::UnknownField(field) = mismatch else { continue };
        let Some(parent) = correct_parent(job, field).filter(|_| field.since.is_none()) else {
            continue;
        };
        let one = Misplaced { field, parent };
        match groups.iter_mut().find(|group| group[0].is_beside(&one)) {
            Some(group) => group.push(one),
            None => groups.push(vec![one]),
        }
    }
    let unknown = job.context.unknown_field();
    found.extend(groups.iter().map(|group| finding(job, group).deployers(unknown.clone())));
}

impl Misplaced<'_> {
    /// Whether one wrong indentation explains both.
    fn is_beside(&self, other: &Self) -> bool {
        let mapping = |one: &Self| one.field.ancestors.last().map(|parent| parent.node.span);
        mapping(self) == mapping(other) && self.parent.path == other.parent.path
    }

    fn label(&self) -> String {
        let key = &self.field.entry.key;
        match self.place() {
            Some(at) => {
                format!("`{key}` belongs to {at}, not to {}", named(self.field.parent_path()))
            }
            None => format!("`{key}` is a field of a CronJob, a Job has none"),
        }
    }

    /// Where it belongs; `None` for a field of CronJobs in a Job.
    fn place(&self) -> Option<String> {
        self.parent.path.as_ref().map(|path| named(path))
    }
}

/// A mapping of an object, by its path.
fn named(path: &str) -> String {
    if path.is_empty() { "the top level".to_owned() } else { format!("`{path}`") }
}

/// One finding about the fields that share a wrong place.
fn finding(job: &Subject<'_>, group: &[Misplaced<'_>]) -> Finding {
    let keys: Vec<_> = group.iter().map(|one| format!("`{}`", one.field.entry.key)).collect();
    let (keys, title) = (joined(&keys), job.title());
    let (message, help) = match (group[0].place(), group.len()) {
        (None, _) => (
            format!("{title} cannot have {keys}, {} of CronJobs", fields(group)),
            format!("remove {keys}, or make this a CronJob"),
        ),
        (Some(at), 1) => (
            format!("{keys} of {title} is in the wrong place: it belongs to {at}"),
            format!("move {keys} to {at}"),
        ),
        (Some(at), _) => (
            format!("{keys} of {title} are in the wrong place: they belong to {at}"),
            format!("move {keys} to {at}"),
        ),
    };
    let at = |one: &Misplaced<'_>| one.field.entry.key_span;
    let finding = Finding::new(at(&group[0]), group[0].label()).message(message).help(help);
    let finding =
        group[1..].iter().fold(finding, |finding, one| finding.label(at(one), one.label()));
    let it = if group.len() == 1 { "it" } else { "them" };
    match (group[0].place(), moved(job, group)) {
        (Some(to), Some(edits)) => {
            finding.fix_all(format!("move {it} to {to}"), Applicability::Unsafe, edits)
        }
        _ => finding,
    }
}

fn fields(group: &[Misplaced<'_>]) -> &'static str {
    if group.len() == 1 { "a field" } else { "fields" }
}

/// The edits that move all fields of a group, those to one place as one; `None` if one of them cannot be moved, or if
/// nothing would be left.
fn moved(job: &Subject<'_>, group: &[Misplaced<'_>]) -> Option<Vec<Edit>> {
    let from = group[0].field.ancestors.last()?.node;
    if from.entries().len() <= group.len() {
        return None;
    }
    let mut edits: Vec<Edit> = Vec::new();
    for Misplaced { field, parent } in group.iter().filter(|one| !one.field.entry.merged) {
        for edit in fix::relocate(job.source, from, field.entry, parent.node?)? {
            match edits.iter_mut().find(|other| other.span == edit.span) {
                Some(other) => other.text.push_str(&edit.text),
                None => edits.push(edit),
            }
        }
    }
    edits.sort_by_key(|edit| edit.span);
    let is_apart = edits.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start);
    (is_apart && !edits.is_empty()).then_some(edits)
}
