//! Text to documents: splitting as kubectl does, then one tree per document.

use std::{collections::HashMap, sync::Arc};

use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};

use super::{Entry, Map, Node, Style, Value, scalar};
use crate::source::Span;

/// One document of a file; empty ones (only comments) are left out.
#[derive(Debug)]
pub struct Document {
    pub root: Node,
    /// The bytes between its separators.
    pub span: Span,
}

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    pub span: Span,
    pub reason: String,
}

/// All documents of a text, in order; a broken one does not lose the others.
pub fn parse(text: &str) -> Vec<Result<Document, Problem>> {
    chunks(text)
        .into_iter()
        .filter_map(|chunk| chunk.and_then(|span| document(text, span)).transpose())
        .collect()
}

/// Splits at lines that start with `---`, before any parsing, as Kubernetes' `YAMLReader` does.
fn chunks(text: &str) -> Vec<Result<Span, Problem>> {
    let mut chunks = Vec::new();
    let mut start = 0;
    for at in separators(text) {
        chunks.push(Ok(Span::new(start, at)));
        let end = memchr::memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |n| at + n + 1);
        let rest = text[at + 3..end].trim();
        if !rest.is_empty() && !rest.starts_with('#') {
            let span = Span::new(at, at + text[at..end].trim_end().len());
            let reason = format!("invalid Yaml document separator: {rest}");
            chunks.push(Err(Problem { span, reason }));
        }
        start = end;
    }
    chunks.push(Ok(Span::new(start, text.len())));
    chunks
}

fn separators(text: &str) -> Vec<usize> {
    let at_line_start = |&at: &usize| at == 0 || text.as_bytes()[at - 1] == b'\n';
    memchr::memmem::find_iter(text.as_bytes(), "---").filter(at_line_start).collect()
}

fn document(text: &str, span: Span) -> Result<Option<Document>, Problem> {
    let slice = &text[span.range()];
    if slice.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'))
    {
        return Ok(None);
    }
    let mut builder = Builder::default();
    let options = granit_parser::options! { emit_comments: false };
    for event in Parser::new_from_str_with_options(slice, options) {
        let (event, at) = event.map_err(|error| {
            let at =
                span.start as usize + error.marker().byte_offset().unwrap_or(0).min(slice.len());
            let width = text[at..].chars().next().filter(|c| *c != '\n').map_or(0, char::len_utf8);
            Problem { span: Span::new(at, at + width), reason: error.info() }
        })?;
        let at = at.byte_range().unwrap_or_default();
        builder.event(
            event,
            Span::new(span.start as usize + at.start, span.start as usize + at.end),
        )?;
    }
    Ok(builder.root.map(|root| Document { root, span }))
}

/// Assembles the tree from parser events.
#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    root: Option<Node>,
    /// Nodes in the tree, and how many of them came through aliases.
    nodes: usize,
    aliased: usize,
}

/// A collection whose end has not come yet.
struct Open {
    span: Span,
    style: Style,
    anchor: usize,
    nodes_before: usize,
    content: Content,
}

enum Content {
    Seq(Vec<Node>),
    Map { map: Map, key: Option<Key> },
}

