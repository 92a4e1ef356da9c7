use job_lifecycle::kubernetes::schema::{Mismatch, UnknownField, correct_parent};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "unknown-field",
    include_str!("../../rules/unknown-field.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for mismatch in job.mismatches() {
        let Mismatch::UnknownField(unknown) = mismatch else { continue };
        if unknown.since.is_some() || correct_parent(job, unknown).is_none() {
            found.push(finding(job, unknown).deployers(job.context.unknown_field()));
        }
    }
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
    let parent = unknown.ancestors.last().filter(|_| !unknown.entry.merged);
    let meant = parent.and_then(|parent| parent.of.nearest(&unknown.entry.key));
    let Some((parent, meant)) = parent.zip(meant) else {
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
