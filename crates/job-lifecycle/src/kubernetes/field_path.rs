//! A walk through an object that remembers the path the API server would print.

use yaml_spans::{Node, Span, Value};

use super::is_placeholder;
use crate::object::Object;

/// One step down.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    Field(&'a str),
    /// A key of a mapping with free keys.
    Key(&'a str),
    Index(usize),
}

/// A path as the API server prints it: `spec.template.spec.containers[0].env[1].value`.
pub fn path(steps: &[Step<'_>]) -> String {
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

/// The deepest path that is looked at has 15 steps.
const DEPTH: usize = 16;

/// A place in an object, whether or not something is written there. Paths are put into words only for
/// a finding.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    steps: [Step<'a>; DEPTH],
    length: usize,
    node: Option<&'a Node>,
    /// Where to point when nothing is written here: the key of the deepest mapping above.
    above: Span,
}

impl<'a> Place<'a> {
    /// The object itself.
    pub fn root(object: &'a Object) -> Self {
        let above = object.deepest_key(&[]).unwrap_or_default();
        let steps = [Step::Index(0); DEPTH];
        Self { steps, length: 0, node: Some(&object.root), above }
    }

    /// As the API server prints it.
    pub fn path(&self) -> String {
        path(&self.steps[..self.length])
    }

    /// A field of the mapping here.
    pub fn field(&self, name: &'a str) -> Place<'a> {
        self.below(Step::Field(name), name)
    }

    /// A key of the free-form mapping here.
    pub fn key(&self, name: &'a str) -> Place<'a> {
        self.below(Step::Key(name), name)
    }

    /// A field below a field.
    pub fn at(&self, names: &[&'a str]) -> Place<'a> {
        names.iter().fold(*self, |place, name| place.field(name))
    }

    /// The items of the list here.
    pub fn items(&self) -> impl Iterator<Item = Place<'a>> + use<'a> {
        let this = *self;
        let items = self.node.map(Node::items).unwrap_or_default();
        items.iter().enumerate().map(move |(index, node)| {
            let first = node.entries().first().map(|entry| entry.key_span);
            let above = first.unwrap_or(node.span);
            Place { node: Some(node), above, ..this.step(Step::Index(index)) }
        })
    }

    /// The keys of the mapping here, with the places under them.
    pub fn keys(&self) -> impl Iterator<Item = (&'a str, Place<'a>)> + use<'a> {
        let this = *self;
        let entries = self.node.map(Node::entries).unwrap_or_default();
        entries.iter().map(move |entry| (&*entry.key, this.key(&entry.key)))
    }

    /// The same place under the path of another one: the server names a mapping, we point into it.
    pub fn named_as(&self, other: &Place<'a>) -> Place<'a> {
        Place { node: self.node, above: self.above, ..*other }
    }

    /// The key above, as if it were the value.
    pub fn its_key(&self) -> Place<'a> {
        Place { node: None, ..*self }
    }

    pub fn node(&self) -> Option<&'a Node> {
        self.node
    }

    /// Something other than `null` is written here.
    pub fn is_set(&self) -> bool {
        self.node.is_some_and(|node| !node.is_null())
    }

    /// Nothing is written here, or a text without a character.
    pub fn is_empty(&self) -> bool {
        !self.is_set() || self.node.and_then(Node::as_str).is_some_and(str::is_empty)
    }

    /// The number here; `None` for anything else.
    pub fn int(&self) -> Option<i64> {
        self.node?.as_int()
    }

    pub fn is_true(&self) -> bool {
        self.node.is_some_and(Node::is_true)
    }

    /// The text here when it is what the API server will see; `None` for anything else.
    pub fn text(&self) -> Option<&'a str> {
        self.node?.as_str().filter(|text| !is_placeholder(text))
    }

    /// A text that another tool will replace.
    pub fn is_placeholder(&self) -> bool {
        self.node.and_then(Node::as_str).is_some_and(is_placeholder)
    }

    /// Where to point: at what is written, else at the key above it.
    pub fn span(&self) -> Span {
        let written = self.node.filter(|node| !node.is_null() && !node.span.is_empty());
        match written.map(|node| (node, &node.value)) {
            // A block of many lines: its key says it as well.
            Some((_, Value::Map(_) | Value::Seq(_))) | None => self.above,
            Some((node, _)) => node.span,
        }
    }

    fn below(&self, step: Step<'a>, name: &str) -> Place<'a> {
        let entry = self.node.and_then(|node| node.entry(name));
        let above = entry.map_or(self.above, |entry| entry.key_span);
        Place { node: entry.map(|entry| &entry.value), above, ..self.step(step) }
    }

    fn step(&self, step: Step<'a>) -> Place<'a> {
        let mut place = *self;
        place.steps[place.length] = step;
        place.length += 1;
        place
    }
}
