use crate::{
    finding::Finding,
    kubernetes::{schema::Misfit, validate},
    workload::{Kind, Workload},
};

pub(super) fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    let decodes = || !job.misfits().iter().any(|misfit| matches!(misfit, Misfit::Wrong(_)));
    if job.kind == Kind::CronJob && decodes() {
        let causes = validate::cron_job(job).into_iter();
        found.extend(causes.map(super::invalid_job::finding));
    }
}
