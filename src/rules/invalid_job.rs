use crate::{
    finding::Finding,
    kubernetes::{Cause, schema::Misfit, validate},
    workload::Workload,
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    // What the server cannot decode it does not validate.
    if !job.misfits().iter().any(|misfit| matches!(misfit, Misfit::Wrong(_))) {
        found.extend(validate::job(job).into_iter().map(finding));
    }
}

/// A finding in the server's own words.
pub(super) fn finding(cause: Cause) -> Finding {
    let finding = Finding::new(cause.span, cause.words);
    match cause.help {
        Some(help) => finding.help(help),
        None => finding,
    }
}
