//! Reading resources and patches from YAML, as kyaml's `ByteReader` does.

use std::sync::Arc;

use yaml_spans::{Location, Offsets, Source, Span, Value};

use crate::{
    Origin,
    error::{Error, Result},
    node::{Data, Entry, Node, Scalar, Style},
    origin::{Field, Part, Step},
    scalar::{self, Tag},
    workspace::Documents,
};

/// A text to read, and where it is written.
pub(crate) struct Input<'t> {
    pub(crate) text: &'t str,
    pub(crate) source: Arc<Source>,
    /// The documents of the text, if they are known.
    pub(crate) documents: Option<Documents>,
    /// Where the text stands in its source, when it is a string inside it.
    pub(crate) inside: Option<Inside>,
    pub(crate) field: Field,
    pub(crate) chain: Option<Arc<Step>>,
}

/// A text that is a string of another text.
#[derive(Debug, Clone)]
pub(crate) struct Inside {
    pub(crate) span: Span,
    pub(crate) offsets: Option<Arc<Offsets>>,
}

impl Input<'_> {
    pub(crate) fn location(&self, span: Span) -> Location {
        let span = match &self.inside {
            None => span,
            Some(inside) => inside
                .offsets
                .as_ref()
                .and_then(|offsets| offsets.span(span.range()))
                .unwrap_or(inside.span),
        };
        Location { source: self.source.clone(), span }
    }

    fn origin(&self, span: Span) -> Origin {
        let at = self.location(span);
        Origin::one(Part { at, field: self.field, chain: self.chain.clone() })
    }

    /// The documents that are not empty.
    pub(crate) fn documents(&self) -> Result<Vec<Node>> {
        self.read(|root| self.node(root))
    }

    /// The documents after `sigs.k8s.io/yaml` turned them into JSON: YAML 1.1, as JSON patches are read.
    pub(crate) fn json_documents(&self) -> Result<Vec<Node>> {
        self.read(|root| self.json(root))
    }

    fn read(&self, convert: impl Fn(&yaml_spans::Node) -> Node) -> Result<Vec<Node>> {
        let mut nodes = Vec::new();
        let parsed = self.documents.is_none().then(|| yaml_spans::parse(self.text));
        let documents = self.documents.as_deref().or(parsed.as_ref());
        for document in documents.into_iter().flatten() {
            match document {
                Ok(document) => nodes.push(convert(&document.root)),
                Err(error) => {
                    let line = self.text[..error.span.start as usize].matches('\n').count() + 1;
                    let message =
                        format!("MalformedYAMLError: yaml: line {line}: {}", error.reason);
                    return Err(Error::resource(message).at(Some(self.location(error.span))));
                }
            }
        }
        Ok(nodes)
    }

    /// A value after it became JSON.
    pub(crate) fn json(&self, node: &yaml_spans::Node) -> Node {
        json(self.text, node, &|span| self.origin(span))
    }

    /// The values of a document.
    fn node(&self, node: &yaml_spans::Node) -> Node {
        self.node_in(node, false)
    }

    fn node_in(&self, node: &yaml_spans::Node, in_flow: bool) -> Node {
        let in_flow = match node.value {
            Value::Map(_) | Value::Seq(_) => node.style == yaml_spans::Style::Flow,
            _ => in_flow,
        };
        let origin = self.origin(node.span);
        let data = match &node.value {
            Value::Map(map) => Data::Map(
                // A key that is there twice is an error as soon as the map is printed.
                map.overridden
                    .iter()
                    .filter(|old| !old.merged && map.entry(&old.key).is_some_and(|new| !new.merged))
                    .chain(&map.entries)
                    .map(|entry| Entry {
                        key: self.key(entry),
                        is_quoted: self.text[entry.key_span.range()]
                            .starts_with(['"', '\'', '*', '&', '!', '?']),
                        origin: self.origin(entry.key_span),
                        value: self.node_in(&entry.value, in_flow),
                    })
                    .collect(),
            ),
            Value::Seq(items) => {
                Data::Seq(items.iter().map(|item| self.node_in(item, in_flow)).collect())
            }
            _ => Data::Scalar(self.scalar(node, in_flow)),
        };
        Node { data, origin }
    }

    /// The key as it is written: YAML 1.1 reads `y` as a boolean, go-yaml 3 as a string.
    fn key(&self, entry: &yaml_spans::Entry) -> Arc<str> {
        let written = &self.text[entry.key_span.range()];
        let is_plain = !written.starts_with(['"', '\'', '*', '&', '!', '?', '|', '>'])
            && !written.contains('\n');
        let is_same = !is_plain || written == &*entry.key || written.is_empty();
        if is_same { entry.key.clone() } else { written.into() }
    }

    fn scalar(&self, node: &yaml_spans::Node, in_flow: bool) -> Scalar {
        let written = &self.text[node.span.range()];
        let style = match node.style {
            yaml_spans::Style::Plain => Style::Plain,
            yaml_spans::Style::Literal => Style::Literal,
            yaml_spans::Style::Folded => Style::Folded,
            _ => Style::Quoted,
        };
        let is_tagged = || self.text[..node.span.start as usize].trim_end().ends_with("!!str");
        let is_alias = written.starts_with('*');
        match &node.value {
            Value::Str(text) if style != Style::Plain || is_tagged() => {
                Scalar { text: without_added_break(self.text, node, text), tag: Tag::Str, style }
            }
            Value::Str(text) => Scalar { text: text.clone(), tag: scalar::tag(text), style },
            value if is_alias => {
                let text = canonical(value);
                Scalar { tag: scalar::tag(&text), text: text.into(), style: Style::Plain }
            }
            // go-yaml writes an absent value in a flow collection as `''`.
            Value::Null if written.is_empty() && in_flow => {
                Scalar { text: "".into(), tag: Tag::Null, style: Style::Quoted }
            }
            _ => Scalar { text: written.into(), tag: scalar::tag(written), style: Style::Plain },
        }
    }
}

