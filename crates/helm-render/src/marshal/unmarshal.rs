//! Parsing YAML and JSON into template values.

use std::{collections::BTreeMap, ops::Range};

use go_template::{Executor, Key, List, Map, Text, TextBuilder, Type, Value, provenance::Taint};
use yaml_spans::{self as yaml, Node};

use super::{json::MarshalError, parse_json};
use crate::{
    documents::{BadDocument, scalar_text},
    manifest_cache::ManifestCache,
};

/// `yaml.Unmarshal` of the first document into an `interface{}`. All numbers become floats, as in
/// JSON. A trusted text is taken to be valid behind the one field that is read.
pub(crate) fn from_yaml(
    context: &mut Executor<'_>,
    text: &Value,
    known: &ManifestCache,
    is_trusted: bool,
) -> Result<Value, MarshalError> {
    let source = text.as_text().map(Text::to_str).unwrap_or_default();
    let Some(first) = first_document(&source) else { return Ok(Value::NIL) };
    let wanted = context.wanted().unwrap_or_default().to_owned();
    let is_trusted = is_trusted && !wanted.is_empty();
    let documents = known.parsed_field(first, &wanted, is_trusted);
    let mut decoder = Decoder::new(context, text, source.starts_with(first));
    match documents.first() {
        None => Ok(Value::NIL.with_taint(decoder.structure)),
        Some(Ok(document)) => decoder.wanted(&document.root, &wanted),
        Some(Err(problem)) => {
            Err(MarshalError::new(BadDocument::from(problem.clone()).go_text(first)))
        }
    }
}

/// The text up to the end of the first document; `None` if no document has content.
fn first_document(text: &str) -> Option<&str> {
    let mut has_content = false;
    let mut has_start = false;
    let mut at = 0;
    for end in memchr::memchr_iter(b'\n', text.as_bytes()).map(|end| end + 1).chain([text.len()]) {
        let line = &text[at..end];
        let is_marker = |mark: &str| {
            line.strip_prefix(mark)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t', '\r', '\n']))
        };
        let marks_start = is_marker("---");
        if (marks_start && (has_content || has_start)) || is_marker("...") {
            return (has_content).then(|| &text[..at]);
        }
        has_start |= marks_start;
        if !has_content {
            let body = if marks_start { &line[3..] } else { line }.trim();
            has_content = !body.is_empty() && !body.starts_with(['#', '%']);
        }
        at = end;
    }
    has_content.then_some(text)
}

/// `json.Unmarshal` into an `interface{}`.
pub(crate) fn from_json(context: &mut Executor<'_>, text: &Value) -> Result<Value, MarshalError> {
    let mut decoder = Decoder::new(context, text, true);
    parse_json::parse(text.bytes(), &mut decoder)
}

/// Builds values with the provenance of the source text.
pub(super) struct Decoder<'c, 'e> {
    context: &'c mut Executor<'e>,
    text: &'c Value,
    /// The text, if it is valid UTF-8.
    source: Option<&'c str>,
    /// Whether offsets in the parsed text are offsets in the source.
    is_exact: bool,
    /// The control of everything except scalars: the whole text.
    structure: Taint,
}

impl<'c, 'e> Decoder<'c, 'e> {
    fn new(context: &'c mut Executor<'e>, text: &'c Value, is_exact: bool) -> Self {
        let observed = text.observed(&mut context.tracker);
        let structure = context.tracker.decide(observed);
        // Replacing invalid UTF-8 makes the text longer, so offsets no longer match.
        let source = text.as_text().and_then(Text::as_str);
        Self { context, text, source, is_exact: is_exact && source.is_some(), structure }
    }

    /// The value, of which only some fields are read: `.metadata.name`.
    fn wanted(&mut self, node: &Node, fields: &str) -> Result<Value, MarshalError> {
        let field = fields.strip_prefix('.').filter(|_| !node.entries().is_empty());
        let Some(field) = field else { return self.yaml(node) };
        let (key, below) = field.split_at(field.find('.').unwrap_or(field.len()));
        let mut entries = BTreeMap::new();
        if let Some(value) = node.get(key) {
            entries.insert(key.into(), self.wanted(value, below)?);
        }
        Ok(self.map(entries))
    }

    fn yaml(&mut self, node: &Node) -> Result<Value, MarshalError> {
        self.check()?;
        let range = node.span.range();
        Ok(match &node.value {
            yaml::Value::Null => self.scalar(Value::NIL, range),
            yaml::Value::Bool(flag) => self.scalar(Value::from(*flag), range),
            yaml::Value::Int(number) => self.scalar(Value::from(*number as f64), range),
            yaml::Value::Uint(number) => self.scalar(Value::from(*number as f64), range),
            yaml::Value::Float(number) => self.scalar(Value::from(*number), range),
            yaml::Value::Str(text) => {
                let text =
                    scalar_text(self.source.unwrap_or_default(), node, text).as_bytes().to_vec();
                self.string(&text, range)
            }
            yaml::Value::Seq(items) => {
                let items = items.iter().map(|item| self.yaml(item)).collect::<Result<_, _>>()?;
                self.list(items)
            }
            yaml::Value::Map(map) => {
                let mut entries = BTreeMap::new();
                for entry in &map.entries {
                    entries.insert(entry.key.clone(), self.yaml(&entry.value)?);
                }
                self.map(entries)
            }
        })
    }

    pub(super) fn check(&self) -> Result<(), MarshalError> {
        self.context.check_stack().map_err(|error| MarshalError::fatal(error.message))
    }

    /// The inputs of a range of the text.
    fn taint(&mut self, range: Range<usize>) -> Taint {
        if !self.context.tracker.is_on() {
            return Taint::NONE;
        }
        if !self.is_exact || self.text.as_text().is_none_or(|text| text.spans().is_none()) {
            return self.text.observed(&mut self.context.tracker);
        }
        let part = self.slice(range);
        part.observed(&mut self.context.tracker)
    }

    fn slice(&mut self, range: Range<usize>) -> Value {
        let mut part = TextBuilder::new();
        part.push_slice(&mut self.context.tracker, self.text, range);
        part.finish()
    }

    /// A scalar at `range` of the source.
    pub(super) fn scalar(&mut self, value: Value, range: Range<usize>) -> Value {
        let taint = self.taint(range);
        value.with_taint(taint)
    }

    /// A string at `range` of the source, quoted or not.
    pub(super) fn string(&mut self, bytes: &[u8], range: Range<usize>) -> Value {
        let source = self.text.bytes();
        for inset in [0, 1] {
            let inner = range.start + inset..range.end.saturating_sub(inset);
            if self.is_exact && source.get(inner.clone()) == Some(bytes) && !bytes.is_empty() {
                return self.slice(inner);
            }
        }
        let taint = self.taint(range);
        Value::from(bytes.to_vec()).with_taint(taint)
    }

    pub(super) fn list(&mut self, items: Vec<Value>) -> Value {
        Value::from(List::new(items).shaped_by(self.structure))
    }

    pub(super) fn map(&mut self, entries: BTreeMap<Key, Value>) -> Value {
        let map = Map::of(&Type::MAP, entries);
        map.reshape(&mut self.context.tracker, self.structure);
        Value::from(map)
    }
}
