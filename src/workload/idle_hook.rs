//! Objects with annotations for hooks that are not hooks.

use job_lifecycle::{
    Object, Tool,
    annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, HELM_DELETE_POLICY, HELM_HOOK, HELM_WEIGHT},
    workload::kind_of,
};
use yaml_spans::Entry;

use crate::context::Context;

/// The annotation for hooks of an object that is not a hook: its delete policy, else the weight of a Job or CronJob. On
/// other objects, a weight is left over more often than it is believed in.
pub(crate) fn annotation<'a>(object: &'a Object, context: &Context<'_>) -> Option<&'a Entry> {
    // Argo CD reads the weight as the sync wave of any object (gitops-engine `syncwaves.Wave`).
    let is_wave = context.tools().contains(&Tool::Argocd);
    let is_meant = kind_of(object).is_some() && !is_hook(object) && !is_wave;
    let weight = || object.annotation(HELM_WEIGHT).filter(|_| is_meant);
    policy(object).or_else(weight)
}

/// The delete policy for hooks of an object, hook or not.
pub(crate) fn stated_policy(object: &Object) -> Option<&Entry> {
    [HELM_DELETE_POLICY, ARGO_DELETE_POLICY].iter().find_map(|key| object.annotation(key))
}

/// The delete policy for hooks of an object that is not a hook.
pub(crate) fn policy(object: &Object) -> Option<&Entry> {
    stated_policy(object).filter(|_| !is_hook(object))
}

/// True when the object has a delete policy for hooks and is not a hook.
pub(crate) fn has_policy(object: &Object) -> bool {
    policy(object).is_some()
}

pub(crate) fn is_hook(object: &Object) -> bool {
    [HELM_HOOK, ARGO_HOOK].iter().any(|key| object.annotation(key).is_some())
}