enum Key {
    Name(Box<str>, Span),
    Merge,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let node = scalar_node(&text, style, tag.as_deref(), span)?;
                self.nodes += 1;
                self.remember(anchor, &node, 1);
                let merge = &*text == "<<" && style == ScalarStyle::Plain;
                self.place(node, merge)
            }
            Event::Alias(id) => self.alias(id, span),
            Event::SequenceStart(style, anchor, _) => {
                self.open(span, style, anchor, Content::Seq(Vec::new()))
            }
            Event::MappingStart(style, anchor, _) => {
                self.open(span, style, anchor, Content::Map { map: Map::default(), key: None })
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            _ => Ok(()),
        }
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<(), Problem> {
        let Some((node, size)) = self.anchors.get(&id) else {
            return Err(Problem { span, reason: "anchor contains itself".into() });
        };
        self.nodes += size;
        self.aliased += size;
        if self.nodes > 1000 && self.aliased > 100 && self.too_many_aliases() {
            return Err(Problem { span, reason: "document contains excessive aliasing".into() });
        }
        let node = Node { span, ..node.clone() };
        self.place(node, false)
    }

    /// go-yaml's bound: up to 99 % of a small document may come from aliases, 10 % of a huge one.
    fn too_many_aliases(&self) -> bool {
        const SMALL: f64 = 400_000.0;
        const HUGE: f64 = 4_000_000.0;
        let nodes = self.nodes as f64;
        let large = ((nodes - SMALL) / (HUGE - SMALL)).clamp(0.0, 1.0);
        self.aliased as f64 / nodes > 0.99 - 0.89 * large
    }

    fn open(
        &mut self,
        span: Span,
        style: StructureStyle,
        anchor: usize,
        content: Content,
    ) -> Result<(), Problem> {
        let style = match style {
            StructureStyle::Block => Style::Block,
            StructureStyle::Flow => Style::Flow,
        };
        self.nodes += 1;
        self.open.push(Open { span, style, anchor, nodes_before: self.nodes, content });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), Problem> {
        let open = self.open.pop().expect("the parser closes only what it opened");
        let (value, content) = match open.content {
            Content::Seq(items) => {
                let span = items.first().zip(items.last()).map(|(a, b)| a.span.to(b.span));
                (Value::Seq(items.into()), span)
            }
            Content::Map { map, .. } => {
                let written = || map.entries.iter().chain(&map.overridden).filter(|e| !e.merged);
                let start = written().map(|e| e.key_span.start).min();
                let end = written().map(|e| e.value.span.end.max(e.key_span.end)).max();
                let span = start.zip(end).map(|(start, end)| Span { start, end });
                (Value::Map(Arc::new(map)), span)
            }
        };
        let span = match open.style {
            Style::Flow => open.span.to(end),
            // The end of a block collection is reported where the next token starts.
            _ => Span { start: open.span.start, end: content.unwrap_or(open.span).end },
        };
        let node = Node { span, value, style: open.style };
        self.remember(open.anchor, &node, self.nodes - open.nodes_before + 1);
        self.place(node, false)
    }

    fn remember(&mut self, anchor: usize, node: &Node, size: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
    }

    /// Puts a finished node where it belongs; `merge` says that it is written `<<`.
    fn place(&mut self, node: Node, merge: bool) -> Result<(), Problem> {
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        match &mut open.content {
            Content::Seq(items) => items.push(node),
            Content::Map { key: key @ None, .. } if merge => *key = Some(Key::Merge),
            Content::Map { key: key @ None, .. } => {
                *key = Some(Key::Name(key_text(&node)?, node.span))
            }
            Content::Map { map, key } => match key.take() {
                Some(Key::Merge) => merge_into(map, &node)?,
                Some(Key::Name(name, key_span)) => {
                    insert(map, Entry { key: name, key_span, value: node, merged: false });
                }
                None => {}
            },
        }
        Ok(())
    }
}

/// Later entries win, as in go-yaml; what they replace is kept aside.
fn insert(map: &mut Map, entry: Entry) {
    match map.entries.iter_mut().find(|old| old.key == entry.key) {
        Some(old) => {
            let old = std::mem::replace(old, entry);
            map.overridden.push(old);
        }
        None => map.entries.push(entry),
    }
}

/// A merge key takes effect where it stands: it replaces keys written before it (go-yaml).
fn merge_into(map: &mut Map, node: &Node) -> Result<(), Problem> {
    match &node.value {
        Value::Map(other) => {
            for entry in &other.entries {
                insert(map, Entry { merged: true, ..entry.clone() });
            }
            Ok(())
        }
        // Of several mappings the first has precedence.
        Value::Seq(items) if items.iter().all(|item| item.as_map().is_some()) => {
            items.iter().rev().try_for_each(|item| merge_into(map, item))
        }
        _ => Err(Problem {
            span: node.span,
            reason: "map merge requires map or sequence of maps as the value".into(),
        }),
    }
}

fn key_text(node: &Node) -> Result<Box<str>, Problem> {
    match &node.value {
        Value::Str(text) => Ok(text.clone()),
        Value::Bool(flag) => Ok(flag.to_string().into()),
        Value::Int(number) => Ok(number.to_string().into()),
        Value::Uint(number) => Ok(number.to_string().into()),
        Value::Float(number) => Ok(number.to_string().into()),
        Value::Null | Value::Seq(_) | Value::Map(_) => Err(Problem {
            span: node.span,
            reason: format!("a mapping key must be a string, not {}", node.type_name()),
        }),
    }
}

fn scalar_node(
    text: &str,
    style: ScalarStyle,
    tag: Option<&Tag>,
    span: Span,
) -> Result<Node, Problem> {
    let style = match style {
        ScalarStyle::Plain => Style::Plain,
        ScalarStyle::SingleQuoted => Style::SingleQuoted,
        ScalarStyle::DoubleQuoted => Style::DoubleQuoted,
        ScalarStyle::Literal => Style::Literal,
        ScalarStyle::Folded => Style::Folded,
    };
    // granit reports an empty value as `~` with an empty span.
    let text = if span.is_empty() && style == Style::Plain { "" } else { text };
    let value = match tag.and_then(Tag::core_suffix) {
        Some("str") => Value::Str(text.into()),
        Some("int" | "float" | "bool" | "null") => scalar::resolve(text),
        _ if style == Style::Plain => scalar::resolve(text),
        _ => Value::Str(text.into()),
    };
    if let Value::Float(number) = value
        && !number.is_finite()
    {
        return Err(Problem { span, reason: format!("json: unsupported value: {number}") });
    }
    Ok(Node { span, value, style })
}
