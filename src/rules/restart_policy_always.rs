use super::{Check, Rule};
use crate::{
    finding::{Applicability, Finding},
    fix,
    workload::Subject,
};

pub static RULE: Rule = Rule::new(
    "restart-policy-always",
    include_str!("../../rules/restart-policy-always.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let Some(policy) = job.pod.get("restartPolicy") else {
        // Without a pod at all, `invalid-job` asks for its containers.
        let Some(spec) = job.pod_key() else { return };
        let finding = Finding::new(spec, "restartPolicy is missing and defaults to `Always`");
        found.push(match fix::insert_first(job.source, job.pod, "restartPolicy", "Never") {
            Some(edit) => finding.fix("add `restartPolicy: Never`", Applicability::Unsafe, edit),
            None => finding,
        });
        return;
    };
    if policy.as_str().is_some_and(|p| !matches!(p, "Never" | "OnFailure")) {
        found.push(Finding::new(policy.span, "must be `Never` or `OnFailure`").fix(
            "use `Never`",
            Applicability::Unsafe,
            fix::replace(policy, "Never"),
        ));
    }
}
