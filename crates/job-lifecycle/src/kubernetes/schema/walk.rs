//! An object against the table: fields that are not in it, values that the API server cannot decode.

use yaml_spans::{Entry, Node, Value};

use super::{Kind, Shape, Type, find};
use crate::kubernetes::{
    Version,
    field_path::{Step, path},
    is_placeholder, quantity,
};

/// Something that does not fit the schema.
#[derive(Clone, Debug)]
pub enum Misfit<'a> {
    Unknown(Unknown<'a>),
    Wrong(Wrong<'a>),
}

/// A key that its mapping does not know.
#[derive(Clone, Debug)]
pub struct Unknown<'a> {
    /// As the API server prints it: `spec.template.spec.containers[0].imagee`.
    pub path: String,
    pub entry: &'a Entry,
    /// The mappings around it, outermost first; the last one holds it.
    pub around: Vec<Level<'a>>,
    /// The version that knows it, where that is newer than the target.
    pub since: Option<Version>,
}

/// A value of another type than its field takes.
#[derive(Clone, Debug)]
pub struct Wrong<'a> {
    pub path: String,
    pub node: &'a Node,
    pub expected: Shape,
}

/// A mapping on the way down.
#[derive(Clone, Debug)]
pub struct Level<'a> {
    pub path: String,
    pub node: &'a Node,
    pub of: &'static Type,
}

/// Everything that does not fit a server of this version, in the order it is written. `root` is the
/// name of the object's type.
pub fn walk<'a>(object: &'a Node, root: &'static str, target: Version) -> Vec<Misfit<'a>> {
    let mut walk = Walk { target, steps: Vec::new(), around: Vec::new(), found: Vec::new() };
    walk.one(object, Kind::Struct(root));
    let mut found = walk.found;
    found.sort_by_key(|misfit| misfit.span());
    // An anchor's content is met once per alias.
    found.dedup_by_key(|misfit| misfit.span());
    found
}

/// True when the API server decodes the value for a field of this kind.
fn fits(node: &Node, kind: Kind) -> bool {
    match (kind, &node.value) {
        (Kind::Any, _) | (_, Value::Null) => true,
        (Kind::Bool, value) => matches!(value, Value::Bool(_)),
        (Kind::Int32, _) => node.as_int().is_some_and(|number| i32::try_from(number).is_ok()),
        (Kind::Int64, _) => node.as_int().is_some(),
        (Kind::IntOrString, Value::Str(_)) => true,
        (Kind::IntOrString, _) => fits(node, Kind::Int32),
        (Kind::Quantity, Value::Str(text)) => quantity::parse(text).is_some(),
        (Kind::Quantity, value) => {
            matches!(value, Value::Int(_) | Value::Uint(_) | Value::Float(_))
        }
        (Kind::String, value) => matches!(value, Value::Str(_)),
        (Kind::Struct(_), value) => matches!(value, Value::Map(_)),
    }
}

struct Walk<'a> {
    target: Version,
    steps: Vec<Step<'a>>,
    /// The mappings on the way down, with the number of steps to each.
    around: Vec<(usize, &'a Node, &'static Type)>,
    found: Vec<Misfit<'a>>,
}

impl<'a> Walk<'a> {
    fn shape(&mut self, node: &'a Node, shape: Shape) {
        match (shape, &node.value) {
            (Shape::One(kind), _) => self.one(node, kind),
            (_, Value::Null) => {}
            (Shape::List(kind), Value::Seq(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.below(Step::Index(index), |walk| walk.one(item, kind));
                }
            }
            (Shape::Map(kind), Value::Map(map)) => {
                for entry in &map.entries {
                    self.below(Step::Key(&entry.key), |walk| walk.one(&entry.value, kind));
                }
            }
            _ => self.wrong(node, shape),
        }
    }

    fn one(&mut self, node: &'a Node, kind: Kind) {
        match (kind, &node.value) {
            (Kind::Struct(name), Value::Map(map)) => {
                let Some(of) = find(name) else { return };
                self.around.push((self.steps.len(), node, of));
                for entry in &map.entries {
                    self.field(entry, of);
                }
                self.around.pop();
            }
            _ if fits(node, kind) => {}
            _ => self.wrong(node, Shape::One(kind)),
        }
    }

    fn field(&mut self, entry: &'a Entry, of: &'static Type) {
        let since = of.since(&entry.key).filter(|since| *since > self.target);
        let shape = of.field(&entry.key).filter(|_| since.is_none());
        self.below(Step::Field(&entry.key), |walk| match shape {
            Some(Shape::Map(Kind::String)) if is_free_metadata(of, entry) => {}
            Some(shape) => walk.shape(&entry.value, shape),
            None if is_placeholder(&entry.key) => {}
            None => {
                let (path, around) = (path(&walk.steps), walk.levels());
                walk.found.push(Misfit::Unknown(Unknown { path, entry, around, since }));
            }
        });
    }

    fn wrong(&mut self, node: &'a Node, expected: Shape) {
        if !node.as_str().is_some_and(is_placeholder) {
            self.found.push(Misfit::Wrong(Wrong { path: path(&self.steps), node, expected }));
        }
    }

    fn levels(&self) -> Vec<Level<'a>> {
        let level = |&(length, node, of): &(usize, &'a Node, &'static Type)| Level {
            path: path(&self.steps[..length]),
            node,
            of,
        };
        self.around.iter().map(level).collect()
    }

    fn below(&mut self, step: Step<'a>, visit: impl FnOnce(&mut Self)) {
        self.steps.push(step);
        visit(self);
        self.steps.pop();
    }
}

/// Labels and annotations: `annotation-not-string` speaks about their values.
fn is_free_metadata(of: &Type, entry: &Entry) -> bool {
    let named = matches!(&*entry.key, "annotations" | "labels");
    of.name == "ObjectMeta" && named && entry.value.as_map().is_some()
}

impl Unknown<'_> {
    /// The path of the mapping that holds it.
    pub fn place(&self) -> &str {
        self.around.last().map_or("", |level| &level.path)
    }
}

impl Misfit<'_> {
    fn span(&self) -> yaml_spans::Span {
        match self {
            Misfit::Unknown(unknown) => unknown.entry.key_span,
            Misfit::Wrong(wrong) => wrong.node.span,
        }
    }
}
