//! Assembles the tree from what a reader meets, in order: scalars, aliases, openings, closings.

use std::{
    collections::{HashMap, hash_map},
    sync::Arc,
};

use super::{Entry, Map, Node, Problem, Style, Value, number};
use crate::Span;

/// Deeper trees are refused, so that whoever walks one by recursion is safe. Only aliases and JSON
/// can reach this; the YAML parser stops at 255 levels of each kind of nesting.
const DEEPEST: usize = 1000;

/// Entries copied by merge keys; a document without aliases reaches this only by nesting them.
const MOST_MERGED: usize = 1_000_000;

/// A tree being built.
#[derive(Default)]
pub struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, Anchored>,
    root: Option<Node>,
    /// Nodes in the tree, how many of them came through aliases, and entries through merge keys.
    nodes: usize,
    aliased: usize,
    merged: usize,
    /// Keys that have no JSON form. They are errors only if the document keeps them.
    unsupported: HashMap<Span, &'static str>,
    infinite: bool,
}

/// What an anchor names.
struct Anchored {
    node: Node,
    size: usize,
    depth: usize,
}

/// A collection whose end has not come yet.
struct Open {
    span: Span,
    style: Style,
    anchor: usize,
    nodes_before: usize,
    depth: usize,
    /// Where the last thing in it ends.
    end: u32,
    content: Content,
}

enum Content {
    Seq(Vec<Node>),
    Map { map: Map, key: Option<Key>, index: Option<Box<Index>> },
}

/// Where the keys of a large mapping are.
type Index = HashMap<Arc<str>, u32>;

enum Key {
    Name(Arc<str>, Span),
    Merge(Span),
}

/// How a node is written where it stands, as far as merge keys care.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Written {
    Directly,
    AsAlias,
    /// A plain `<<`.
    AsMerge,
}

impl Builder {
    /// The bracket around the current place, when that is the innermost collection.
    pub fn bracket(&self) -> Option<Span> {
        self.open.last().filter(|open| open.style == Style::Flow).map(|open| open.span)
    }

    /// The column of the innermost collection without brackets.
    pub fn block_column(&self, text: &str) -> Option<usize> {
        let start = self.open.iter().rfind(|open| open.style == Style::Block)?.span.start as usize;
        let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
        Some(text[line..start].chars().count())
    }

