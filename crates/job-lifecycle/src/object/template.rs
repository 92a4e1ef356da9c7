//! The objects that an OpenShift Template makes.

use std::{collections::HashMap, sync::Arc};

use yaml_spans::{Map, Node, Value};

use super::Object;

impl Object {
    /// The objects that an OpenShift Template makes; `None` for any other object.
    ///
    /// Parameters with a value are filled in where objects are named and annotated. Elsewhere they stay as they are
    /// written: whoever processes the Template may set any of them. Only `oc process` and `oc new-app` make the
    /// objects; applied, a Template is an object of its own.
    pub fn templated(&self) -> Option<Vec<Object>> {
        let is_template = self.kind() == "Template"
            && matches!(self.api_version(), "v1" | "template.openshift.io/v1");
        let objects = self.root.get("objects").filter(|_| is_template)?;
        let parameters = self.root.get("parameters").map(Node::items).unwrap_or_default();
        let stated = parameters.iter().filter_map(|one| {
            let (name, value) = (one.get("name")?.as_str()?, one.get("value")?.as_str()?);
            Some((name, value)).filter(|(_, value)| !value.is_empty())
        });
        let values: HashMap<_, _> = stated.collect();
        let object = |item: &Node| {
            let root = with_metadata(item, |metadata| filled(metadata, &values));
            let made = Object::new(&self.source, root, self.document)?;
            Some(Object { is_templated: true, ..made })
        };
        Some(objects.items().iter().filter_map(object).flat_map(Object::expand).collect())
    }
}

/// An object with other metadata.
fn with_metadata(object: &Node, change: impl Fn(&Node) -> Node) -> Node {
    map(object, |key, value| if key == "metadata" { change(value) } else { value.clone() })
}

/// A mapping with other values.
fn map(node: &Node, change: impl Fn(&str, &Node) -> Node) -> Node {
    let Value::Map(map) = &node.value else { return node.clone() };
    let mut map = Map::clone(map);
    for entry in &mut map.entries {
        entry.value = change(&entry.key, &entry.value);
    }
    Node { value: Value::Map(Arc::new(map)), ..node.clone() }
}

/// A tree with the values of parameters in its texts.
fn filled(node: &Node, values: &HashMap<&str, &str>) -> Node {
    let value = match &node.value {
        Value::Str(text) if text.contains("${") => Value::Str(replaced(text, values).into()),
        Value::Seq(items) => Value::Seq(items.iter().map(|item| filled(item, values)).collect()),
        Value::Map(_) => return map(node, |_, value| filled(value, values)),
        value => value.clone(),
    };
    Node { value, ..node.clone() }
}

/// A text with the values of its parameters. `${{NAME}}` stays: it stands for a value of any type.
fn replaced(text: &str, values: &HashMap<&str, &str>) -> String {
    let mut parts = text.split("${");
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let known = part.split_once('}').and_then(|(name, rest)| Some((values.get(name)?, rest)));
        match known {
            Some((value, rest)) => all.extend([value, rest]),
            None => all.extend(["${", part]),
        }
    }
    all
}
