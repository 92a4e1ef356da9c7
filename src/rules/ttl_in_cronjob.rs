use yaml_spans::Node;

use super::{Check, Rule};
use crate::{finding::Finding, words::duration, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "ttl-in-cronjob",
    include_str!("../../rules/ttl-in-cronjob.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let (Some(cron), Some(ttl)) = (job.cron(), job.ttl()) else { return };
    let Some(time) = ttl.value.as_int().map(duration) else { return };
    // Defaults of CronJobSpec: the last 3 successful Jobs and the last failed one.
    let limit = |key, default| cron.get(key).and_then(Node::as_int).unwrap_or(default);
    let kept = (limit("successfulJobsHistoryLimit", 3), limit("failedJobsHistoryLimit", 1));
    let label = format!(
        "removes every Job after {time}, also the {} successful and {} failed that the history keeps",
        kept.0, kept.1
    );
    let message = format!("{} loses its history {time} after each run", job.title());
    found.push(Finding::new(ttl.key_span.to(ttl.value.span), label).message(message));
}
