//! The tree: every value knows the bytes that wrote it.

use std::sync::{Arc, OnceLock};

use crate::Span;

/// A value and the bytes that wrote it. Strings and collections are shared, so a clone is cheap and an
/// alias costs nothing; the parser bounds what aliases can multiply to, and how deep a tree can be.
#[derive(Clone, Debug)]
pub struct Node {
    /// Scalars: with their quotes, of block scalars the content without header, from its first
    /// character to the last line that counts; collections: from the first to the last byte of their
    /// content; an alias: the alias; an empty value: an empty span where it would stand.
    pub span: Span,
    pub value: Value,
    pub style: Style,
}

/// A value as go-yaml resolves it for Kubernetes (YAML 1.1 with its exceptions).
#[derive(Clone, Debug)]
pub enum Value {
    Null,
    Bool(bool),
    Int(i64),
    /// Only what does not fit an `i64`.
    Uint(u64),
    /// Only what no integer type holds: `1.0` and `1e3` are integers to Kubernetes.
    Float(f64),
    Str(Arc<str>),
    Seq(Arc<[Node]>),
    Map(Arc<Map>),
}

/// How a node is written; fixes keep to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
    Block,
    Flow,
}

/// A mapping in the order it is written.
#[derive(Clone, Debug, Default)]
pub struct Map {
    /// Every key once, where it first stands: of duplicates the last value, and a merged value over
    /// the ones written before its `<<`, as go-yaml orders them.
    pub entries: Vec<Entry>,
    /// What a later entry of the same name replaces.
    pub overridden: Vec<Entry>,
    /// The order of the keys; looked up only in large mappings.
    sorted: OnceLock<Box<[u32]>>,
}

#[derive(Clone, Debug)]
pub struct Entry {
    pub key: Arc<str>,
    pub key_span: Span,
    pub value: Node,
    /// Came in through a merge key (`<<`).
    pub merged: bool,
}

impl Map {
    /// Up to this many entries a search is as fast as a look-up.
    const SMALL: usize = 32;

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

impl Node {
    /// The value under a key; `None` when this is no mapping or has no such key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entry(key).map(|entry| &entry.value)
    }

    /// Like [`Node::get`], for an explicit `null` too: what the API server sees as set.
    pub fn set(&self, key: &str) -> Option<&Node> {
        self.get(key).filter(|node| !node.is_null())
    }

    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.as_map()?.entry(key)
    }

    /// The value at a path of mapping keys.
    pub fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    /// The entries of a mapping; nothing for any other value.
    pub fn entries(&self) -> &[Entry] {
        self.as_map().map_or(&[], |map| &map.entries)
    }

    /// The items of a sequence; nothing for any other value.
    pub fn items(&self) -> &[Node] {
        match &self.value {
            Value::Seq(items) => items,
            _ => &[],
        }
    }

    pub fn as_map(&self) -> Option<&Map> {
        match &self.value {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.value {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            // The API server's JSON decoder takes a float without a fraction for an integer.
            Value::Float(number) if number.fract() == 0.0 && number.abs() < 9.0e15 => {
                Some(number as i64)
            }
            _ => None,
        }
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(flag) => Some(flag),
            _ => None,
        }
    }

    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// Null, or a collection without items: to the API server as good as absent.
    pub fn is_empty(&self) -> bool {
        match &self.value {
            Value::Null => true,
            Value::Map(map) => map.entries.is_empty(),
            Value::Seq(items) => items.is_empty(),
            _ => false,
        }
    }

    pub fn is_true(&self) -> bool {
        self.as_bool() == Some(true)
    }

    /// `string`, `integer`… as messages name a value's type.
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

    /// The value as JSON, as `kubectl … -o json` would print it.
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

/// Equal values, however and wherever they are written.
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
