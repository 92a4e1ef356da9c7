use job_lifecycle::workload::Kind;

use super::{Check, Rule, rejected};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "name-hash-truncated",
    include_str!("../../rules/name-hash-truncated.yaml"),
    Check::Workload(check),
);

/// Shorter release names are common.
const USUAL: usize = 40;

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let changes = job.changes.filter(|_| job.kind == Kind::Job);
    let Some(length) = changes.and_then(|changes| changes.cut_at) else { return };
    if !job.applying().any(|deployer| job.is_patched(deployer)) {
        return;
    }
    let label = format!(
        "a release name of {length} characters or more leaves nothing of the part that changes"
    );
    let is_usual = length < USUAL;
    let severity = if is_usual { Severity::Error } else { Severity::Warning };
    let message = format!(
        "{} keeps its name, and upgrades fail, if the release name has {length} characters",
        job.title()
    );
    let Some(finding) = rejected::name_finding(job, label) else { return };
    let finding = finding.message(message).severity(severity);
    // A GitOps object states the name of the release, which is shorter.
    let is_possible = is_usual && job.context.deployments.is_empty();
    found.push(if is_possible { finding } else { finding.pedantic() });
}
