//! The fields of batch/v1 Job and CronJob and of all they hold, and a walk that finds what does not
//! fit them.

mod home;
mod walk;

use std::{collections::HashMap, sync::LazyLock};

use super::Version;

pub use home::{Home, home};
pub use walk::{Level, Misfit, Unknown, Wrong, walk};

/// The types by name, from the published API description of Kubernetes 1.36; a test compares.
static TYPES: LazyLock<HashMap<&'static str, Type>> = LazyLock::new(|| {
    let lines = include_str!("schema/fields.tsv").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(Type::read).map(|found| (found.name, found)).collect()
});

/// Fields of types that older servers know without them: type, field, the version that brought it
/// (as alpha: before that the field is unknown). From the history of `batch/v1/types.go`.
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

/// A mapping with fixed keys.
#[derive(Debug)]
pub struct Type {
    /// As Kubernetes' documentation calls it: `JobSpec`.
    pub name: &'static str,
    fields: Vec<(&'static str, Shape)>,
}

/// What a field takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    One(Kind),
    List(Kind),
    /// A mapping with free keys.
    Map(Kind),
}

/// A single value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Any,
    Bool,
    Int32,
    Int64,
    IntOrString,
    Quantity,
    String,
    /// A mapping of this type.
    Struct(&'static str),
}

/// A type by its name.
pub fn find(name: &str) -> Option<&'static Type> {
    TYPES.get(name)
}

impl Type {
    /// What a field takes; `None` when there is no such field.
    pub fn field(&self, name: &str) -> Option<Shape> {
        self.fields.iter().find(|(field, _)| *field == name).map(|(_, shape)| *shape)
    }

    /// Fields and what they take, by name.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, Shape)> {
        self.fields.iter().copied()
    }

    /// The version that brought a field, where that is known.
    fn since(&self, field: &str) -> Option<Version> {
        let known = SINCE.iter().find(|(of, name, _)| *of == self.name && *name == field);
        known.map(|(.., version)| *version)
    }

    /// The field that somebody who wrote `name` most likely meant.
    pub fn nearest(&self, name: &str) -> Option<&'static str> {
        crate::suggest::nearest(name, self.fields.iter().map(|(field, _)| *field))
    }

    fn read(line: &'static str) -> Option<Type> {
        let (name, fields) = line.split_once('\t')?;
        let field = |field: &'static str| {
            let (name, shape) = field.split_once(':')?;
            Some((name, Shape::read(shape)))
        };
        Some(Type { name, fields: fields.split(' ').filter_map(field).collect() })
    }
}

impl Shape {
    fn read(text: &'static str) -> Shape {
        if let Some(of) = text.strip_prefix("[]") {
            return Shape::List(Kind::read(of));
        }
        match text.strip_prefix("{}") {
            Some(of) => Shape::Map(Kind::read(of)),
            None => Shape::One(Kind::read(text)),
        }
    }
}

impl Kind {
    fn read(text: &'static str) -> Kind {
        match text {
            "any" => Kind::Any,
            "bool" => Kind::Bool,
            "int32" => Kind::Int32,
            "int64" => Kind::Int64,
            "int-or-string" => Kind::IntOrString,
            "quantity" => Kind::Quantity,
            "string" => Kind::String,
            name => Kind::Struct(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table as made from the API description that Kubernetes publishes.
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
    fn the_table_is_the_published_one() {
        let own: Vec<_> = include_str!("schema/fields.tsv")
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        assert_eq!(own, published());
    }

    #[test]
    fn every_type_and_every_dated_field_is_there() {
        for (name, found) in TYPES.iter() {
            for (field, shape) in found.fields() {
                let (Shape::One(kind) | Shape::List(kind) | Shape::Map(kind)) = shape;
                if let Kind::Struct(of) = kind {
                    assert!(find(of).is_some(), "{name}.{field}: {of}");
                }
            }
        }
        for (of, field, _) in SINCE {
            assert!(find(of).unwrap().field(field).is_some(), "{of}.{field}");
        }
    }
}
