//! Where a person wrote what an expression read.

use job_lifecycle::Object;
use kubernetes_cel::{Read, Step};
use yaml_spans::{Node, Span, Value};

/// The longest value that a label repeats, in characters.
const LONGEST: usize = 60;

/// The node that decided an expression, and what is wrong with it.
pub(crate) struct Place {
    pub(crate) span: Span,
    pub(crate) label: String,
}

/// How far the manifest has what was read.
struct Walk<'a> {
    node: &'a Node,
    /// The key or item that was reached last.
    span: Option<Span>,
    /// How many steps the manifest has.
    depth: usize,
}

impl Place {
    /// The deepest part of the object that was read; where it would be if it is absent.
    pub(crate) fn of(object: &Object, reads: &[Read]) -> Self {
        let of_object = reads.iter().filter(|read| read.root == "object");
        let walked = of_object.map(|read| (read, Walk::along(&object.root, &read.steps)));
        // The last of several is the most specific one: of `has(a.b) && a.b.c` it is `a.b.c`.
        let deepest = walked.max_by_key(|(_, walk)| walk.depth);
        let Some((read, walk)) = deepest.filter(|(read, _)| !read.steps.is_empty()) else {
            let span = object.root.get("kind").map_or(object.root.span, |kind| kind.span);
            return Self { span, label: "is refused".to_owned() };
        };
        Self { span: walk.place(object, &read.steps), label: walk.label(read) }
    }
}

impl<'a> Walk<'a> {
    fn along(root: &'a Node, steps: &[Step]) -> Self {
        let mut walk = Self { node: root, span: None, depth: 0 };
        for step in steps {
            let next = match step {
                Step::Field(name) => {
                    walk.node.entry(name).map(|entry| (entry.key_span, &entry.value))
                }
                Step::Index(index) => walk.node.items().get(*index).map(|item| (head(item), item)),
            };
            let Some((span, node)) = next.filter(|(_, node)| !node.is_null()) else { break };
            walk = Self { node, span: Some(span), depth: walk.depth + 1 };
        }
        walk
    }

    /// The value of a scalar, else the key.
    fn place(&self, object: &Object, steps: &[Step]) -> Span {
        let is_scalar = !matches!(self.node.value, Value::Map(_) | Value::Seq(_) | Value::Null);
        if self.depth == steps.len() && is_scalar && self.node.span.start < self.node.span.end {
            return self.node.span;
        }
        let kind = || object.root.get("kind").map_or(object.root.span, |kind| kind.span);
        self.span.unwrap_or_else(kind)
    }

    fn label(&self, read: &Read) -> String {
        let name = |step: &Step| match step {
            Step::Field(name) => format!("`{name}`"),
            Step::Index(index) => format!("item {}", index + 1),
        };
        match read.steps.get(self.depth) {
            None => {
                let last = read.steps.last().map(name).unwrap_or_default();
                match text(self.node) {
                    Some(text) => format!("{last} is `{text}`"),
                    None => format!("{last} is refused"),
                }
            }
            Some(_) if read.present >= read.steps.len() => {
                let last = read.steps.last().map(name).unwrap_or_default();
                format!("{last} has its default")
            }
            Some(next) => {
                let missing = read.steps.get(read.present.max(self.depth)).unwrap_or(next);
                format!("{} is missing", name(missing))
            }
        }
    }
}

/// A scalar as text, if it is short.
fn text(node: &Node) -> Option<String> {
    let text = match &node.value {
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Float(value) => value.to_string(),
        Value::Str(value) => value.to_string(),
        _ => return None,
    };
    let is_short = text.chars().count() <= LONGEST && !text.contains('\n') && !text.is_empty();
    is_short.then_some(text)
}

/// Where an item of a list starts: its first key, or itself.
fn head(item: &Node) -> Span {
    item.entries().first().map_or(item.span, |entry| entry.key_span)
}