/// A value of a text after it became JSON, with the origins of its spans.
pub(crate) fn json(text: &str, node: &yaml_spans::Node, origin: &dyn Fn(Span) -> Origin) -> Node {
    let scalar =
        |text: &str, tag| Data::Scalar(Scalar { text: text.into(), tag, style: Style::Plain });
    let data = match &node.value {
        Value::Map(map) => Data::Map(
            map.entries
                .iter()
                .map(|entry| Entry {
                    key: entry.key.clone(),
                    is_quoted: true,
                    origin: origin(entry.key_span),
                    value: json(text, &entry.value, origin),
                })
                .collect(),
        ),
        Value::Seq(items) => Data::Seq(items.iter().map(|item| json(text, item, origin)).collect()),
        Value::Str(value) => {
            let text = without_added_break(text, node, value);
            Data::Scalar(Scalar { text, tag: Tag::Str, style: Style::Quoted })
        }
        Value::Null => scalar("null", Tag::Null),
        Value::Bool(_) => scalar(&canonical(&node.value), Tag::Bool),
        Value::Int(_) | Value::Uint(_) => scalar(&canonical(&node.value), Tag::Int),
        Value::Float(_) => scalar(&canonical(&node.value), Tag::Float),
    };
    Node { data, origin: origin(node.span) }
}

/// The text of a scalar as go-yaml reads it. A block scalar whose last line ends with the file, not with a line break,
/// has none at its end; YAML 1.2 adds one.
pub(crate) fn without_added_break(
    text: &str,
    node: &yaml_spans::Node,
    value: &Arc<str>,
) -> Arc<str> {
    let is_block = matches!(node.style, yaml_spans::Style::Literal | yaml_spans::Style::Folded);
    let end = node.span.end as usize;
    let is_last = || !text[..end].ends_with('\n') && !text[end..].contains('\n');
    match value.strip_suffix('\n') {
        Some(rest) if is_block && is_last() => rest.into(),
        _ => value.clone(),
    }
}

/// The text of a value that is an alias, whose own text is elsewhere.
fn canonical(value: &Value) -> String {
    match value {
        Value::Bool(flag) => flag.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Null | Value::Str(_) | Value::Seq(_) | Value::Map(_) => String::new(),
    }
}
