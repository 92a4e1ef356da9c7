use shell_effects as script;

use super::{Check, Rule};
use crate::{command::Command, finding::Finding, workload::Subject};

pub(crate) static RULE: Rule =
    Rule::new("no-deadline", include_str!("../../rules/no-deadline.yaml"), Check::Workload(check));

const FIELD: &str = "activeDeadlineSeconds";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // A deadline on the pod at least ends a stuck pod.
    if job.job.set(FIELD).is_some() || job.is_elsewhere(FIELD) {
        return;
    }
    // `unbounded-wait` reports it at the command that waits.
    let waits = |command: &Command<'_>| !script::unbounded_waits(&command.analysis).is_empty();
    if job.commands().iter().any(waits) {
        return;
    }
    let Some(key) = job.job_key() else { return };
    let label =
        format!("no `{FIELD}`: a pod that cannot start or end keeps the Job running for ever");
    let message = format!("{} runs forever if its pod cannot start or end", job.title());
    found.push(Finding::new(key, label).message(message));
}
