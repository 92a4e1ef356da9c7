use job_lifecycle::workload::Kind;

use super::{Check, Rule, refused};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub static RULE: Rule = Rule::new(
    "name-hash-truncated",
    include_str!("../../rules/name-hash-truncated.yaml"),
    Check::Workload(check),
);

/// Releases with shorter names are everywhere.
const USUAL: usize = 40;

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let changes = job.changes.filter(|_| job.kind == Kind::Job);
    let Some(length) = changes.and_then(|changes| changes.cut_at) else { return };
    if !job.context.applying(job.object).any(|deployer| job.is_patched(deployer)) {
        return;
    }
    let label = format!(
        "a release name of {length} characters or more leaves nothing of the part that changes"
    );
    let severity = if length < USUAL { Severity::Error } else { Severity::Warning };
    found.extend(refused::of_name(job, label).map(|finding| finding.severity(severity)));
}
