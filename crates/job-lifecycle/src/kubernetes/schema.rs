//! The schema of batch/v1 Job and CronJob, and the parts of an object that do not match it.

mod correct_parent;
mod mismatch;

use std::{collections::HashMap, sync::LazyLock};

use super::Version;

pub use correct_parent::{CorrectParent, correct_parent};
pub use mismatch::{Mismatch, TypedMapping, UnknownField, WrongType, mismatches};

/// The types by name, from the published OpenAPI description of Kubernetes 1.36; a test compares.
static TYPES: LazyLock<HashMap<&'static str, ObjectType>> = LazyLock::new(|| {
    let lines = include_str!("schema/fields.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(ObjectType::read).map(|found| (found.name, found)).collect()
});

/// Fields added after their type: type, field, and the version that introduced it as alpha, before which the field is
/// unknown. Source: the history of `batch/v1/types.go`.
const SINCE: &[(&str, &str, Version)] = &[
    ("CronJobSpec", "timeZone", Version::new(1, 24)),
    ("JobSpec", "backoffLimitPerIndex", Version::new(1, 28)),
    ("JobSpec", "completionMode", Version::new(1, 21)),
    ("JobSpec", "managedBy", Version::new(1, 30)),
    ("JobSpec", "maxFailedIndexes", Version::new(1, 28)),
    ("JobSpec", "podFailurePolicy", Version::new(1, 25)),
    ("JobSpec", "podReplacementPolicy", Version::new(1, 28)),
    ("JobSpec", "successPolicy", Version::new(1, 30)),
    ("JobSpec", "suspend", Version::new(1, 21)),
];

/// An API type: a mapping with fixed keys.
#[derive(Debug)]
pub struct ObjectType {
    /// The name in the API reference: `JobSpec`.
    pub name: &'static str,
    fields: Vec<(&'static str, FieldType)>,
}

/// The type of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldType {
    /// A single value.
    One(ValueType),
    /// A list.
    List(ValueType),
    /// A map with arbitrary keys.
    Map(ValueType),
}

/// The type of a single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// Anything.
    Any,
    /// A boolean.
    Bool,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// An integer or a string, such as a port.
    IntOrString,
    /// A resource quantity: a string such as `500m`, or a number.
    Quantity,
    /// A string.
    String,
    /// A mapping of the type with this name.
    Struct(&'static str),
}

/// A type by its name.
pub fn find(name: &str) -> Option<&'static ObjectType> {
    TYPES.get(name)
}

/// The names of the fields of all types. Some come several times.
pub fn field_names() -> impl Iterator<Item = &'static str> {
    TYPES.values().flat_map(|of| of.fields.iter().map(|(name, _)| *name))
}

impl ObjectType {
    /// The type of a field; `None` for an unknown field.
    pub fn field(&self, name: &str) -> Option<FieldType> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, shape)| *shape)
    }

    /// The fields with their types, sorted by name.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, FieldType)> {
        self.fields.iter().copied()
    }

    /// The version that introduced a field, if it is newer than the type.
    fn since(&self, field: &str) -> Option<Version> {
        let known = SINCE.iter().find(|(of, name, _)| *of == self.name && *name == field);
        known.map(|(.., version)| *version)
    }

    /// The field whose name is nearest to a misspelt one; `None` when none is near.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        crate::suggest::nearest(name, self.fields.iter().map(|(field, _)| *field))
    }

    fn read(line: &'static str) -> Option<ObjectType> {
        let (name, fields) = line.split_once('\t')?;
        let field = |field: &'static str| {
            let (name, shape) = field.split_once(':')?;
            Some((name, FieldType::read(shape)))
        };
        Some(ObjectType { name, fields: fields.split(' ').filter_map(field).collect() })
    }
}

impl FieldType {
    fn read(text: &'static str) -> FieldType {
        if let Some(of) = text.strip_prefix("[]") {
            return FieldType::List(ValueType::read(of));
        }
        match text.strip_prefix("{}") {
            Some(of) => FieldType::Map(ValueType::read(of)),
            None => FieldType::One(ValueType::read(text)),
        }
    }
}

impl ValueType {
    fn read(text: &'static str) -> ValueType {
        match text {
            "any" => ValueType::Any,
            "bool" => ValueType::Bool,
            "int32" => ValueType::Int32,
            "int64" => ValueType::Int64,
            "int-or-string" => ValueType::IntOrString,
            "quantity" => ValueType::Quantity,
            "string" => ValueType::String,
            name => ValueType::Struct(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as generated from the published API description.
    fn published() -> Vec<String> {
        let text = include_str!("../../testdata/kubernetes/batch_v1_schema_1.36.min.json");
        let json: serde_json::Value = serde_json::from_str(text).unwrap();
        let short = |name: &str| name.rsplit('.').next().unwrap().to_owned();
        fn shape(of: &serde_json::Value, short: &dyn Fn(&str) -> String) -> String {
            if let Some(name) = of["$ref"].as_str() {
                return match short(name).as_str() {
                    "FieldsV1" => "any".into(),
                    "IntOrString" => "int-or-string".into(),
                    "MicroTime" | "Time" => "string".into(),
                    "Quantity" => "quantity".into(),
                    name => name.to_owned(),
                };
            }
            match of["type"].as_str().unwrap() {
                "array" => format!("[]{}", shape(&of["items"], short)),
                "boolean" => "bool".into(),
                "integer" => of["format"].as_str().unwrap().to_owned(),
                "object" => format!("{{}}{}", shape(&of["additionalProperties"], short)),
                other => other.to_owned(),
            }
        }
        let types = json["components"]["schemas"].as_object().unwrap();
        let line = |(name, of): (&String, &serde_json::Value)| {
            let mut fields: Vec<_> = of["properties"]
                .as_object()?
                .iter()
                .map(|(field, of)| format!("{field}:{}", shape(of, &short)))
                .collect();
            fields.sort();
            Some(format!("{}\t{}", short(name), fields.join(" ")))
        };
        let mut lines: Vec<_> =
            types.iter().filter(|(name, _)| !name.contains("List")).filter_map(line).collect();
        lines.sort();
        lines
    }

    #[test]
    fn the_table_matches_the_published_description() {
        let own: Vec<_> = include_str!("schema/fields.tsv")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert_eq!(own, published());
    }

    #[test]
    fn every_type_and_dated_field_exists() {
        for (name, found) in TYPES.iter() {
            for (field, shape) in found.fields() {
                let (FieldType::One(kind) | FieldType::List(kind) | FieldType::Map(kind)) = shape;
                if let ValueType::Struct(of) = kind {
                    assert!(find(of).is_some(), "{name}.{field}: {of}");
                }
            }
        }
        for (of, field, _) in SINCE {
            assert!(find(of).unwrap().field(field).is_some(), "{of}.{field}");
        }
    }
}
