use job_lifecycle::{kubernetes::validate, workload::Kind};

use super::{Check, Rule, rejected};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "invalid-cronjob",
    include_str!("../../rules/invalid-cronjob.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind == Kind::CronJob {
        found.extend(
            validate::cron_job(job, job.mismatches(), job.context.kubernetes)
                .into_iter()
                .map(|error| rejected::by_server(job, error)),
        );
    }
}
