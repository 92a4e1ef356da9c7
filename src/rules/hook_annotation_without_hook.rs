use job_lifecycle::{
    Object, Tool,
    annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, HELM_DELETE_POLICY, HELM_HOOK, HELM_WEIGHT},
    workload::kind_of,
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-annotation-without-hook",
    include_str!("../../rules/hook-annotation-without-hook.yaml"),
    Check::Object(check),
);

/// Annotations that have an effect on hooks only, the worst first.
const OF_HOOKS: [&str; 3] = [HELM_DELETE_POLICY, ARGO_DELETE_POLICY, HELM_WEIGHT];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    // A weight on other objects is left over more often than it is believed in.
    if is_hook(object) || kind_of(object).is_none() && !has_policy(object) {
        return;
    }
    // Argo CD reads the weight as the sync wave of any object (gitops-engine `syncwaves.Wave`).
    if !has_policy(object) && context.tools().contains(&Tool::Argocd) {
        return;
    }
    let Some(entry) = OF_HOOKS.iter().find_map(|key| object.annotation(key)) else { return };
    let (kind, name) = (object.kind(), object.display_name());
    let key = &entry.key;
    let finding = match has_policy(object) {
        true if entry.value.as_str() == Some("keep") => {
            Finding::new(entry.key_span, "keeps nothing: no delete policy is called `keep`")
                .message(format!(
                    "the release takes {kind} `{name}` away: `{key}: keep` has no effect"
                ))
                .help("Write `helm.sh/resource-policy: keep`")
        }
        true => Finding::new(entry.key_span, format!("deletes nothing: the {kind} is not a hook"))
            .message(format!("{kind} `{name}` is not a hook and stays: `{key}` has no effect")),
        false => Finding::new(entry.key_span, format!("orders nothing: the {kind} is not a hook"))
            .message(format!("{kind} `{name}` is not a hook: `{key}` has no effect"))
            .severity(Severity::Info)
            .help(format!("Add `{HELM_HOOK}` with its events, or remove the annotation")),
    };
    found.push(finding);
}

/// True when the object has a delete policy for hooks and is not a hook.
pub(super) fn has_policy(object: &Object) -> bool {
    let stated = [HELM_DELETE_POLICY, ARGO_DELETE_POLICY];
    !is_hook(object) && stated.iter().any(|key| object.annotation(key).is_some())
}

fn is_hook(object: &Object) -> bool {
    [HELM_HOOK, ARGO_HOOK].iter().any(|key| object.annotation(key).is_some())
}
