use super::{Check, Rule};
use crate::{
    finding::Finding,
    kubernetes::{Cause, validate},
    workload::Workload,
};

pub static RULE: Rule =
    Rule::new("invalid-job", include_str!("../../rules/invalid-job.yaml"), Check::Workload(check));

fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    found.extend(validate::job(job).into_iter().map(finding));
}

/// A finding in the server's own words.
pub(super) fn finding(cause: Cause) -> Finding {
    let finding = Finding::new(cause.span, cause.words);
    match cause.help {
        Some(help) => finding.help(help),
        None => finding,
    }
}
