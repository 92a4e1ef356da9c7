//! The policies of a repository, with what they refer to.

use job_lifecycle::Object;

use crate::{binding::Binding, namespace::Namespace, policy::Policy};

/// The policies of a repository, their bindings, and the objects that can be parameters or namespaces.
#[derive(Clone, Debug, Default)]
pub struct PolicySet {
    /// The policies.
    pub policies: Vec<Policy>,
    /// The bindings.
    pub bindings: Vec<Binding>,
    /// Objects of any kind.
    pub objects: Vec<Object>,
}

impl PolicySet {
    /// True when there is nothing to evaluate.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
    }

    /// Adds those of some objects that have one of these kinds, given as API version and kind, and are not there yet.
    pub fn add_objects(&mut self, objects: Vec<Object>, kinds: &[(String, String)]) {
        for object in objects {
            let is_kind = |(version, kind): &(String, String)| {
                (object.api_version(), object.kind()) == (version.as_str(), kind.as_str())
            };
            let is_known = |known: &Object| known.root == object.root;
            if kinds.iter().any(is_kind) && !self.objects.iter().any(is_known) {
                self.objects.push(object);
            }
        }
    }

    /// The bindings of a policy.
    pub fn bindings_of(&self, policy: &Policy) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(|binding| binding.policy == policy.name)
    }

    /// Whether a policy is evaluated.
    pub fn is_enforced(&self, policy: &Policy) -> bool {
        !policy.unbound.is_empty() || self.bindings_of(policy).next().is_some()
    }

    pub(crate) fn namespace<'a>(&'a self, name: Option<&'a str>) -> Namespace<'a> {
        let is_it = |object: &&Object| {
            object.api_version() == "v1" && object.kind() == "Namespace" && object.name() == name
        };
        Namespace { name, object: self.objects.iter().find(is_it).filter(|_| name.is_some()) }
    }
}
