use job_lifecycle::kubernetes::validate;

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule =
    Rule::new("invalid-job", include_str!("../../rules/invalid-job.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    found.extend(validate::job(job, job.mismatches()).into_iter().map(Finding::from));
}