    /// True where the next node is the value of a key.
    pub fn expects_value(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Map { key: Some(_), .. }, .. }))
    }

    pub fn expects_key(&self) -> bool {
        matches!(self.open.last(), Some(Open { content: Content::Map { key: None, .. }, .. }))
    }

    pub fn scalar(&mut self, node: Node, anchor: usize, written: Written) -> Result<(), Problem> {
        self.nodes += 1;
        self.infinite |= matches!(node.value, Value::Float(number) if !number.is_finite());
        self.remember(anchor, &node, 1, 0);
        self.place(node, written)
    }

    pub fn alias(&mut self, id: usize, span: Span) -> Result<(), Problem> {
        let Some(Anchored { node, size, depth }) = self.anchors.get(&id) else {
            return Err(Problem::new(span, "this alias stands inside what it stands for"));
        };
        let (node, depth) = (Node { span, ..node.clone() }, *depth);
        self.nodes += size + 1;
        self.aliased += size;
        if self.nodes > 1000 && self.aliased > 100 && self.too_many_aliases() {
            return Err(Problem::new(span, "the document contains excessive aliasing"));
        }
        if self.open.len() + depth > DEEPEST {
            return Err(too_deep(span));
        }
        if let Some(open) = self.open.last_mut() {
            open.depth = open.depth.max(depth);
        }
        self.place(node, Written::AsAlias)
    }

    /// go-yaml's bound: up to 99 % of a small document may come from aliases, 10 % of a huge one.
    fn too_many_aliases(&self) -> bool {
        const SMALL: f64 = 400_000.0;
        const HUGE: f64 = 4_000_000.0;
        let nodes = self.nodes as f64;
        let large = ((nodes - SMALL) / (HUGE - SMALL)).clamp(0.0, 1.0);
        self.aliased as f64 / nodes > 0.99 - 0.89 * large
    }

    pub fn open_sequence(
        &mut self,
        span: Span,
        style: Style,
        anchor: usize,
    ) -> Result<(), Problem> {
        self.open(span, style, anchor, Content::Seq(Vec::new()))
    }

    pub fn open_mapping(&mut self, span: Span, style: Style, anchor: usize) -> Result<(), Problem> {
        let content = Content::Map { map: Map::default(), key: None, index: None };
        self.open(span, style, anchor, content)
    }

    fn open(
        &mut self,
        span: Span,
        style: Style,
        anchor: usize,
        content: Content,
    ) -> Result<(), Problem> {
        if self.open.len() >= DEEPEST {
            return Err(too_deep(span));
        }
        let nodes_before = self.nodes;
        self.nodes += 1;
        let end = span.end;
        self.open.push(Open { span, style, anchor, nodes_before, depth: 0, end, content });
        Ok(())
    }

    /// Ends the innermost collection; `end` is the place of its closing bracket, if it has one.
    pub fn close(&mut self, end: Span) -> Result<(), Problem> {
        let open = self.open.pop().expect("the parser closes only what it opened");
        let value = match open.content {
            Content::Seq(items) => Value::Seq(items.into()),
            Content::Map { map, .. } => Value::Map(Arc::new(map)),
        };
        let end = if open.style == Style::Flow { end.end } else { open.end };
        let node = Node { span: Span { end, ..open.span }, value, style: open.style };
        let depth = open.depth + 1;
        self.remember(open.anchor, &node, self.nodes - open.nodes_before, depth);
        if let Some(outer) = self.open.last_mut() {
            outer.depth = outer.depth.max(depth);
        }
        self.place(node, Written::Directly)
    }

    fn remember(&mut self, anchor: usize, node: &Node, size: usize, depth: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, Anchored { node: node.clone(), size, depth });
        }
    }

    /// Puts a finished node where it belongs.
    fn place(&mut self, mut node: Node, written: Written) -> Result<(), Problem> {
        if let Value::Float(number) = node.value
            && !self.expects_key()
        {
            node.value = number::normal(number);
        }
        let Some(open) = self.open.last_mut() else {
            self.root.get_or_insert(node);
            return Ok(());
        };
        open.end = open.end.max(node.span.end);
        match &mut open.content {
            Content::Seq(items) => items.push(node),
            Content::Map { key: key @ None, .. } if written == Written::AsMerge => {
                *key = Some(Key::Merge(node.span))
            }
            Content::Map { key: key @ None, .. } => {
                if open.style == Style::Flow
                    && open.span.end == node.span.start
                    && node.as_map().is_some()
                {
                    let start = open.span.start;
                    let reason = "`{{` starts a template; Kubernetes reads YAML only, so quote it";
                    return Err(Problem::new(Span { start, ..node.span }, reason));
                }
                let span = node.span;
                *key = Some(Key::Name(key_text(node, &mut self.unsupported)?, span))
            }
            Content::Map { map, key, index } => match key.take() {
                Some(Key::Merge(at)) => {
                    let at = if node.span.is_empty() { at } else { node.span };
                    let from = merged_from(&node, written).ok_or_else(|| {
                        Problem::new(at, "`<<` takes a mapping or a list of mappings")
                    })?;
                    for other in from.iter().rev() {
                        self.merged += other.entries.len();
                        for entry in &other.entries {
                            insert(map, index, Entry { merged: true, ..entry.clone() });
                        }
                    }
                    if self.merged > MOST_MERGED {
                        let reason = "the document contains excessive merging";
                        return Err(Problem::new(at, reason));
                    }
                }
                Some(Key::Name(name, key_span)) => {
                    let entry = Entry { key: name, key_span, value: node, merged: false };
                    insert(map, index, entry);
                }
                None => {}
            },
        }
        Ok(())
    }

    /// The tree; `None` when nothing was met.
    pub fn finish(self) -> Result<Option<Node>, Problem> {
        let Some(root) = self.root else { return Ok(None) };
        if self.infinite || !self.unsupported.is_empty() {
            only_json(&root, &self.unsupported)?;
        }
        Ok(Some(root))
    }
}

