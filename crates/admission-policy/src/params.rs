//! The parameters of a binding, from the tree.

use job_lifecycle::Object;

use crate::{
    binding::{Binding, ParamRef},
    policy::{ParamKind, Policy},
    selector::Label,
    set::PolicySet,
};

/// The parameters that a policy is evaluated with.
pub(crate) enum Params<'a> {
    /// One evaluation for each; `None` is an evaluation without one.
    Found(Vec<Option<&'a Object>>),
    /// They are not in the tree.
    Unknown(String),
}

impl PolicySet {
    /// The parameters of a binding for a request into a namespace.
    pub(crate) fn params(
        &self,
        policy: &Policy,
        binding: Option<&Binding>,
        namespace: Option<&str>,
    ) -> Params<'_> {
        let Some(kind) = &policy.params else { return Params::Found(vec![None]) };
        let Some(binding) = binding else { return Params::Unknown(missing(kind, None)) };
        let Some(reference) = &binding.params else { return Params::Found(vec![None]) };
        let found: Vec<_> =
            self.objects.iter().filter(|one| is_meant(one, kind, reference, namespace)).collect();
        match found.is_empty() {
            // The tree may leave them out: somebody else may create them.
            true => Params::Unknown(missing(kind, reference.name.as_deref())),
            false => Params::Found(found.into_iter().map(Some).collect()),
        }
    }
}

fn missing(kind: &ParamKind, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("params: {} `{name}`", kind.kind),
        None => format!("params: {}", kind.kind),
    }
}

fn is_meant(
    object: &Object,
    kind: &ParamKind,
    reference: &ParamRef,
    namespace: Option<&str>,
) -> bool {
    let label = |key: &str| match object.root.at(&["metadata", "labels", key]) {
        Some(value) => value.as_str().map_or(Label::Unknown, Label::Value),
        None => Label::Absent,
    };
    let wanted = reference.namespace.as_deref().or(namespace);
    let is_near = object.namespace().is_none() || wanted.is_none() || object.namespace() == wanted;
    let is_named = |name: &String| object.name() == Some(name);
    object.api_version() == kind.api_version
        && object.kind() == kind.kind
        && is_near
        && reference.name.as_ref().is_none_or(is_named)
        && reference.selector.as_ref().is_none_or(|one| one.selects(label) == Some(true))
}
