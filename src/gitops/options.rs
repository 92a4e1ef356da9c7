//! Reads a deployer's options from fields of a GitOps object, each with its location.

use job_lifecycle::{Deployer, Object, Tool, deployer::OptionName};
use yaml_spans::{Entry, Location, Node, Span, Value};

/// A deployer whose options are read from an object.
pub(crate) struct Options<'a> {
    pub deployer: Deployer,
    object: &'a Object,
    pub not_evaluated: Vec<String>,
}

impl<'a> Options<'a> {
    pub(crate) fn new(tool: Tool, object: &'a Object) -> Self {
        Self { deployer: Deployer::stated(tool), object, not_evaluated: Vec::new() }
    }

    /// Sets an option that the kind of the object implies.
    pub(crate) fn fixed(mut self, name: OptionName, value: &str) -> Self {
        self.set(name, value, self.object.root.span);
        self
    }

    /// Reads an option from the field at a path.
    pub(crate) fn take(&mut self, name: OptionName, path: &[&str]) {
        self.take_in(name, &self.object.root, path);
    }

    /// Reads an option from the field at a path below a node of the object.
    pub(crate) fn take_in(&mut self, name: OptionName, node: &Node, path: &[&str]) {
        let Some(entry) = entry(node, path) else { return };
        let value = match &entry.value.value {
            Value::Bool(flag) => flag.to_string(),
            Value::Str(text) => text.to_string(),
            Value::Int(number) => number.to_string(),
            _ => return,
        };
        self.set(name, &value, entry.key_span.to(entry.value.span));
    }

    pub(crate) fn set(&mut self, name: OptionName, value: &str, span: Span) {
        let at = Location { source: self.object.source.clone(), span }.written();
        if let Err(problem) = self.deployer.set_at(name, value, at) {
            self.not_evaluated.push(problem.to_string());
        }
    }
}

/// The entry at a path; `None` if it is missing or null.
pub(crate) fn entry<'a>(node: &'a Node, path: &[&str]) -> Option<&'a Entry> {
    let (last, above) = path.split_last()?;
    node.at(above)?.entry(last).filter(|entry| !entry.value.is_null())
}

/// The non-empty string at a path.
pub(crate) fn text<'a>(node: &'a Node, path: &[&str]) -> Option<&'a str> {
    node.at(path)?.as_str().filter(|text| !text.is_empty())
}

pub(crate) fn flag(node: &Node, path: &[&str]) -> bool {
    node.at(path).is_some_and(Node::is_true)
}
