//! The tree of values.

use std::sync::{Arc, OnceLock};

use crate::Span;

/// A value and the bytes that wrote it. Strings and collections are shared, so clones and aliases are cheap. A tree is
/// at most 1000 levels deep, so recursion over it is safe.
///
/// Nodes are equal when their values are, however and wherever they are written.
#[derive(Clone, Debug)]
pub struct Node {
    /// The bytes that wrote the value:
    ///
    /// - a plain or quoted scalar, with its quotes;
    /// - the content of a block scalar, without its header and the indentation of its first line;
    /// - a flow collection with its brackets, a block collection from its first to its last byte;
    /// - an alias, not what it stands for;
    /// - an empty span where an absent value would stand.
    pub span: Span,
    /// The resolved value.
    pub value: Value,
    /// How the value is written; for an alias, how its anchor's value is.
    pub style: Style,
}

/// A value as go-yaml resolves it for Kubernetes: YAML 1.1 with go-yaml's exceptions.
#[derive(Clone, Debug)]
pub enum Value {
    /// `null`, `~`, or an absent value.
    Null,
    /// A boolean, such as `true`, `yes` or `off`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer too large for an `i64`.
    Uint(u64),
    /// A number that is not an integer. `1.0` and `1e3` are integers to Kubernetes.
    Float(f64),
    /// A string.
    Str(Arc<str>),
    /// A sequence.
    Seq(Arc<[Node]>),
    /// A mapping.
    Map(Arc<Map>),
}

/// How a node is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// A scalar without quotes.
    Plain,
    /// A scalar in `'…'`.
    SingleQuoted,
    /// A scalar in `"…"`.
    DoubleQuoted,
    /// A block scalar after `|`.
    Literal,
    /// A block scalar after `>`.
    Folded,
    /// A collection without brackets.
    Block,
    /// A collection in `[…]` or `{…}`.
    Flow,
}

/// A mapping.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// Each key once, in the order of first appearance. The last of several values wins, and a merged one wins over
    /// those written before its `<<`, as in go-yaml.
    pub entries: Vec<Entry>,
    /// The entries that a later one of the same key replaced.
    pub overridden: Vec<Entry>,
    /// Indices of the entries by key; filled on the first lookup in a large mapping.
    sorted: OnceLock<Box<[u32]>>,
}

/// A key of a mapping and its value.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The key as a string; other scalars are converted as `sigs.k8s.io/yaml` does.
    pub key: Arc<str>,
    /// The bytes that wrote the key, with quotes.
    pub key_span: Span,
    /// The value.
    pub value: Node,
    /// Whether a merge key (`<<`) brought the entry in; its spans are then those of the anchor.
    pub merged: bool,
}

impl Map {
    /// Up to this many entries a scan is as fast as a binary search.
    const SMALL: usize = 32;

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        if self.entries.len() <= Self::SMALL {
            return self.entries.iter().find(|entry| &*entry.key == key);
        }
        let sorted = self.sorted.get_or_init(|| {
            let mut order: Box<[u32]> = (0..self.entries.len() as u32).collect();
            order.sort_unstable_by(|&a, &b| self.key(a).cmp(self.key(b)));
            order
        });
        let found = sorted.binary_search_by(|&at| self.key(at).cmp(key)).ok()?;
        self.entries.get(sorted[found] as usize)
    }

    fn key(&self, at: u32) -> &str {
        &self.entries[at as usize].key
    }
}

impl Value {
    /// The type as Go's `encoding/json` names it in errors, such as `cannot unmarshal number into …`.
    pub fn json_type(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "bool",
            Self::Int(_) | Self::Uint(_) | Self::Float(_) => "number",
            Self::Str(_) => "string",
            Self::Seq(_) => "array",
            Self::Map(_) => "object",
        }
    }
}

impl Node {
    /// The same node with other items or values: what `replace` makes of each. The first of two equal keys is gone; a
    /// scalar stays.
    pub fn with_children(&self, replace: impl Fn(&Node) -> Node) -> Node {
        let value = match &self.value {
            Value::Seq(items) => Value::Seq(items.iter().map(replace).collect()),
            Value::Map(map) => {
                let entry = |entry: &Entry| Entry { value: replace(&entry.value), ..entry.clone() };
                let entries = map.entries.iter().map(entry).collect();
                Value::Map(Arc::new(Map { entries, ..Map::default() }))
            }
            scalar => scalar.clone(),
        };
        Node { value, ..self.clone() }
    }

    /// The value of a key; `None` when this is not a mapping or lacks the key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Like [`Node::get`], but `None` for an explicit `null` too, which the API server treats as unset.
    pub fn set(&self, key: &str) -> Option<&Node> {
        self.get(key).filter(|node| !node.is_null())
    }

    /// The entry of a key; `None` when this is not a mapping or lacks the key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.as_map()?.entry(key)
    }

    /// The value at a path of mapping keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The value that is written in a span; `None` if the tree holds none.
    pub fn written_at(&self, span: Span) -> Option<&Node> {
        let inner = match &self.value {
            Value::Map(map) => map.entries.iter().find_map(|one| one.value.written_at(span)),
            Value::Seq(items) => items.iter().find_map(|item| item.written_at(span)),
            _ => None,
        };
        inner.or_else(|| (self.span == span).then_some(self))
    }

    /// The entries of a mapping; empty for any other value.
    pub fn entries(&self) -> &[Entry] {
        self.as_map().map_or(&[], |map| &map.entries)
    }

    /// The items of a sequence; empty for any other value.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::Seq(items) => items,
            _ => &[],
        }
    }

    /// The mapping, if this is one.
    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The string, if this is one. Numbers and booleans are not converted.
    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The integer, if this is one that fits an `i64`.
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            // The API server's JSON decoder accepts a float without a fraction as an integer.
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => {
                Some(number as i64)
            }
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    /// Whether the value is null, explicit or absent.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Whether the value is null or an empty collection, which the API server treats as absent.
    pub fn is_empty(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Map(map) => map.entries.is_empty(),
            Value::Seq(items) => items.is_empty(),
            _ => false,
        }
    }

    /// Whether the value is the boolean `true`.
    pub fn is_true(&self) -> bool {
        self.as_bool() == Some(true)
    }

    /// The JSON Schema name of the value's type: `string`, `integer`, `object`…
    pub fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "boolean",
            Value::Int(_) | Value::Uint(_) => "integer",
            Value::Float(_) => "number",
            Value::Str(_) => "string",
            Value::Seq(_) => "array",
            Value::Map(_) => "object",
        }
    }

    /// The value as JSON, as `kubectl … -o json` prints it.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match &self.value {
            Value::Null => Json::Null,
            Value::Bool(flag) => Json::Bool(*flag),
            Value::Int(number) => Json::from(*number),
            Value::Uint(number) => Json::from(*number),
            Value::Float(number) => Json::from(*number),
            Value::Str(text) => Json::from(&**text),
            Value::Seq(items) => items.iter().map(Node::to_json).collect(),
            Value::Map(map) => {
                let entry = |entry: &Entry| (entry.key.to_string(), entry.value.to_json());
                Json::Object(map.entries.iter().map(entry).collect())
            }
        }
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Map(a), Value::Map(b)) => {
                a.entries.len() == b.entries.len()
                    && a.entries.iter().all(|e| b.entry(&e.key).is_some_and(|o| o.value == e.value))
            }
            (Value::Seq(a), Value::Seq(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Null, Value::Null) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Uint(a), Value::Uint(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b || (a.is_nan() && b.is_nan()),
            _ => false,
        }
    }
}
