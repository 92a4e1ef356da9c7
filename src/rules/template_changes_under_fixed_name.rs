use super::refused;
use crate::{
    finding::{Finding, Severity},
    workload::{Kind, Why, Workload},
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    let refusals = job.refusals();
    match refused::finding(job, &refusals, Why::Fixed) {
        Some(finding) => found.push(finding),
        None if refusals.is_empty() => found.extend(edited(job)),
        None => {}
    }
}

/// Nothing that comes with a release changes it: then somebody will edit it. Under Argo CD, Flux and Fleet
/// `unreplaceable-job` says so.
fn edited(job: &Workload<'_>) -> Option<Finding> {
    let churn = job.object.churn.as_deref().filter(|_| job.kind == Kind::Job)?;
    let mut patching =
        job.applying(job.object).filter(|deployer| job.is_patched(deployer)).peekable();
    patching.peek()?;
    if churn.is_renamed() || job.ttl().is_some() || patching.any(|one| one.tool.is_gitops()) {
        return None;
    }
    let name = job.object.name()?;
    let key = job.object.deepest_key(job.template_path)?;
    let values: Vec<_> = churn.settled.iter().take(3).map(|name| format!("`{name}`")).collect();
    let more = churn.settled.len().saturating_sub(values.len());
    let label = match (values.is_empty(), more) {
        (true, _) => format!("cannot change while the Job is called `{name}`"),
        (_, 0) => format!("depends on {}, and `{name}` does not", values.join(", ")),
        _ => format!(
            "depends on {} and {more} more values, and `{name}` does not",
            values.join(", ")
        ),
    };
    let finding = Finding::new(key, label).severity(Severity::Info).pedantic();
    Some(finding.message("the next edit of this pod template will be rejected"))
}
