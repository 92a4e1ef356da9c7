use job_lifecycle::annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, HELM_DELETE_POLICY, HELM_HOOK};
use yaml_spans::{Entry, Node};

use super::{Check, Rule};
use crate::{finding::Finding, workload::Subject};

pub(crate) static RULE: Rule = Rule::new(
    "hook-on-pod-template",
    include_str!("../../rules/hook-on-pod-template.yaml"),
    Check::Workload(check),
);

/// Annotations that deployers read from the object itself, the one that makes it a hook first.
const OF_OBJECTS: [&str; 4] = [HELM_HOOK, ARGO_HOOK, HELM_DELETE_POLICY, ARGO_DELETE_POLICY];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    // An object that repeats its annotations on its pods is a hook all the same.
    if job.object.is_annotated_hook() {
        return;
    }
    let template = job.template.at(&["metadata", "annotations"]);
    let cron = job.object.root.at(&["spec", "jobTemplate", "metadata", "annotations"]);
    let Some(entry) = cron.and_then(misplaced).or_else(|| template.and_then(misplaced)) else {
        return;
    };
    let (kind, name, key) = (job.object.kind(), job.object.display_name(), &entry.key);
    let label = format!("has no effect here: deployers read it from the metadata of the {kind}");
    let headline = match [HELM_HOOK, ARGO_HOOK].contains(&&**key) {
        true => format!("{kind} `{name}` does not run as a hook: `{key}` is on its pod template"),
        false => format!("{kind} `{name}` is not deleted: `{key}` is on its pod template"),
    };
    found.push(Finding::new(entry.key_span, label).message(headline));
}

fn misplaced(annotations: &Node) -> Option<&Entry> {
    OF_OBJECTS.iter().find_map(|key| annotations.entry(key))
}
