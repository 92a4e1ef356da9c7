use job_lifecycle::kubernetes::{Cause, validate};

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub static RULE: Rule =
    Rule::new("invalid-job", include_str!("../../rules/invalid-job.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    found.extend(validate::job(job, job.misfits()).into_iter().map(finding));
}

/// A finding in the server's own words.
pub(super) fn finding(cause: Cause) -> Finding {
    let finding = Finding::new(cause.span, cause.words);
    match cause.help {
        Some(help) => finding.help(help),
        None => finding,
    }
}
