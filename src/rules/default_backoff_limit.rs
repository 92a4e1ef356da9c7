use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "default-backoff-limit",
    include_str!("../../rules/default-backoff-limit.yaml"),
    Check::Workload(check),
);

const FIELD: &str = "backoffLimit";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // With `backoffLimitPerIndex`, `backoffLimit` defaults to 2147483647 on purpose.
    let set = [FIELD, "backoffLimitPerIndex"].iter().any(|field| job.job.set(field).is_some());
    if set || job.is_elsewhere(FIELD) {
        return;
    }
    // Where a second run does harm, `not-idempotent` and `destroys-data` count the retries.
    if job.is_idempotent() == Some(false) {
        return;
    }
    let Some(key) = job.job_key() else { return };
    let policy = job.pod.get("restartPolicy").and_then(|policy| policy.as_str());
    let label = match policy {
        Some("OnFailure") => "`backoffLimit` is missing and defaults to 6 restarts",
        _ => "`backoffLimit` is missing and defaults to 6 retries: up to 7 runs",
    };
    let message = format!("{} is retried up to 6 times after a failure", job.title());
    found.push(Finding::new(key, label).message(message));
}
