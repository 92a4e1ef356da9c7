//! The parts of an object that do not match the schema: unknown fields, and values that the API server cannot decode.

use yaml_spans::{Entry, Node, Value};

use super::{FieldType, ObjectType, ValueType, find};
use crate::kubernetes::{
    Version,
    field_path::{Step, path},
    is_placeholder, quantity,
};

/// A part of an object that does not match the schema.
#[derive(Clone, Debug)]
pub enum Mismatch<'a> {
    /// A key that its mapping does not have.
    UnknownField(UnknownField<'a>),
    /// A value of another type than its field.
    WrongType(WrongType<'a>),
}

/// A key that its mapping does not have.
#[derive(Clone, Debug)]
pub struct UnknownField<'a> {
    /// The path as the API server prints it: `spec.template.spec.containers[0].imagee`.
    pub path: String,
    /// Key and value.
    pub entry: &'a Entry,
    /// The mappings that contain it, outermost first; never empty.
    pub ancestors: Vec<TypedMapping<'a>>,
    /// The version that introduces the field, if that is newer than the target.
    pub since: Option<Version>,
}

/// A value of another type than its field.
#[derive(Clone, Debug)]
pub struct WrongType<'a> {
    /// The path as the API server prints it.
    pub path: String,
    /// The value.
    pub node: &'a Node,
    /// The type of the field.
    pub expected: FieldType,
}

/// A mapping of a known type.
#[derive(Clone, Debug)]
pub struct TypedMapping<'a> {
    /// The path as the API server prints it; empty for the object.
    pub path: String,
    /// The mapping.
    pub node: &'a Node,
    /// Its type.
    pub of: &'static ObjectType,
}

/// The mismatches between an object and the schema of a server of version `target`, in source order. `root`
/// is the type of the object: `Job` or `CronJob`. Values and keys with a placeholder match anything; so do
/// the values of labels and annotations.
pub fn mismatches<'a>(object: &'a Node, root: &'static str, target: Version) -> Vec<Mismatch<'a>> {
    let mut checker =
        Checker { target, steps: Vec::new(), ancestors: Vec::new(), found: Vec::new() };
    checker.one(object, ValueType::Struct(root));
    let mut found = checker.found;
    found.sort_by_key(|mismatch| mismatch.span());
    // The content of an anchor is visited once per alias.
    found.dedup_by_key(|mismatch| mismatch.span());
    found
}

/// True when the API server decodes the value for a field of this kind.
fn fits(node: &Node, kind: ValueType) -> bool {
    match (kind, &node.value) {
        (ValueType::Any, _) | (_, Value::Null) => true,
        (ValueType::Bool, value) => matches!(value, Value::Bool(_)),
        (ValueType::Int32, _) => node.as_int().is_some_and(|number| i32::try_from(number).is_ok()),
        (ValueType::Int64, _) => node.as_int().is_some(),
        (ValueType::IntOrString, Value::Str(_)) => true,
        (ValueType::IntOrString, _) => fits(node, ValueType::Int32),
        (ValueType::Quantity, Value::Str(text)) => quantity::parse(text).is_some(),
        (ValueType::Quantity, value) => {
            matches!(value, Value::Int(_) | Value::Uint(_) | Value::Float(_))
        }
        (ValueType::String, value) => matches!(value, Value::Str(_)),
        (ValueType::Struct(_), value) => matches!(value, Value::Map(_)),
    }
}

struct Checker<'a> {
    target: Version,
    steps: Vec<Step<'a>>,
    /// The mappings from the root to here, with the number of steps to each.
    ancestors: Vec<(usize, &'a Node, &'static ObjectType)>,
    found: Vec<Mismatch<'a>>,
}

impl<'a> Checker<'a> {
    fn shape(&mut self, node: &'a Node, shape: FieldType) {
        match (shape, &node.value) {
            (FieldType::One(kind), _) => self.one(node, kind),
            (_, Value::Null) => {}
            (FieldType::List(kind), Value::Seq(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.below(Step::Index(index), |checker| checker.one(item, kind));
                }
            }
            (FieldType::Map(kind), Value::Map(map)) => {
                for entry in &map.entries {
                    self.below(Step::Key(&entry.key), |checker| checker.one(&entry.value, kind));
                }
            }
            _ => self.wrong(node, shape),
        }
    }

    fn one(&mut self, node: &'a Node, kind: ValueType) {
        match (kind, &node.value) {
            (ValueType::Struct(name), Value::Map(map)) => {
                let Some(of) = find(name) else { return };
                self.ancestors.push((self.steps.len(), node, of));
                for entry in &map.entries {
                    self.field(entry, of);
                }
                self.ancestors.pop();
            }
            _ if fits(node, kind) => {}
            _ => self.wrong(node, FieldType::One(kind)),
        }
    }

    fn field(&mut self, entry: &'a Entry, of: &'static ObjectType) {
        let since = of.since(&entry.key).filter(|since| *since > self.target);
        let shape = of.field(&entry.key).filter(|_| since.is_none());
        self.below(Step::Field(&entry.key), |checker| match shape {
            Some(FieldType::Map(ValueType::String)) if is_free_metadata(of, entry) => {}
            Some(shape) => checker.shape(&entry.value, shape),
            None if is_placeholder(&entry.key) && !is_variable_name(&entry.key) => {}
            None => {
                let (path, ancestors) = (path(&checker.steps), checker.levels());
                checker.found.push(Mismatch::UnknownField(UnknownField {
                    path,
                    entry,
                    ancestors,
                    since,
                }));
            }
        });
    }

    fn wrong(&mut self, node: &'a Node, expected: FieldType) {
        let is_open = |text: &str| is_placeholder(text) && !is_sentence(text, expected);
        if !node.as_str().is_some_and(is_open) {
            self.found.push(Mismatch::WrongType(WrongType {
                path: path(&self.steps),
                node,
                expected,
            }));
        }
    }

    fn levels(&self) -> Vec<TypedMapping<'a>> {
        let level = |&(length, node, of): &(usize, &'a Node, &'static ObjectType)| TypedMapping {
            path: path(&self.steps[..length]),
            node,
            of,
        };
        self.ancestors.iter().map(level).collect()
    }

    fn below(&mut self, step: Step<'a>, visit: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        visit(self);
        self.steps.pop();
    }
}

/// Labels and annotations. The types of their values are not checked here: what a wrong one causes depends on
/// the deployer.
fn is_free_metadata(of: &ObjectType, entry: &Entry) -> bool {
    let named = matches!(&*entry.key, "annotations" | "labels");
    of.name == "ObjectMeta" && named && entry.value.as_map().is_some()
}

impl UnknownField<'_> {
    /// The path of the mapping that contains it.
    pub fn parent_path(&self) -> &str {
        self.ancestors.last().map_or("", |level| &level.path)
    }
}

impl Mismatch<'_> {
    fn span(&self) -> yaml_spans::Span {
        match self {
            Mismatch::UnknownField(unknown) => unknown.entry.key_span,
            Mismatch::WrongType(wrong) => wrong.node.span,
        }
    }
}

/// Whether a text stays one whatever its `${NAME}` stands for: words around it, where a list or mapping is expected.
fn is_sentence(text: &str, expected: FieldType) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphanumeric())
        && text.contains("${")
        && text.contains(' ')
        && !text.contains('\n')
        && !matches!(expected, FieldType::One(_))
}

/// Whether a key is what an environment variable is called: it belongs below `env`.
fn is_variable_name(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}
