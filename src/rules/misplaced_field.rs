use job_lifecycle::{
    Tool,
    kubernetes::schema::{CorrectParent, Mismatch, UnknownField, correct_parent},
    workload::Kind,
};
use yaml_spans::{Edit, Entry, Location};

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

/// What stands around a key.
const QUOTES: [char; 2] = ['"', '\''];

/// A field with the mapping that it belongs to.
struct Misplaced<'a> {
    field: &'a UnknownField<'a>,
    parent: CorrectParent<'a>,
}

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut groups: Vec<Vec<Misplaced<'_>>> = Vec::new();
    for mismatch in job.mismatches() {
        let Mismatch::UnknownField(field) = mismatch else { continue };
        // A field without a value has no effect at any place.
        let is_set = !field.entry.value.is_null();
        let parent = correct_parent(job, field).filter(|_| field.since.is_none() && is_set);
        let Some(parent) = parent else {
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

/// Whether the API server misses a field only because it is in the wrong place: `spec.template.spec.containers: Required
/// value`.
pub(super) fn explains(job: &Subject<'_>, error: &str) -> bool {
    let Some(path) = error.strip_suffix(REQUIRED) else { return false };
    let belongs_there = |field: &UnknownField<'_>| {
        let parent = correct_parent(job, field).filter(|_| field.since.is_none());
        let parent = parent.and_then(|parent| parent.path);
        parent.is_some_and(|parent| path.ends_with(&format!("{parent}.{}", field.entry.key)))
    };
    job.mismatches()
        .iter()
        .any(|one| matches!(one, Mismatch::UnknownField(field) if belongs_there(field)))
}

/// What the API server says of a field that is not there.
const REQUIRED: &str = ": Required value";

impl Misplaced<'_> {
    /// Whether one wrong indentation explains both: they share a mapping, and each belongs somewhere.
    fn is_beside(&self, other: &Self) -> bool {
        let mapping = |one: &Self| one.field.ancestors.last().map(|parent| parent.node.span);
        let is_placed = |one: &Self| one.parent.path.is_some();
        mapping(self) == mapping(other) && is_placed(self) == is_placed(other)
    }

    /// Whether the mapping that it belongs to has it already, in the same file: a kustomization may add it to another one.
    fn is_there(&self, job: &Subject<'_>) -> bool {
        let own = self.field.entry;
        let written = |entry: &Entry| {
            let (source, span) = (job.object.source.clone(), entry.key_span);
            Location { source, span }.written()
        };
        let there = self.parent.node.and_then(|parent| parent.entry(&own.key)).map(written);
        there.is_some_and(|there| {
            let is_named = *there.source.slice(there.span).trim_matches(QUOTES) == *own.key;
            is_named && there.sort_key() != written(own).sort_key()
        })
    }

    fn key(&self) -> String {
        format!("`{}`", self.field.entry.key)
    }

    fn label(&self) -> String {
        let key = self.key();
        match self.place() {
            Some(at) => {
                format!("{key} belongs to {at}, not to {}", named(self.field.parent_path()))
            }
            None => format!("{key} is a field of a CronJob, a Job has none"),
        }
    }

    /// Where it belongs; `None` for a field of CronJobs in a Job.
    fn place(&self) -> Option<String> {
        self.parent.path.as_ref().map(|path| named(path))
    }
}

/// Whether a field would do what `ttl-reruns` reports, if it were where it belongs: a GitOps controller puts the Job back that its
/// TTL has removed.
fn runs_job_again(job: &Subject<'_>, one: &Misplaced<'_>) -> bool {
    let mut deployers = job.context.deployers.iter();
    job.kind == Kind::Job
        && &*one.field.entry.key == "ttlSecondsAfterFinished"
        && deployers.any(|deployer| {
            matches!(deployer.tool, Tool::Argocd | Tool::Flux | Tool::Fleet)
                && !deployer.assumed
                && job.hook(deployer).is_none()
        })
}

/// A mapping of an object, by its path.
fn named(path: &str) -> String {
    if path.is_empty() { "the top level".to_owned() } else { format!("`{path}`") }
}

/// One finding about the fields that share a wrong place.
fn finding(job: &Subject<'_>, group: &[Misplaced<'_>]) -> Finding {
    let places = places(group);
    let (message, help) = texts(job, group, &places);
    let at = |one: &Misplaced<'_>| one.field.entry.key_span;
    let finding = Finding::new(at(&group[0]), group[0].label()).message(message).help(help);
    let finding =
        group[1..].iter().fold(finding, |finding, one| finding.label(at(one), one.label()));
    let title = match (&places[..], group.len()) {
        ([], _) => return finding,
        ([(to, _)], 1) => format!("move it to {to}"),
        ([(to, _)], _) => format!("move them to {to}"),
        _ => "move them where they belong".to_owned(),
    };
    match moved(job, group).filter(|_| !group.iter().any(|one| runs_job_again(job, one))) {
        Some(edits) => finding.fix_all(title, Applicability::Unsafe, edits),
        None => finding,
    }
}

/// The headline and the help about fields with one wrong place.
fn texts(job: &Subject<'_>, group: &[Misplaced<'_>], places: &[Place]) -> (String, String) {
    let title = job.title();
    let keys: Vec<_> = group.iter().map(Misplaced::key).collect();
    let keys = joined(&keys);
    let moves = places.iter().map(|(at, keys)| format!("{} to {at}", joined(keys)));
    let (help, at) = (moves.collect::<Vec<_>>().join(", "), places.iter().map(|(at, _)| at));
    let at = joined(&at.cloned().collect::<Vec<_>>());
    let message = match (places, group.len()) {
        ([], number) => {
            let fields = if number == 1 { "a field" } else { "fields" };
            let message = format!("{title} cannot have {keys}, {fields} of CronJobs");
            return (message, format!("remove {keys}, or make this a CronJob"));
        }
        (_, 1) => format!("{keys} of {title} is in the wrong place: it belongs to {at}"),
        _ => format!("{keys} of {title} are in the wrong place: they belong to {at}"),
    };
    let help = match group {
        [only] if only.is_there(job) && !only.field.entry.value.entries().is_empty() => {
            format!("merge {keys} into that of {at}, or remove it")
        }
        [only] if only.is_there(job) => format!("remove {keys}: {at} has one already"),
        [only] if runs_job_again(job, only) => {
            format!("remove {keys}: at {at} it would let the deployer run the Job again and again")
        }
        _ => format!("move {help}"),
    };
    (message, help)
}

/// A mapping to which fields belong, as it is shown, and their keys.
type Place = (String, Vec<String>);

/// The mappings to which the fields belong, each with its fields.
fn places(group: &[Misplaced<'_>]) -> Vec<Place> {
    let mut places: Vec<Place> = Vec::new();
    for one in group {
        let (Some(at), key) = (one.place(), one.key()) else { continue };
        match places.iter_mut().find(|(known, _)| *known == at) {
            Some((_, keys)) => keys.push(key),
            None => places.push((at, vec![key])),
        }
    }
    places
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
