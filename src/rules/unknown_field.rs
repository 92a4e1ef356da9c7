use job_lifecycle::kubernetes::schema::{Mismatch, TypedMapping, UnknownField, correct_parent};

use super::{Check, Rule, rejected::short_path};
use crate::{
    finding::{Applicability, Finding},
    fix,
    words::joined,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "unknown-field",
    include_str!("../../rules/unknown-field.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let mut groups: Vec<Vec<&UnknownField<'_>>> = Vec::new();
    for mismatch in job.mismatches() {
        let Mismatch::UnknownField(unknown) = mismatch else { continue };
        if unknown.since.is_none() && correct_parent(job, unknown).is_some() {
            continue; // `misplaced-field` reports it.
        }
        match groups.iter_mut().find(|group| is_beside(group[0], unknown)) {
            Some(group) => group.push(unknown),
            None => groups.push(vec![unknown]),
        }
    }
    let answers = job.context.unknown_field();
    found.extend(groups.iter().map(|group| match &group[..] {
        [one] => finding(job, one).deployers(answers.clone()),
        several => block(job, several).deployers(answers.clone()),
    }));
}

/// Whether one wrong indentation explains both: they share a mapping, and neither is a misspelt field of it.
fn is_beside(a: &UnknownField<'_>, b: &UnknownField<'_>) -> bool {
    let mapping = |one: &UnknownField<'_>| one.ancestors.last().map(|parent| parent.node.span);
    let is_foreign = |one: &UnknownField<'_>| one.since.is_none() && meant(one).is_none();
    mapping(a) == mapping(b) && is_foreign(a) && is_foreign(b)
}

/// The mapping of a field, and the field of it with a similar name.
fn meant<'a>(unknown: &UnknownField<'a>) -> Option<(TypedMapping<'a>, &'static str)> {
    let parent = unknown.ancestors.last().filter(|_| !unknown.entry.merged)?;
    let key = &unknown.entry.key;
    // `secretRef` takes all keys, `secretKeyRef` one of them.
    let of_key = key.strip_suffix("Ref").map(|kind| format!("{kind}KeyRef"));
    let mut fields = parent.of.fields().map(|(name, _)| name);
    let of_key = fields.find(|name| Some(*name) == of_key.as_deref());
    Some((parent.clone(), of_key.or_else(|| parent.of.nearest(key))?))
}

/// One finding about the unknown fields of one mapping.
fn block(job: &Subject<'_>, group: &[&UnknownField<'_>]) -> Finding {
    let keys: Vec<_> = group.iter().map(|one| format!("`{}`", one.entry.key)).collect();
    let (keys, parent) = (joined(&keys), short_path(group[0].parent_path()));
    let place = if parent.is_empty() { String::new() } else { format!(" in `{parent}`") };
    let label = |one: &UnknownField<'_>| format!("unknown field `{}`", one.path);
    let finding = Finding::new(group[0].entry.key_span, label(group[0]))
        .message(format!("{} has unknown fields{place}: {keys}", job.title()))
        .help(format!("move {keys} to where they belong, or remove them"));
    let others = group[1..].iter();
    others.fold(finding, |finding, one| finding.label(one.entry.key_span, label(one)))
}

fn finding(job: &Subject<'_>, unknown: &UnknownField<'_>) -> Finding {
    let (path, key) = (&unknown.path, unknown.entry.key_span);
    if let Some(since) = unknown.since {
        let label = format!(
            "`{path}` is unknown before Kubernetes {since}, the target is {}",
            job.context.kubernetes
        );
        let message = format!(
            "{} uses `{path}`, which Kubernetes {} does not know yet",
            job.title(),
            job.context.kubernetes
        );
        let finding = Finding::new(key, label).message(message);
        return finding.help(format!("remove `{path}`, or deploy to Kubernetes {since}"));
    }
    let Some((parent, meant)) = meant(unknown) else {
        let message = format!("{} has an unknown field: `{path}`", job.title());
        let finding = Finding::new(key, format!("unknown field `{path}`")).message(message);
        return finding.help(format!("remove `{path}`, or correct its name"));
    };
    let label = format!("unknown field `{path}`, did you mean `{meant}`?");
    let message =
        format!("{} has an unknown field: `{path}`, did you mean `{meant}`?", job.title());
    let finding = Finding::new(key, label).message(message).help(format!("rename it to `{meant}`"));
    if parent.node.entry(meant).is_some() || !job.source.can_be_edited() {
        return finding;
    }
    finding.fix(
        format!("rename it to `{meant}`"),
        Applicability::Unsafe,
        fix::rename(job.source, unknown.entry, meant),
    )
}
