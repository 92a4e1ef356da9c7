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
        let Some(value) = scalar(&entry.value) else { return };
        self.set(name, &value, entry.key_span.to(entry.value.span));
    }

    pub(crate) fn set(&mut self, name: OptionName, value: &str, span: Span) {
        self.set_at(name, value, Location { source: self.object.source.clone(), span });
    }

    /// Sets an option that another object states.
    pub(crate) fn set_at(&mut self, name: OptionName, value: &str, at: Location) {
        let at = at.written();
        if let Err(problem) = self.deployer.set_at(name, value, at) {
            self.not_evaluated.push(problem.to_string());
        }
    }
}

/// The value of an option; `None` if it is a list or a mapping, or null.
pub(crate) fn scalar(node: &Node) -> Option<String> {
    match &node.value {
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Str(text) => Some(text.to_string()),
        Value::Int(number) => Some(number.to_string()),
        _ => None,
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
