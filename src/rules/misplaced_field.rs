use job_lifecycle::kubernetes::schema::{CorrectParent, Mismatch, UnknownField, correct_parent};

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "misplaced-field",
    include_str!("../../rules/misplaced-field.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    for mismatch in job.mismatches() {
        let Mismatch::UnknownField(unknown) = mismatch else { continue };
        if unknown.since.is_none()
            && let Some(parent) = correct_parent(job, unknown)
        {
            found.push(finding(job, unknown, &parent).deployers(job.context.unknown_field()));
        }
    }
}

fn finding(job: &Subject<'_>, unknown: &UnknownField<'_>, parent: &CorrectParent<'_>) -> Finding {
    let (key, span) = (&unknown.entry.key, unknown.entry.key_span);
    let Some(path) = &parent.path else {
        let label = format!("`{key}` is a field of a CronJob, a Job has none");
        let message = format!("{} cannot have `{key}`, a field of CronJobs", job.title());
        let finding = Finding::new(span, label).message(message);
        return finding.help(format!("remove `{key}`, or make this a CronJob"));
    };
    let at = if path.is_empty() { "the top level".to_owned() } else { format!("`{path}`") };
    let label = format!("`{key}` belongs to {at}, not to `{}`", unknown.parent_path());
    let message = format!("`{key}` of {} is in the wrong place: it belongs to {at}", job.title());
    let finding = Finding::new(span, label).message(message).help(format!("move `{key}` to {at}"));
    let from = unknown.ancestors.last().filter(|_| !unknown.entry.merged);
    let edits = from
        .zip(parent.node)
        .and_then(|(from, to)| fix::relocate(job.source, from.node, unknown.entry, to));
    match edits {
        Some(edits) => finding.fix_all(format!("move it to {at}"), Applicability::Unsafe, edits),
        None => finding,
    }
}
