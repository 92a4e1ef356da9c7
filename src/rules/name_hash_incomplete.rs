use job_lifecycle::workload::Kind;

use super::{Check, Rule, rejected};
use crate::{
    finding::{Finding, Severity},
    release_changes::is_part,
    words::listed,
    workload::{Subject, Why},
};

pub(crate) static RULE: Rule = Rule::new(
    "name-hash-incomplete",
    include_str!("../../rules/name-hash-incomplete.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let rejections = job.rejections();
    match rejected::finding(job, &rejections, Why::Incomplete) {
        Some(finding) => found.push(finding),
        None if rejections.is_empty() => found.extend(settled(job)),
        None => {}
    }
}

/// The finding about values that versions rarely change and that reach the pod template but not the name: the next
/// edit of these values alone is rejected, unless every deploy changes the name.
fn settled(job: &Subject<'_>) -> Option<Finding> {
    let changes = job.changes.filter(|_| job.kind == Kind::Job)?;
    let mut patching = job.applying().filter(|one| {
        let own = changes.under(one);
        job.is_patched(one) && own.is_renamed() && !own.render.name && !own.upgrade.gone
    });
    patching.next().filter(|_| job.ttl().is_none())?;
    let name = job.object.root.at(&["metadata", "name"])?;
    let of_name = job.source.origin.as_ref()?.inputs(name.span);
    let is_rest = |value: &&String| !of_name.iter().any(|own| is_part(value, own));
    let rest: Vec<_> = changes.settled.iter().filter(is_rest).cloned().collect();
    let label = format!("does not change with {}", listed(&rest));
    let finding = rejected::name_finding(job, label).filter(|_| !rest.is_empty())?;
    let finding = finding.severity(Severity::Info).pedantic();
    let message = format!(
        "an edit of {} alone will be rejected: {} keeps its name",
        listed(&rest),
        job.title()
    );
    Some(finding.message(message))
}
