use job_lifecycle::kubernetes::is_placeholder;

use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding},
    fix,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "restart-policy-always",
    include_str!("../../rules/restart-policy-always.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let message = format!(
        "API server will reject {}: `restartPolicy` must be `Never` or `OnFailure`",
        job.title()
    );
    let Some(policy) = job.pod.get("restartPolicy") else {
        // Without a pod spec, `invalid-job` reports the missing containers.
        let Some(spec) = job.pod_key() else { return };
        let finding = Finding::new(spec, "restartPolicy is missing and defaults to `Always`")
            .message(message);
        let edit = fix::insert_first(job.source, job.pod, "restartPolicy", "Never");
        found.push(finding.fix_if("add `restartPolicy: Never`", Applicability::Unsafe, edit));
        return;
    };
    if policy.as_str().is_some_and(|p| !matches!(p, "Never" | "OnFailure") && !is_placeholder(p)) {
        let finding = Finding::new(policy.span, "must be `Never` or `OnFailure`").message(message);
        let edit = fix::replace_string(job.source, policy, "Never");
        found.push(finding.fix("use `Never`", Applicability::Unsafe, edit));
    }
}
