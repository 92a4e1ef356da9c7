use super::{Check, Rule};
use crate::{
    finding::Finding,
    workload::{DEADLINE, Subject},
};

pub(crate) static RULE: Rule =
    Rule::new("no-deadline", include_str!("../../rules/no-deadline.yaml"), Check::Workload(check));

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // A deadline on the pod at least ends a stuck pod, and `unbounded-wait` reports a wait at its command.
    if job.has_deadline() || job.waits_without_limit() {
        return;
    }
    let Some(key) = job.job_key() else { return };
    let label =
        format!("no `{DEADLINE}`: a pod that cannot start or end keeps the Job running for ever");
    let message = format!("{} runs forever if its pod cannot start or end", job.title());
    found.push(Finding::new(key, label).message(message));
}
