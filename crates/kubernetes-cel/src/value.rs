//! Values of expressions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A value. Cloning is cheap.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Value {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// `1`.
    Int(i64),
    /// `1u`.
    Uint(u64),
    /// `1.0`.
    Double(f64),
    /// `'a'`.
    String(Arc<str>),
    /// `b'a'`.
    Bytes(Arc<[u8]>),
    /// `[1, 2]`.
    List(Arc<[Value]>),
    /// `{'a': 1}`.
    Map(Arc<BTreeMap<Key, Value>>),
    /// Nanoseconds.
    Duration(i64),
    /// A point in time.
    Timestamp(Timestamp),
    /// `optional.of(1)` or `optional.none()`.
    Optional(Option<Arc<Value>>),
    /// A type, by its name.
    Type(Arc<str>),
    /// What only a cluster knows: the names of what is missing. A part of a map or list can be unknown.
    Unknown(Arc<BTreeSet<String>>),
}

/// A key of a map.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// `true` or `false`.
    Bool(bool),
    /// `1`.
    Int(i64),
    /// `1u`.
    Uint(u64),
    /// `'a'`.
    String(Arc<str>),
}

/// A point in time between the years 1 and 9999.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970 began.
    pub seconds: i64,
    /// Nanoseconds since that second began.
    pub nanoseconds: u32,
}

impl Value {
    /// What only a cluster knows, by a name that a person understands: `request.userInfo`.
    pub fn unknown(name: &str) -> Self {
        Self::Unknown(Arc::new(BTreeSet::from([name.to_owned()])))
    }

    /// A map with these entries.
    pub fn map<'k>(entries: impl IntoIterator<Item = (&'k str, Value)>) -> Self {
        let entries = entries.into_iter().map(|(key, value)| (Key::from(key), value));
        Self::Map(Arc::new(entries.collect()))
    }

    /// A list of these items.
    pub fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Self::List(items.into_iter().collect())
    }

    /// The value of a field of a map.
    pub fn field(&self, name: &str) -> Option<&Value> {
        match self {
            Self::Map(entries) => entries.get(&Key::from(name)),
            _ => None,
        }
    }

    /// The text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<&Key> for Value {
    fn from(key: &Key) -> Self {
        match key {
            Key::Bool(value) => Self::Bool(*value),
            Key::Int(value) => Self::Int(*value),
            Key::Uint(value) => Self::Uint(*value),
            Key::String(value) => Self::String(value.clone()),
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(text.into())
    }
}

/// JSON as the API server hands it to expressions: integers that fit are `int`, other numbers `double`.
impl From<&serde_json::Value> for Value {
    fn from(json: &serde_json::Value) -> Self {
        match json {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(value) => Self::Bool(*value),
            serde_json::Value::Number(number) => match number.as_i64() {
                Some(value) => Self::Int(value),
                None => Self::Double(number.as_f64().unwrap_or(f64::NAN)),
            },
            serde_json::Value::String(text) => Self::from(&**text),
            serde_json::Value::Array(items) => Self::list(items.iter().map(Self::from)),
            serde_json::Value::Object(fields) => {
                Self::map(fields.iter().map(|(name, value)| (&**name, Self::from(value))))
            }
        }
    }
}
