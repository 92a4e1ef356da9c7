//! The OpenAPI definitions of a file that `openapi.path` names.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::error::{Error, Reason, Result};

/// `apiVersion` and kind.
type Type = (String, String);

/// The definitions of a file.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    definitions: Map<String, Value>,
    /// The definition of each kind that has one.
    kinds: HashMap<Type, String>,
    /// The kinds in the paths of the API, and whether they have a namespace.
    namespaced: HashMap<Type, bool>,
}

impl Definitions {
    /// Reads JSON or YAML.
    pub(crate) fn read(text: &str) -> Result<Self> {
        let invalid =
            |message: String| Error::new(Reason::File, format!("invalid schema file: {message}"));
        let root = parse(text).map_err(invalid)?;
        let definitions = match root.get("definitions") {
            Some(Value::Object(definitions)) => definitions.clone(),
            None | Some(Value::Null) if root.is_object() => Map::new(),
            _ => return Err(invalid("its definitions are not a map".to_owned())),
        };
        let mut kinds = HashMap::new();
        for (name, definition) in &definitions {
            for kind in kinds_of(definition).map_err(invalid)? {
                kinds.insert(kind, name.clone());
            }
        }
        let namespaced = scopes(&root).map_err(invalid)?;
        Ok(Self { definitions, kinds, namespaced })
    }

    pub(super) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Value> {
        let name = self.kinds.get(&(api_version.to_owned(), kind.to_owned()))?;
        self.definitions.get(name)
    }

    /// A definition by its name.
    pub(super) fn definition(&self, name: &str) -> Option<&Value> {
        self.definitions.get(name)
    }

    /// Whether a kind has a namespace, if the paths of the API say so.
    pub(super) fn is_namespaced(&self, api_version: &str, kind: &str) -> Option<bool> {
        self.namespaced.get(&(api_version.to_owned(), kind.to_owned())).copied()
    }
}

fn parse(text: &str) -> std::result::Result<Value, String> {
    if text.starts_with('{') {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    match yaml_spans::parse(text).into_iter().next() {
        None => Err("it is empty".to_owned()),
        Some(Ok(document)) => Ok(document.root.to_json()),
        Some(Err(error)) => {
            let line = text[..error.span.start as usize].matches('\n').count() + 1;
            Err(format!("error converting YAML to JSON: yaml: line {line}: {}", error.reason))
        }
    }
}

const KIND: &str = "x-kubernetes-group-version-kind";

/// The kinds of resources that a definition describes.
fn kinds_of(definition: &Value) -> std::result::Result<Vec<Type>, String> {
    let kinds = definition.get(KIND).and_then(Value::as_array);
    let kinds = kinds.into_iter().flatten().filter(|kind| kind.is_object());
    kinds.map(type_of).collect()
}

fn type_of(kind: &Value) -> std::result::Result<Type, String> {
    let text = |key: &str| kind.get(key).and_then(Value::as_str);
    let required = |key: &str| {
        text(key).ok_or_else(|| format!("a kind in `{KIND}` has no {key}, or not as a string"))
    };
    let (version, kind) = (required("version")?, required("kind")?);
    let api_version = match text("group") {
        None | Some("") => version.to_owned(),
        Some(group) => format!("{group}/{version}"),
    };
    Ok((api_version, kind.to_owned()))
}

/// The kinds that can be read at the paths of an API. One that has a namespace somewhere has one.
fn scopes(root: &Value) -> std::result::Result<HashMap<Type, bool>, String> {
    let mut namespaced = HashMap::new();
    let paths = root.get("paths").and_then(Value::as_object);
    for (path, operations) in paths.into_iter().flatten() {
        let kind = operations.get("get").and_then(|get| get.get(KIND));
        let Some(kind) = kind.filter(|kind| kind.is_object()) else { continue };
        *namespaced.entry(type_of(kind)?).or_default() |= path.contains("namespaces/{namespace}");
    }
    Ok(namespaced)
}

/// What a schema says about one of its fields, or about the values of a map.
pub(super) fn field<'v>(schema: &'v Value, name: &str) -> Option<&'v Value> {
    let own = schema.get("properties").and_then(|properties| properties.get(name));
    own.or_else(|| schema.get("additionalProperties").filter(|values| values.is_object()))
}

/// The items of a list.
pub(super) fn items(schema: &Value) -> Option<&Value> {
    let is_list = match schema.get("type") {
        Some(Value::Array(types)) => matches!(&types[..], [only] if only == "array"),
        Some(only) => only == "array",
        None => false,
    };
    schema.get("items").filter(|items| is_list && items.is_object())
}

/// The merge keys of a list that is merged. No key: a list of scalars.
pub(super) fn merge_keys(schema: &Value) -> Option<Vec<&str>> {
    let strategy = schema.get("x-kubernetes-patch-strategy")?.as_str()?;
    strategy.split(',').find(|part| *part == "merge")?;
    if let Some(keys) = schema.get("x-kubernetes-list-map-keys") {
        return Some(keys.as_array().into_iter().flatten().filter_map(Value::as_str).collect());
    }
    let key = schema.get("x-kubernetes-patch-merge-key").and_then(Value::as_str);
    Some(key.into_iter().collect())
}

/// The name of the definition that a schema stands for. `None`: it refers to none.
pub(super) fn reference(schema: &Value) -> Option<String> {
    let reference = schema.get("$ref").and_then(Value::as_str).filter(|text| !text.is_empty())?;
    let name = reference.strip_prefix("#/definitions/").unwrap_or(reference);
    Some(name.replace("~1", "/").replace("~0", "~"))
}
