use job_lifecycle::{Tool, workload::Kind};

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-without-deadline",
    include_str!("../../rules/hook-without-deadline.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let limited = [job.job, job.pod].iter().any(|part| part.set("activeDeadlineSeconds").is_some());
    if limited || job.kind != Kind::Job {
        return;
    }
    // `unbounded-wait` reports the same missing deadline, with the loop that needs it.
    if job.waits_without_limit() {
        return;
    }
    let context = job.context;
    let verdicts = context.judge(|deployer| {
        let hook = job.hook(deployer);
        let waits = deployer.tool == Tool::Argocd && hook.is_some();
        waits.then(|| (Severity::Info, "waits for it without end".to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    if let Some(span) = job.job_key() {
        let label = "no activeDeadlineSeconds: if its pod cannot start, the sync never ends";
        let message = format!("Argo CD waits forever for {} if its pod cannot start", job.title());
        found.push(Finding::new(span, label).message(message).deployers(verdicts));
    }
}
