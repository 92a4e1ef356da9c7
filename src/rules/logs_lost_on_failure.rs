use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "logs-lost-on-failure",
    include_str!("../../rules/logs-lost-on-failure.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let policy = job.pod.get("restartPolicy").filter(|node| node.as_str() == Some("OnFailure"));
    if let Some(policy) = policy {
        let label = "the pod is deleted, with its logs, when the Job fails for good";
        let message = format!("the logs of {} are lost when it fails for good", job.title());
        let finding = Finding::new(policy.span, label).message(message);
        let edit = fix::replace_string(job.source, policy, "Never");
        let edit = Some(edit).filter(|_| job.source.can_be_edited());
        let title = "use `restartPolicy: Never`";
        found.push(finding.help(title).fix_if(title, Applicability::Unsafe, edit));
    }
    if let Some(ttl) = job.ttl().filter(|ttl| ttl.value.as_int() == Some(0)) {
        let label = "the Job is deleted, with its pods and logs, as soon as it has finished";
        let help = "Set `ttlSecondsAfterFinished: 3600`, which leaves time to read them";
        let message = format!("the logs of {} are lost as soon as it finishes", job.title());
        let finding = Finding::new(ttl.value.span, label).message(message).help(help);
        let edit = Some(fix::replace(&ttl.value, "3600")).filter(|_| job.source.can_be_edited());
        let title = "set `ttlSecondsAfterFinished: 3600`";
        found.push(finding.fix_if(title, Applicability::Unsafe, edit));
    }
}
