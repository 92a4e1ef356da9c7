//! Fields of an object with the paths that the API server prints.

use yaml_spans::{Node, Span, Value};

use super::is_placeholder;
use crate::object::Object;

/// A segment of a field path.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step<'a> {
    /// A field of a struct.
    Field(&'a str),
    /// A key of a map with arbitrary keys.
    Key(&'a str),
    /// An index of a list.
    Index(usize),
}

/// A path as the API server prints it: `spec.template.spec.containers[0].env[1].value`.
pub(super) fn path(steps: &[Step<'_>]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            Step::Field(name) if path.is_empty() => path.push_str(name),
            Step::Field(name) => path.extend([".", name]),
            Step::Key(name) => path.extend(["[", name, "]"]),
            Step::Index(index) => path.push_str(&format!("[{index}]")),
        }
    }
    path
}

/// One more than the deepest path that validation visits.
const DEPTH: usize = 16;

/// A field of an object, present or absent, that knows its path. Copying is cheap: the path becomes text only
/// when asked for.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    steps: [Step<'a>; DEPTH],
    length: usize,
    node: Option<&'a Node>,
    /// The key of the deepest mapping above that exists: where to point when the field is absent.
    above: Span,
}

impl<'a> Field<'a> {
    /// The object itself.
    pub fn root(object: &'a Object) -> Self {
        let above = object.deepest_key(&[]).unwrap_or_default();
        let steps = [Step::Index(0); DEPTH];
        Self { steps, length: 0, node: Some(&object.root), above }
    }

    /// The path as the API server prints it: `spec.template.spec.containers[0].name`.
    pub fn path(&self) -> String {
        path(&self.steps[..self.length])
    }

    /// A field of this struct.
    pub fn field(&self, name: &'a str) -> Field<'a> {
        self.below(Step::Field(name), name)
    }

    /// A key of this map.
    pub fn key(&self, name: &'a str) -> Field<'a> {
        self.below(Step::Key(name), name)
    }

    /// A nested field.
    pub fn at(&self, names: &[&'a str]) -> Field<'a> {
        names.iter().fold(*self, |field, name| field.field(name))
    }

    /// The items of this list; none for anything else.
    pub fn items(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let this = *self;
        let items = self.node.map(Node::items).unwrap_or_default();
        items.iter().enumerate().map(move |(index, node)| {
            let first = node.entries().first().map(|entry| entry.key_span);
            let above = first.unwrap_or(node.span);
            Field { node: Some(node), above, ..this.step(Step::Index(index)) }
        })
    }

    /// The keys of this map with their fields; none for anything else.
    pub fn keys(&self) -> impl Iterator<Item = (&'a str, Field<'a>)> + use<'a> {
        let this = *self;
        let entries = self.node.map(Node::entries).unwrap_or_default();
        entries.iter().map(move |entry| (&*entry.key, this.key(&entry.key)))
    }

    /// This field under the path of another one: the server's message names a mapping, the span is inside it.
    pub(super) fn named_as(&self, other: &Field<'a>) -> Field<'a> {
        Field { node: self.node, above: self.above, ..*other }
    }

    /// The key of this field, in place of its value.
    pub(super) fn its_key(&self) -> Field<'a> {
        Field { node: None, ..*self }
    }

    /// The value; `None` when the field is absent.
    pub fn node(&self) -> Option<&'a Node> {
        self.node
    }

    /// True when the field is present and not `null`.
    pub fn is_set(&self) -> bool {
        self.node.is_some_and(|node| !node.is_null())
    }

    /// True when the field is absent, `null` or an empty string.
    pub fn is_empty(&self) -> bool {
        !self.is_set() || self.node.and_then(Node::as_str).is_some_and(str::is_empty)
    }

    /// The value if it is an integer.
    pub fn int(&self) -> Option<i64> {
        self.node?.as_int()
    }

    /// True when the value is the boolean `true`.
    pub fn is_true(&self) -> bool {
        self.node.is_some_and(Node::is_true)
    }

    /// The value if it is a string without a placeholder, so that the API server sees the same.
    pub fn text(&self) -> Option<&'a str> {
        self.node?.as_str().filter(|text| !is_placeholder(text))
    }

    /// True for a string with a placeholder.
    pub fn is_placeholder(&self) -> bool {
        self.node.and_then(Node::as_str).is_some_and(is_placeholder)
    }

    /// Where to point: a scalar value, else the key of the deepest mapping that exists.
    pub fn span(&self) -> Span {
        let written = self.node.filter(|node| !node.is_null() && !node.span.is_empty());
        match written.map(|node| (node, &node.value)) {
            // A collection may span many lines; its key is enough.
            Some((_, Value::Map(_) | Value::Seq(_))) | None => self.above,
            Some((node, _)) => node.span,
        }
    }

    fn below(&self, step: Step<'a>, name: &str) -> Field<'a> {
        let entry = self.node.and_then(|node| node.entry(name));
        let above = entry.map_or(self.above, |entry| entry.key_span);
        Field { node: entry.map(|entry| &entry.value), above, ..self.step(step) }
    }

    fn step(&self, step: Step<'a>) -> Field<'a> {
        let mut field = *self;
        field.steps[field.length] = step;
        field.length += 1;
        field
    }
}
