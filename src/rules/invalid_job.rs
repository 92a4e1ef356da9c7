use crate::{
    finding::Finding,
    kubernetes::{Cause, validate},
    workload::Workload,
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
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
