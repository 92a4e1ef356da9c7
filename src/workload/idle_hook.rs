//! Objects with a delete policy for hooks that are not hooks.

use job_lifecycle::{
    Object,
    annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, HELM_DELETE_POLICY, HELM_HOOK},
};
use yaml_spans::Entry;

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
