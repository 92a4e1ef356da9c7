use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "logs-lost-on-failure",
    include_str!("../../rules/logs-lost-on-failure.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let policy = job.pod.get("restartPolicy").filter(|node| node.as_str() == Some("OnFailure"));
    if let Some(policy) = policy {
        let label = "the pod is deleted, with its logs, when the Job fails for good";
        found.push(Finding::new(policy.span, label).help("use `restartPolicy: Never`"));
    }
    if let Some(ttl) = job.ttl().filter(|ttl| ttl.value.as_int() == Some(0)) {
        let label = "the Job is deleted, with its pods and logs, as soon as it has finished";
        let help = "leave time to read them: `ttlSecondsAfterFinished: 3600`";
        found.push(Finding::new(ttl.value.span, label).help(help));
    }
}
