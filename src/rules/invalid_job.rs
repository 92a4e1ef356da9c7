use job_lifecycle::kubernetes::{FieldError, validate};

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub static RULE: Rule =
    Rule::new("invalid-job", include_str!("../../rules/invalid-job.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    found.extend(validate::job(job, job.mismatches()).into_iter().map(finding));
}

/// A finding in the server's own words.
pub(super) fn finding(error: FieldError) -> Finding {
    let finding = Finding::new(error.span, error.message);
    match error.help {
        Some(help) => finding.help(help),
        None => finding,
    }
}
