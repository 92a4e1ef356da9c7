//! What templates see beside their values: `.Chart`, `.Capabilities`, `.Files`, `.Release`.

mod capabilities;
mod files;
mod glob;
mod metadata;
mod values;

use super::HelmVersion;
use go_template::provenance::{Input, Inputs};
use go_template::{Functions, Object, Type, Value};

pub(super) use capabilities::capabilities;
pub(super) use files::files;
pub(super) use metadata::chart;
pub(super) use values::{Labels, values_type};

/// What JSON and YAML print for the objects made here.
pub(super) fn encode(value: &Value) -> Option<Value> {
    let Fields { json, .. } = value.as_object::<Fields>()?;
    json.then(|| value.as_object::<Fields>().map(Fields::to_json)).flatten()
}

/// A struct with its exported fields.
#[derive(Debug)]
struct Fields {
    go_type: &'static Type,
    fields: Vec<Field>,
    /// Has names of its own in JSON.
    json: bool,
    /// What its `String` method prints, and whether only a pointer to it has that method.
    text: Option<(String, String)>,
    /// Promotes the fields of its first field.
    is_embedding: bool,
}

#[derive(Debug)]
struct Field {
    name: &'static str,
    /// Name in JSON; empty values are left out if it ends in `?`. Empty for an embedded struct.
    json: &'static str,
    value: Value,
}

impl Fields {
    fn new(go_type: &'static Type, fields: Vec<Field>) -> Self {
        Self { go_type, fields, json: true, text: None, is_embedding: false }
    }

    fn to_json(&self) -> Value {
        let mut entries = Vec::new();
        for Field { json, value, .. } in &self.fields {
            match json.strip_suffix('?') {
                _ if json.is_empty() => {
                    let embedded = value.as_object::<Self>().map(Self::to_json);
                    let embedded = embedded.as_ref().and_then(Value::as_map);
                    entries.extend(embedded.map(go_template::Map::entries).into_iter().flatten());
                }
                Some(_) if !value.truth() => {}
                Some(name) => entries.push((name.into(), value.clone())),
                None => entries.push(((*json).into(), value.clone())),
            }
        }
        entries.into_iter().collect()
    }
}

impl Object for Fields {
    fn go_type(&self) -> &'static Type {
        self.go_type
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        self.fields.iter().map(|field| (field.name, field.value.clone())).collect()
    }

    fn field(&self, name: &str) -> Option<Value> {
        let own = self.fields.iter().find(|field| field.name == name);
        if let (None, true, Some(first)) = (own, self.is_embedding, self.fields.first()) {
            return first.value.as_object::<Self>()?.field(name);
        }
        own.map(|field| field.value.clone())
    }

    fn string(&self) -> Option<String> {
        self.text.as_ref().map(|(text, _)| text.clone())
    }

    fn pointer_string(&self) -> Option<String> {
        self.text.as_ref().map(|(_, text)| text.clone())
    }
}

/// Where the inputs of a chart hang: the root chart's have short names.
pub(super) fn chart_input(inputs: &mut Inputs, path: &[&str], kind: &str) -> Input {
    if path.is_empty() {
        return inputs.root(kind);
    }
    let mut input = inputs.root("Subcharts");
    for (depth, name) in path.iter().enumerate() {
        if depth > 0 {
            input = inputs.child(input, "Subcharts");
        }
        input = inputs.child(input, name);
    }
    inputs.child(input, kind)
}

/// Sets the methods of the types of the built-in objects, for both versions of Helm.
pub(crate) fn set_methods(functions: &mut Functions) {
    capabilities::set_methods(functions);
    files::set_methods(functions);
    values::set_methods(functions);
}

/// One of two types, by Helm's version.
fn by_version(version: HelmVersion, v3: &'static Type, v4: &'static Type) -> &'static Type {
    match version {
        HelmVersion::V3 => v3,
        HelmVersion::V4 => v4,
    }
}
