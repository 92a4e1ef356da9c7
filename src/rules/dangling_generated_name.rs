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
    let message = format!(
        "{} waits for {kind} `{name}`, which exists only with a hash in its name",
        job.title()
    );
    let finding = Finding::new(span, label).message(message);
    Some(finding.label_in(&generated.at.source, generated.at.span, "generated with a hash here"))
}

/// The generated object that a reference means: one of this kustomization, else one of another kustomization in the
/// same namespace, if both state it.
fn meant<'a>(job: &'a Subject<'_>, reference: &Reference<'_>) -> Option<&'a Generated> {
    let fits = |one: &&Generated| {
        one.kind == reference.kind && one.plain_names.iter().any(|name| name == reference.name)
    };
    let namespace = job.object.namespace();
    let is_near = |one: &&Generated| {
        let is_here = namespace.is_some() && one.namespace.as_deref() == namespace;
        !one.is_elsewhere || is_here
    };
    job.context.generated.iter().filter(fits).find(is_near)
}
