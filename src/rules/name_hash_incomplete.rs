use super::{Check, Rule, refused};
use crate::{
    finding::{Finding, Severity},
    release_changes::{is_part, listed},
    workload::{Kind, Why, Workload},
};

pub static RULE: Rule = Rule::new(
    "name-hash-incomplete",
    include_str!("../../rules/name-hash-incomplete.yaml"),
    Check::Workload(check),
);

fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    let refusals = job.refusals();
    match refused::finding(job, &refusals, Why::Incomplete) {
        Some(finding) => found.push(finding),
        None if refusals.is_empty() => found.extend(settled(job)),
        None => {}
    }
}

/// Values that people do not raise with a version reach the pod template and not the name: the next edit of
/// them alone is rejected, unless every deploy makes another name.
fn settled(job: &Workload<'_>) -> Option<Finding> {
    let churn = job.object.churn.as_deref().filter(|_| job.kind == Kind::Job)?;
    let mut patching = job.applying(job.object).filter(|one| {
        let own = churn.under(one);
        job.is_patched(one) && own.is_renamed() && !own.render.name && !own.upgrade.gone
    });
    patching.next().filter(|_| job.ttl().is_none())?;
    let name = job.object.root.at(&["metadata", "name"])?;
    let of_name = job.source.origin.as_ref()?.inputs(name.span);
    let is_rest = |value: &&String| !of_name.iter().any(|own| is_part(value, own));
    let rest: Vec<_> = churn.settled.iter().filter(is_rest).cloned().collect();
    let label = format!("does not change with {}", listed(&rest));
    let finding = refused::of_name(job, label).filter(|_| !rest.is_empty())?;
    let finding = finding.severity(Severity::Info).pedantic();
    Some(finding.message("an edit of these values alone will be rejected"))
}
