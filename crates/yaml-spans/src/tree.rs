//! Assembles the tree from scalars, aliases, and the starts and ends of collections, in reading order.

use std::{collections::HashMap, sync::Arc};

use crate::{
    ErrorKind, Node, ParseError, ParserMessage, Span, Style, Value,
    mapping::{Form, OpenMap, UnsupportedKeys},
    number,
    text::line_start,
};

/// Deeper trees are rejected, so that recursion over one is safe. Only aliases and JSON can reach this; the
/// YAML parser stops at 255 levels of each kind of nesting.
const DEEPEST: usize = 1000;

/// How much of a document is read.
#[derive(Clone, Copy, Default)]
pub(crate) struct Extent<'a> {
    /// The fields that lead to what is kept; empty for all of it.
    pub path: &'a [&'a str],
    /// Whether to read no further than that.
    pub stops: bool,
}

/// A tree under construction.
#[derive(Default)]
pub(crate) struct Builder<'a> {
    /// The fields that lead to the part which is kept; empty for the whole tree.
    path: &'a [&'a str],
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    root: Option<Node>,
    /// Nodes in the tree.
    nodes: usize,
    /// Of these, nodes that came through aliases.
    aliased: usize,
    /// Entries that came through merge keys.
    merged: usize,
    unsupported: UnsupportedKeys,
    /// Whether an infinite number or NaN was read.
    non_finite: bool,
    /// Whether the whole path has led to a value.
    has_field: bool,
}

/// What an anchor names.
struct Anchored {
    node: Node,
    size: usize,
    depth: usize,
}

/// A collection whose end has not been read.
struct Open {
    span: Span,
    style: Style,
    anchor: usize,
    nodes_before: usize,
    depth: usize,
    /// Where its last content ends.
    end: u32,
    kept: Kept,
    content: Content,
}

/// How much of a node is kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    All,
    /// What the field at this index of the path holds.
    Field(usize),
    Nothing,
}

enum Content {
    Seq(Vec<Node>),
    Map(OpenMap),
}

