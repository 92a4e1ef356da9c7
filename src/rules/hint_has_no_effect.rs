use job_lifecycle::workload::Kind;
use yaml_spans::{Entry, Node};

use super::{Check, Rule};
use crate::{
    finding::Finding,
    workload::{IDEMPOTENT, REASON, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "hint-has-no-effect",
    include_str!("../../rules/hint-has-no-effect.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let right = match job.kind {
        Kind::Job => "the Job's own `metadata`",
        Kind::CronJob => "the `metadata` of the `jobTemplate`",
    };
    if let Some(pod) = annotation(job.template, IDEMPOTENT) {
        let label = format!(
            "on the pod template nobody reads it, and it cannot be changed; it belongs in {right}"
        );
        let message =
            format!("`{IDEMPOTENT}` of {} has no effect on the pod template", job.title());
        found.push(Finding::new(pod.key_span, label).message(message));
    }
    let own = job.object.annotation(IDEMPOTENT);
    if let Some(own) = own.filter(|_| job.kind == Kind::CronJob) {
        let label = format!("on the CronJob nobody reads it; it belongs in {right}");
        let message = format!("`{IDEMPOTENT}` has no effect on {} itself", job.title());
        found.push(Finding::new(own.key_span, label).message(message));
    }
    let hint = job.hint();
    let text = hint.and_then(|hint| Some((hint, hint.value.as_str()?)));
    if let Some((hint, text)) = text.filter(|(_, text)| !matches!(*text, "true" | "false")) {
        let label = format!("`{text}` is neither `\"true\"` nor `\"false\"`");
        let message = format!("`{IDEMPOTENT}: {text}` of {} has no effect", job.title());
        found.push(Finding::new(hint.value.span, label).message(message));
    }
    let reason = job.object.annotation(REASON).filter(|_| own.is_none() && hint.is_none());
    if let Some(reason) = reason {
        let message = format!("`{REASON}` of {} has no effect by itself", job.title());
        let label = format!("a reason without `{IDEMPOTENT}`");
        found.push(Finding::new(reason.key_span, label).message(message));
    }
}

fn annotation<'a>(part: &'a Node, key: &str) -> Option<&'a Entry> {
    part.at(&["metadata", "annotations"])?.entry(key)
}
