use job_lifecycle::{kubernetes::validate, workload::Kind};
use yaml_spans::Node;

use super::{Check, Rule, rejected};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "invalid-cronjob",
    include_str!("../../rules/invalid-cronjob.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.kind != Kind::CronJob {
        return;
    }
    let schedule = job.cron().and_then(|cron| cron.set("schedule"));
    let blank = schedule.and_then(Node::as_str).is_some_and(is_blank);
    let errors = validate::cron_job(job, job.mismatches(), job.context.kubernetes);
    found.extend(errors.into_iter().map(|error| {
        let finding = rejected::by_server(job, error);
        match blank && finding.label.contains("spec.schedule") {
            true => finding.pedantic(),
            false => finding,
        }
    }));
}

/// Whether a schedule is a word in capitals, which somebody replaces: `SCHEDULE`.
fn is_blank(schedule: &str) -> bool {
    schedule.len() > 3 && schedule.chars().all(|c| c.is_ascii_uppercase() || c == '_')
}
