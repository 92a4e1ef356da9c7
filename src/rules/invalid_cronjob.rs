use crate::{
    finding::Finding,
    kubernetes::validate,
    workload::{Kind, Workload},
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    if job.kind == Kind::CronJob {
        found.extend(validate::cron_job(job).into_iter().map(super::invalid_job::finding));
    }
}
