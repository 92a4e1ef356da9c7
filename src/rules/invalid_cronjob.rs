use super::{Check, Rule};
use crate::{
    finding::Finding,
    kubernetes::validate,
    workload::{Kind, Workload},
};

pub static RULE: Rule = Rule::new(
    "invalid-cronjob",
    include_str!("../../rules/invalid-cronjob.yaml"),
    Check::Workload(check),
);

fn check(job: &Workload<'_>, found: &mut Vec<Finding>) {
    if job.kind == Kind::CronJob {
        found.extend(validate::cron_job(job).into_iter().map(super::invalid_job::finding));
    }
}
