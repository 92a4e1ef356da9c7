use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "cronjob-history",
    include_str!("../../rules/cronjob-history.yaml"),
    Check::Workload(check),
);

/// The history limits with their defaults.
const LIMITS: [(&str, i64); 2] = [("successfulJobsHistoryLimit", 3), ("failedJobsHistoryLimit", 1)];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(cron) = job.cron() else { return };
    let most = RULE.integer(job.context.policy, "most");
    let mut unset = Vec::new();
    for (field, default) in LIMITS {
        match cron.set(field) {
            Some(value) if value.as_int().is_some_and(|limit| limit > most) => {
                let kept = value.as_int().unwrap_or_default();
                let label = format!("keeps {kept} finished Jobs with their pods, more than {most}");
                let message = format!("{} keeps {kept} finished Jobs with their pods", job.title());
                found.push(Finding::new(value.span, label).message(message));
            }
            Some(_) => {}
            None => unset.push(format!("`{field}` defaults to {default}")),
        }
    }
    // With a TTL, `ttl-in-cronjob` reports the limits.
    if unset.is_empty() || job.ttl().is_some() {
        return;
    }
    if let Some(key) = job.object.deepest_key(&["spec"]) {
        let unset = unset.join(", ");
        let message = format!("{} does not say how many finished Jobs to keep", job.title());
        found.push(Finding::new(key, unset).message(message));
    }
}
