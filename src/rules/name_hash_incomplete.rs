use job_lifecycle::workload::Kind;

use super::{Check, Rule, refused};
use crate::{
    finding::{Finding, Severity},
    release_changes::is_part,
    words::listed,
    workload::{Subject, Why},
};

pub static RULE: Rule = Rule::new(
    "name-hash-incomplete",
    include_str!("../../rules/name-hash-incomplete.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let refusals = job.rejections();
    match refused::finding(job, &refusals, Why::Incomplete) {
        Some(finding) => found.push(finding),
        None if refusals.is_empty() => found.extend(settled(job)),
        None => {}
    }
}

/// Values that people do not raise with a version reach the pod template and not the name: the next edit of
/// them alone is rejected, unless every deploy makes another name.
fn settled(job: &Subject<'_>) -> Option<Finding> {
    let changes = job.changes.filter(|_| job.kind == Kind::Job)?;
    let mut patching = job.context.applying(job.object).filter(|one| {
        let own = changes.under(one);
        job.is_patched(one) && own.is_renamed() && !own.render.name && !own.upgrade.gone
    });
    patching.next().filter(|_| job.ttl().is_none())?;
    let name = job.object.root.at(&["metadata", "name"])?;
    let of_name = job.source.origin.as_ref()?.inputs(name.span);
    let is_rest = |value: &&String| !of_name.iter().any(|own| is_part(value, own));
    let rest: Vec<_> = changes.settled.iter().filter(is_rest).cloned().collect();
    let label = format!("does not change with {}", listed(&rest));
    let finding = refused::of_name(job, label).filter(|_| !rest.is_empty())?;
    let finding = finding.severity(Severity::Info).pedantic();
    Some(finding.message("an edit of these values alone will be rejected"))
}
