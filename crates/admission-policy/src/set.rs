//! The policies of a repository, with what they refer to.

use job_lifecycle::{Object, kubernetes::admitted::json};
use kubernetes_cel::Value;
use serde_json::Value as Json;

use crate::{binding::Binding, policy::Policy, selector::Label};

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

/// The label that every namespace has.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The namespace of a request.
pub(crate) struct Namespace<'a> {
    pub(crate) name: Option<&'a str>,
    object: Option<&'a Object>,
}

impl PolicySet {
    /// True when there is nothing to evaluate.
    pub fn is_empty(&self) -> bool {
        self.policies.is_empty()
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

impl Namespace<'_> {
    /// A label. Without the object only its name is known.
    pub(crate) fn label(&self, key: &str) -> Label<'_> {
        match (self.object, self.name) {
            (_, Some(name)) if key == NAME_LABEL => Label::Value(name),
            (Some(object), _) => match object.root.at(&["metadata", "labels", key]) {
                Some(value) => value.as_str().map_or(Label::Unknown, Label::Value),
                None => Label::Absent,
            },
            (None, _) => Label::Unknown,
        }
    }

    /// `namespaceObject`: as the tree has it, with what the API server adds.
    pub(crate) fn value(&self) -> Value {
        let (Some(object), Some(name)) = (self.object, self.name) else {
            return Value::unknown("namespaceObject");
        };
        let metadata = object.root.get("metadata").map(json).unwrap_or_default();
        let mut labels = metadata["labels"].as_object().cloned().unwrap_or_default();
        labels.insert(NAME_LABEL.to_owned(), name.into());
        let texts = |all: &serde_json::Map<String, Json>| {
            Value::map(all.iter().map(|(key, value)| (&**key, Value::from(value))))
        };
        let mut fields = vec![("name", Value::from(name)), ("labels", texts(&labels))];
        if let Some(annotations) = metadata["annotations"].as_object() {
            fields.push(("annotations", texts(annotations)));
        }
        for key in ["creationTimestamp", "UID", "resourceVersion"] {
            fields.push((key, Value::unknown(&format!("namespaceObject.metadata.{key}"))));
        }
        Value::map([
            ("metadata", Value::map(fields)),
            ("spec", Value::map([("finalizers", Value::list(["kubernetes".into()]))])),
            ("status", Value::unknown("namespaceObject.status")),
        ])
    }
}