fn too_deep(span: Span) -> Problem {
    Problem::new(span, format!("this is nested more than {DEEPEST} levels deep"))
}

/// Later entries win, as in go-yaml; what they replace is kept aside.
fn insert(map: &mut Map, index: &mut Option<Box<Index>>, entry: Entry) {
    const SMALL: usize = 16;
    let count = map.entries.len();
    let known = if count < SMALL {
        map.entries.iter().position(|old| old.key == entry.key)
    } else {
        let written = || (0..).zip(&map.entries).map(|(at, entry)| (entry.key.clone(), at));
        let index = index.get_or_insert_with(|| Box::new(written().collect()));
        match index.entry(entry.key.clone()) {
            hash_map::Entry::Occupied(at) => Some(*at.get() as usize),
            hash_map::Entry::Vacant(free) => {
                free.insert(count as u32);
                None
            }
        }
    };
    match known {
        Some(at) => {
            let old = std::mem::replace(&mut map.entries[at], entry);
            map.overridden.push(old);
        }
        None => map.entries.push(entry),
    }
}

/// The mappings that a merge key takes, the most important first. It takes effect where it stands: it
/// replaces keys written before it (go-yaml).
fn merged_from(node: &Node, written: Written) -> Option<Vec<Arc<Map>>> {
    let mapping = |node: &Node| match &node.value {
        Value::Map(map) => Some(map.clone()),
        _ => None,
    };
    match &node.value {
        Value::Map(map) => Some(vec![map.clone()]),
        Value::Seq(items) if written == Written::Directly => items.iter().map(mapping).collect(),
        _ => None,
    }
}

fn key_text(
    node: Node,
    unsupported: &mut HashMap<Span, &'static str>,
) -> Result<Arc<str>, Problem> {
    match node.value {
        Value::Str(text) => Ok(text),
        Value::Bool(flag) => Ok(flag.to_string().into()),
        Value::Int(number) => Ok(number.to_string().into()),
        Value::Float(number) => Ok(number::key(number).into()),
        // A NUL keeps these apart from any key that is written.
        Value::Uint(number) => {
            unsupported.insert(node.span, "a key must be a string; this number is too large");
            Ok(format!("\0{number}").into())
        }
        Value::Null => {
            unsupported.insert(node.span, "a key must be a string; this is null");
            Ok("\0null".into())
        }
        Value::Seq(_) | Value::Map(_) => {
            let what = if node.as_map().is_some() { "a mapping" } else { "a list" };
            Err(Problem::new(node.span, format!("a key must be a string; this is {what}")))
        }
    }
}

/// Refuses what JSON, and so Kubernetes, cannot hold.
fn only_json(node: &Node, unsupported: &HashMap<Span, &'static str>) -> Result<(), Problem> {
    match &node.value {
        Value::Float(number) if !number.is_finite() => {
            let what = if number.is_nan() { "not a number" } else { "infinite" };
            let reason = format!("this is {what}; Kubernetes has no such number");
            let shown =
                if *number == f64::INFINITY { "+Inf".to_owned() } else { number.to_string() };
            let words = format!("json: unsupported value: {}", shown.replace("-inf", "-Inf"));
            Err(Problem {
                parser: Some((node.span.start, words)),
                ..Problem::new(node.span, reason)
            })
        }
        Value::Seq(items) => items.iter().try_for_each(|item| only_json(item, unsupported)),
        Value::Map(map) => map.entries.iter().try_for_each(|entry| {
            match unsupported.get(&entry.key_span).filter(|_| entry.key.starts_with('\0')) {
                Some(reason) => Err(Problem::new(entry.key_span, *reason)),
                None => only_json(&entry.value, unsupported),
            }
        }),
        _ => Ok(()),
    }
}
