use job_lifecycle::kubernetes::schema::{Mismatch, TypedMapping, UnknownField, correct_parent};

use super::{Check, Rule, rejected::short_path};
use crate::{
    finding::{Applicability, Finding},
    fix,
    words::{joined, without_indexes},
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
        if unknown.path.contains("spec.selector.") && job.job.set("manualSelector").is_none() {
            continue; // `selector-set-by-hand` has the selector removed.
        }
        let is_same = |one| is_beside(one, unknown) || is_again(one, unknown);
        match groups.iter_mut().find(|group| is_same(group[0])) {
            Some(group) => group.push(unknown),
            None => groups.push(vec![unknown]),
        }
    }
    let answers = job.context.unknown_field();
    let of = |group: &Vec<&UnknownField<'_>>| match &group[..] {
        [one, other, ..] if is_beside(one, other) => block(job, group),
        _ => finding(job, group),
    };
    found.extend(groups.iter().map(|group| of(group).deployers(answers.clone())));
}

/// Whether one wrong indentation explains both: they share a mapping, and neither is a misspelt field of it.
fn is_beside(a: &UnknownField<'_>, b: &UnknownField<'_>) -> bool {
    let mapping = |one: &UnknownField<'_>| one.ancestors.last().map(|parent| parent.node.span);
    let is_foreign = |one: &UnknownField<'_>| one.since.is_none() && meant(one).is_none();
    mapping(a) == mapping(b) && is_foreign(a) && is_foreign(b)
}

/// Whether it is one slip in several items of lists: `env[0].valueFrom.secretRef`, `env[1].valueFrom.secretRef`.
fn is_again(a: &UnknownField<'_>, b: &UnknownField<'_>) -> bool {
    let name = |one: &UnknownField<'_>| meant(one).map(|(_, name)| name);
    name(a).is_some()
        && name(a) == name(b)
        && without_indexes(&a.path) == without_indexes(&b.path)
        && (a.since.is_none() && b.since.is_none())
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
    let finding = match emptied(group[0]) {
        Some(key) => finding.help(format!("indent {keys} below `{key}`, which is empty")),
        None => finding,
    };
    let finding = if is_put_there(job, group[0]) { finding.at_call() } else { finding };
    let others = group[1..].iter();
    others.fold(finding, |finding, one| finding.label(one.entry.key_span, label(one)))
}

/// The field of the same mapping that takes any keys and has none, right above an unknown field: `labels:`.
fn emptied<'a>(unknown: &UnknownField<'a>) -> Option<&'a str> {
    let parent = unknown.ancestors.last()?;
    let mut above = parent.node.entries().iter();
    let above = above.rfind(|one| one.key_span.end <= unknown.entry.key_span.start)?;
    let takes_keys = matches!(&*above.key, "labels" | "annotations");
    (takes_keys && above.value.is_null()).then_some(&*above.key)
}

/// Whether a helper prints a field into a mapping whose key it does not print.
fn is_put_there(job: &Subject<'_>, unknown: &UnknownField<'_>) -> bool {
    let Some(origin) = job.source.origin.as_deref() else { return false };
    let [.., outer, parent] = unknown.ancestors.as_slice() else { return false };
    let mut entries = outer.node.entries().iter();
    let key = entries.find(|one| one.value.span == parent.node.span).map(|one| one.key_span);
    let call = |span| origin.call(span).map(|at| (at.source.path.clone(), at.span));
    key.is_some_and(|key| call(unknown.entry.key_span) != call(key))
}

/// The finding about a field, and about others of the same name in other items.
fn finding(job: &Subject<'_>, group: &[&UnknownField<'_>]) -> Finding {
    let (unknown, others) = (group[0], &group[1..]);
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
    let Some((_, meant)) = meant(unknown) else {
        let message = format!("{} has an unknown field: `{path}`", job.title());
        let finding = Finding::new(key, format!("unknown field `{path}`")).message(message);
        return finding.help(format!("remove `{path}`, or correct its name"));
    };
    let label = format!("unknown field `{path}`, did you mean `{meant}`?");
    let shown = if others.is_empty() { path.to_string() } else { without_indexes(path) };
    let message =
        format!("{} has an unknown field: `{shown}`, did you mean `{meant}`?", job.title());
    let title = format!("rename it to `{meant}`");
    let finding = Finding::new(key, label).message(message).help(&title);
    let finding = others.iter().fold(finding, |finding, one| {
        finding.label(one.entry.key_span, format!("unknown field `{}`", one.path))
    });
    let is_free = |one: &&UnknownField<'_>| {
        let parent = one.ancestors.last();
        parent.is_some_and(|parent| parent.node.entry(meant).is_none())
    };
    if !job.source.can_be_edited() || !group.iter().all(is_free) {
        return finding;
    }
    let edits = group.iter().map(|one| fix::rename(job.source, one.entry, meant)).collect();
    finding.fix_all(title, Applicability::Unsafe, edits)
}
