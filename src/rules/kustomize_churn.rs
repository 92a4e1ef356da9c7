use job_lifecycle::release_changes::Difference;

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    unit::UnitKind,
    words::listed,
    workload::{Rejection, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "kustomize-churn",
    include_str!("../../rules/kustomize-churn.yaml"),
    Check::Workload(check),
);

/// The number of further inputs that get a label.
const MAX_LABELS: usize = 3;

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.context.kind != UnitKind::Overlay {
        return;
    }
    let rejections = job.rejections();
    let worst = rejections.iter().max_by_key(|rejection| rejection.severity);
    found.extend(worst.and_then(|worst| finding(job, worst, &rejections)));
}

/// A finding at the input that changes the Job.
fn finding(job: &Subject<'_>, worst: &Rejection<'_>, all: &[Rejection<'_>]) -> Option<Finding> {
    let differences = worst.differences();
    let first = differences.first()?;
    let at = first.at.as_ref()?;
    let (name, node) = (job.object.name()?, job.object.root.at(&["metadata", "name"])?);
    let mut finding = Finding::new_in(&at.source, at.span, changes(first))
        .message(format!(
            "next change of {} will be rejected: pod template of {} changes, its name does not",
            listed(&first.inputs),
            job.title()
        ))
        .label(node.span, format!("`{name}` stays the same"))
        .deployers(all.iter().map(Rejection::verdict).collect())
        .explained();
    // Whoever edits the image of a Job in its own file can see its name, and the TTL soon makes room.
    let edits = differences.iter().all(|one| one.inputs == ["image"]);
    if edits && worst.severity == Severity::Info {
        finding = finding.pedantic();
    }
    for other in differences.iter().skip(1).take(MAX_LABELS) {
        if let Some(at) = &other.at {
            finding = finding.label_in(&at.source, at.span, changes(other));
        }
    }
    Some(finding)
}

/// For example: `app:1.4.2` becomes `app:1.4.3` in `spec.template.spec.containers[0].image`.
fn changes(difference: &Difference) -> String {
    let path = &difference.path;
    match (&difference.old, &difference.new) {
        (Some(old), Some(new)) if old != new => format!("`{old}` becomes `{new}` in `{path}`"),
        _ => format!("changes `{path}`"),
    }
}
