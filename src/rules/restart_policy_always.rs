use job_lifecycle::kubernetes::is_placeholder;
use yaml_spans::{Entry, Node, Span};

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

/// What is said of a pod without a policy.
pub(crate) const MISSING: &str = "restartPolicy is missing and defaults to `Always`";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let message = format!(
        "API server will reject {}: `restartPolicy` must be `Never` or `OnFailure`",
        job.title()
    );
    let Some(policy) = job.pod.get("restartPolicy") else {
        // Without a pod spec, `invalid-job` reports the missing containers.
        let Some(spec) = job.pod_key() else { return };
        found.push(match in_container(job) {
            Some((container, entry)) => misplaced(job, spec, (container, entry)),
            None => {
                let edit = fix::insert_first(job.source, job.pod, "restartPolicy", "Never");
                let finding = Finding::new(spec, MISSING).message(message);
                finding.fix_if("add `restartPolicy: Never`", Applicability::Unsafe, edit)
            }
        });
        return;
    };
    if policy.as_str().is_some_and(|p| !matches!(p, "Never" | "OnFailure") && !is_placeholder(p)) {
        let finding = Finding::new(policy.span, "must be `Never` or `OnFailure`").message(message);
        let edit = fix::replace_string(job.source, policy, "Never");
        found.push(finding.fix("use `Never`", Applicability::Unsafe, edit));
    }
}

/// The container that has the policy of the pod.
fn in_container<'a>(job: &Subject<'a>) -> Option<(&'a Node, &'a Entry)> {
    let mut containers = job.containers().iter();
    containers.find_map(|container| Some((container, container.entry("restartPolicy")?)))
}

/// The finding about a policy that stands in a container.
fn misplaced(job: &Subject<'_>, pod: Span, (container, entry): (&Node, &Entry)) -> Finding {
    let name = container.get("name").and_then(Node::as_str).unwrap_or_default();
    let message = format!(
        "API server will reject {}: `restartPolicy` stands in container `{name}`, and the pod has none",
        job.title()
    );
    let finding = Finding::new(pod, "the pod has no restartPolicy, which defaults to `Always`")
        .message(message)
        .label(entry.key_span.to(entry.value.span), "of the container alone")
        .help("Move `restartPolicy` to the pod, beside `containers`");
    let policy = entry.value.as_str().filter(|policy| matches!(*policy, "Never" | "OnFailure"));
    match policy.and_then(|_| fix::relocate(job.source, container, entry, job.pod)) {
        Some(edits) => finding.fix_all("move it to the pod", Applicability::Unsafe, edits),
        None => finding,
    }
}
