use job_lifecycle::{
    Object,
    workload::{Reference, references},
};

use super::{Check, Rule};
use crate::{
    finding::Finding,
    unit::{Generated, UnitKind},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "dangling-generated-name",
    include_str!("../../rules/dangling-generated-name.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.context.kind != UnitKind::Overlay {
        return;
    }
    let dangling = references(job.object).into_iter().filter(|reference| !reference.is_optional);
    found.extend(dangling.filter_map(|reference| finding(job, &reference)));
}

fn finding(job: &Subject<'_>, reference: &Reference<'_>) -> Option<Finding> {
    let Reference { kind, name, span, .. } = *reference;
    let is_named = |object: &Object| object.kind() == kind && object.name() == Some(name);
    if job.context.objects.iter().any(is_named) {
        return None;
    }
    let generated = meant(job, reference)?;
    let of = if generated.is_elsewhere { " of another kustomization" } else { "" };
    let label = format!("there is no {kind} of this name, only `{}`{of}", generated.name);
    let title = job.title();
    let message = match generated.plain_names.iter().any(|plain| plain == name) {
        true => {
            format!("{title} waits for {kind} `{name}`, which exists only with a hash in its name")
        }
        false => {
            format!("{title} waits for {kind} `{name}`, which has another hash in its name now")
        }
    };
    let finding = Finding::new(span, label).message(message);
    Some(finding.label_in(&generated.at.source, generated.at.span, "generated with a hash here"))
}

/// The generated object that a reference means: one of this kustomization, else one of another kustomization in the
/// same namespace, if both state it.
fn meant<'a>(job: &'a Subject<'_>, reference: &Reference<'_>) -> Option<&'a Generated> {
    let fits = |one: &&Generated| {
        let mut plain_names = one.plain_names.iter();
        one.kind == reference.kind && plain_names.any(|name| is_of(reference.name, name))
    };
    let namespace = job.object.namespace();
    let is_near = |one: &&Generated| {
        let is_here = namespace.is_some() && one.namespace.as_deref() == namespace;
        !one.is_elsewhere || is_here
    };
    job.context.generated.iter().filter(fits).find(is_near)
}

/// Whether a name is a plain name, alone or with a hash as kustomize writes it.
fn is_of(name: &str, plain: &str) -> bool {
    let Some(rest) = name.strip_prefix(plain) else { return false };
    let is_hash = |hash: &str| hash.len() == 10 && hash.chars().all(|c| HASH.contains(c));
    rest.is_empty() || rest.strip_prefix('-').is_some_and(is_hash)
}

/// The characters of a hash (kustomize `api/hasher`).
const HASH: &str = "2456789bcdfghkmt";
