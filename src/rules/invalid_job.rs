use job_lifecycle::kubernetes::validate;

use super::{Check, Rule, misplaced_field, rejected};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule =
    Rule::new("invalid-job", include_str!("../../rules/invalid-job.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    found.extend(
        validate::job(job, job.mismatches())
            .into_iter()
            .filter(|error| !misplaced_field::explains(job, &error.message))
            .map(|error| rejected::by_server(job, error)),
    );
}