impl<'a> Builder<'a> {
    /// Keeps only what a path of fields leads to, and all of a node that is no mapping where the path has a field.
    pub(crate) fn of(path: &'a [&'a str]) -> Self {
        Self { path, ..Self::default() }
    }

    /// Whether what is not kept decides about the rest: an anchor names it, or [`Self::finish`] may reject it.
    pub(crate) fn needs_all(&self) -> bool {
        let is_named = !self.anchors.is_empty();
        !self.path.is_empty() && (is_named || self.non_finite || !self.unsupported.is_empty())
    }

    /// Whether what is kept is complete, if no key comes twice.
    pub(crate) fn has_field(&self) -> bool {
        self.has_field
    }

    /// How much of the next node is kept.
    fn kept(&self) -> Kept {
        let at = |field| if field < self.path.len() { Kept::Field(field) } else { Kept::All };
        let Some(open) = self.open.last() else { return at(0) };
        let Content::Map(map) = &open.content else { return open.kept };
        match (open.kept, map.key()) {
            (Kept::Field(field), Some(key)) if key == self.path[field] => at(field + 1),
            (Kept::Field(_), Some(_)) => Kept::Nothing,
            // What is merged has to be a mapping.
            (_, None) => Kept::All,
            (kept, Some(_)) => kept,
        }
    }

    /// The opening bracket of the innermost collection, if it has one.
    pub(crate) fn bracket(&self) -> Option<Span> {
        self.open.last().filter(|open| open.style == Style::Flow).map(|open| open.span)
    }

    /// The column, in characters from 0, of the innermost block collection.
    pub(crate) fn block_column(&self, text: &str) -> Option<usize> {
        let start = self.open.iter().rfind(|open| open.style == Style::Block)?.span.start as usize;
        Some(text[line_start(text, start)..start].chars().count())
    }

    /// Whether the next node is the value of a key.
    pub(crate) fn expects_value(&self) -> bool {
        self.open_map().is_some_and(|map| !map.expects_key())
    }

    /// Whether the next node is a key.
    pub(crate) fn expects_key(&self) -> bool {
        self.open_map().is_some_and(OpenMap::expects_key)
    }

    fn open_map(&self) -> Option<&OpenMap> {
        match &self.open.last()?.content {
            Content::Map(map) => Some(map),
            Content::Seq(_) => None,
        }
    }

    /// Adds a scalar. `anchor` is the number of its anchor, 0 for none.
    pub(crate) fn scalar(
        &mut self,
        node: Node,
        anchor: usize,
        form: Form,
    ) -> Result<(), ParseError> {
        self.nodes += 1;
        self.non_finite |= matches!(node.value, Value::Float(number) if !number.is_finite());
        self.remember(anchor, &node, 1, 0);
        self.place(node, form)
    }

    /// Adds what an anchor names, at the span of the alias.
    pub(crate) fn alias(&mut self, anchor: usize, span: Span) -> Result<(), ParseError> {
        let Some(Anchored { node, size, depth }) = self.anchors.get(&anchor) else {
            return Err(ParseError::new(span, "this alias stands inside what it stands for")
                .with_kind(ErrorKind::AliasInsideAnchor));
        };
        let (node, depth) = (Node { span, ..node.clone() }, *depth);
        self.nodes += size + 1;
        self.aliased += size;
        if self.nodes > 1000 && self.aliased > 100 && self.has_too_many_aliases() {
            return Err(ParseError::new(span, "the document contains excessive aliasing")
                .with_kind(ErrorKind::ExcessiveAliasing));
        }
        if self.open.len() + depth > DEEPEST {
            return Err(too_deep(span));
        }
        if let Some(open) = self.open.last_mut() {
            open.depth = open.depth.max(depth);
        }
        self.place(node, Form::Alias)
    }

    /// go-yaml's limit: up to 99 % of a small document may come from aliases, 10 % of a huge one.
    fn has_too_many_aliases(&self) -> bool {
        const SMALL: f64 = 400_000.0;
        const HUGE: f64 = 4_000_000.0;
        let nodes = self.nodes as f64;
        let large = ((nodes - SMALL) / (HUGE - SMALL)).clamp(0.0, 1.0);
        self.aliased as f64 / nodes > 0.99 - 0.89 * large
    }

    /// Starts a sequence.
    pub(crate) fn open_sequence(
        &mut self,
        span: Span,
        style: Style,
        anchor: usize,
    ) -> Result<(), ParseError> {
        self.open(span, style, anchor, Content::Seq(Vec::new()))
    }

    /// Starts a mapping.
    pub(crate) fn open_mapping(
        &mut self,
        span: Span,
        style: Style,
        anchor: usize,
    ) -> Result<(), ParseError> {
        self.open(span, style, anchor, Content::Map(OpenMap::default()))
    }

    fn open(
        &mut self,
        span: Span,
        style: Style,
        anchor: usize,
        content: Content,
    ) -> Result<(), ParseError> {
        if self.open.len() >= DEEPEST {
            return Err(too_deep(span));
        }
        let nodes_before = self.nodes;
        self.nodes += 1;
        let end = span.end;
        let kept = match (self.kept(), &content) {
            (Kept::Field(_), Content::Seq(_)) => Kept::All,
            (kept, _) => kept,
        };
        self.open.push(Open { span, style, anchor, nodes_before, depth: 0, end, kept, content });
        Ok(())
    }

    /// Ends the innermost collection; `end` is the span of its closing bracket, if it has one.
    pub(crate) fn close(&mut self, end: Span) -> Result<(), ParseError> {
        let open = self.open.pop().expect("the parser closes only what it opened");
        let value = match open.content {
            Content::Seq(items) => Value::Seq(items.into()),
            Content::Map(map) => Value::Map(Arc::new(map.finish())),
        };
        let end = if open.style == Style::Flow { end.end } else { open.end };
        let node = Node { span: Span { end, ..open.span }, value, style: open.style };
        let depth = open.depth + 1;
        self.remember(open.anchor, &node, self.nodes - open.nodes_before, depth);
        if let Some(outer) = self.open.last_mut() {
            outer.depth = outer.depth.max(depth);
        }
        self.place(node, Form::Direct)
    }

    /// Ends all collections.
    pub(crate) fn close_all(&mut self, end: Span) -> Result<(), ParseError> {
        while !self.open.is_empty() {
            self.close(end)?;
        }
        Ok(())
    }

    fn remember(&mut self, anchor: usize, node: &Node, size: usize, depth: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), size, depth });
        }
    }

    /// Adds a finished node to the collection around it.
    fn place(&mut self, mut node: Node, form: Form) -> Result<(), ParseError> {
        if let Value::Float(number) = node.value
            && !self.expects_key()
        {
            node.value = number::normal(number);
        }
        let is_kept = self.kept() != Kept::Nothing;
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        open.end = open.end.max(node.span.end);
        match &mut open.content {
            Content::Seq(items) => {
                if is_kept {
                    items.push(node);
                }
                Ok(())
            }
            Content::Map(map) if map.expects_key() => {
                let bracket = (open.style == Style::Flow).then_some(open.span);
                map.take_key(node, form, bracket, &mut self.unsupported)
            }
            Content::Map(map) => {
                let is_last = open.kept == Kept::Field(self.path.len().wrapping_sub(1));
                self.has_field |= is_last && is_kept && map.key().is_some();
                map.take_value(node, form, is_kept, &mut self.merged)
            }
        }
    }

    /// The tree; `None` when nothing was added.
    pub(crate) fn finish(self) -> Result<Option<Node>, ParseError> {
        let Some(root) = self.root else { return Ok(None) };
        if self.non_finite || !self.unsupported.is_empty() {
            check_json(&root, &self.unsupported)?;
        }
        Ok(Some(root))
    }
}

fn too_deep(span: Span) -> ParseError {
    ParseError::new(span, format!("this is nested more than {DEEPEST} levels deep"))
}

/// Rejects what JSON, and therefore Kubernetes, cannot hold.
fn check_json(node: &Node, unsupported: &UnsupportedKeys) -> Result<(), ParseError> {
    match &node.value {
        Value::Float(number) if !number.is_finite() => Err(non_finite(*number, node.span)),
        Value::Seq(items) => items.iter().try_for_each(|item| check_json(item, unsupported)),
        Value::Map(map) => map.entries.iter().try_for_each(|entry| {
            match unsupported.get(&entry.key_span).filter(|_| entry.key.starts_with('\0')) {
                Some(reason) => Err(ParseError::new(entry.key_span, *reason)),
                None => check_json(&entry.value, unsupported),
            }
        }),
        _ => Ok(()),
    }
}

fn non_finite(number: f64, span: Span) -> ParseError {
    let what = if number.is_nan() { "not a number" } else { "infinite" };
    let reason = format!("this is {what}; Kubernetes has no such number");
    let shown = if number == f64::INFINITY { "+Inf".to_owned() } else { number.to_string() };
    let text = format!("json: unsupported value: {}", shown.replace("-inf", "-Inf"));
    ParseError {
        kind: ErrorKind::NotFinite,
        parser: Some(Box::new(ParserMessage { at: span.start, text })),
        ..ParseError::new(span, reason)
    }
}
