//! The namespace of a request, as far as the tree has it.

use job_lifecycle::{Object, kubernetes::admitted::json};
use kubernetes_cel::Value;
use serde_json::Value as Json;

use crate::selector::Label;

/// The label that every namespace has.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// The namespace of a request.
pub(crate) struct Namespace<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) object: Option<&'a Object>,
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
