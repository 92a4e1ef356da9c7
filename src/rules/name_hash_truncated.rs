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
    let severity = if length < USUAL { Severity::Error } else { Severity::Warning };
    let message = format!(
        "{} keeps its name, and upgrades fail, if the release name has {length} characters",
        job.title()
    );
    let finding = rejected::name_finding(job, label);
    found.extend(finding.map(|finding| finding.message(message).severity(severity)));
}
