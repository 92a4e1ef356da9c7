//! Values of expressions.

pub(crate) mod cost;
pub(crate) mod equality;
pub(crate) mod format_string;
pub(crate) mod functions;
pub(crate) mod text;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use functions::{Address, Decimal, NamedFormat, Network, Url, Version};

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
    /// A quantity, version, URL, address, network or format: only functions look into it.
    Opaque(Opaque),
    /// What only a cluster knows. A part of a map or list can be unknown.
    Unknown {
        /// The names of what is missing.
        names: Arc<BTreeSet<String>>,
        /// Whether `has()` is known to be true.
        is_present: bool,
    },
}

/// A value that only functions look into.
#[derive(Clone, Debug)]
pub struct Opaque(pub(crate) Inner);

#[derive(Clone, Debug)]
pub(crate) enum Inner {
    Quantity(Arc<Decimal>),
    Semver(Arc<Version>),
    Url(Arc<Url>),
    Ip(Address),
    Cidr(Network),
    Format(&'static NamedFormat),
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
#[derive(Clone, Copy, Debug)]
pub struct Timestamp {
    /// Seconds since 1970 began.
    pub seconds: i64,
    /// Nanoseconds since that second began.
    pub nanoseconds: u32,
    /// Seconds east of UTC of the zone it was written in. Two timestamps are equal if the points in time are.
    pub offset: i32,
}

impl Timestamp {
    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanoseconds).cmp(&(other.seconds, other.nanoseconds))
    }
}

impl Opaque {
    /// Whether two values of one type are equal.
    pub(crate) fn equal(&self, other: &Self) -> Option<bool> {
        Some(match (&self.0, &other.0) {
            (Inner::Quantity(left), Inner::Quantity(right)) => left.cmp(right).is_eq(),
            (Inner::Semver(left), Inner::Semver(right)) => left.cmp(right).is_eq(),
            (Inner::Url(left), Inner::Url(right)) => left.text() == right.text(),
            (Inner::Ip(left), Inner::Ip(right)) => left == right,
            (Inner::Cidr(left), Inner::Cidr(right)) => left == right,
            (Inner::Format(left), Inner::Format(right)) => left.name == right.name,
            _ => return None,
        })
    }

    pub(crate) fn type_name(&self) -> &'static str {
        match self.0 {
            Inner::Quantity(_) => "kubernetes.Quantity",
            Inner::Semver(_) => "kubernetes.Semver",
            Inner::Url(_) => "kubernetes.URL",
            Inner::Ip(_) => "net.IP",
            Inner::Cidr(_) => "net.CIDR",
            Inner::Format(_) => "kubernetes.NamedFormat",
        }
    }
}

impl Value {
    /// The name of its type at run time.
    pub(crate) fn type_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::String(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::Optional(_) => "optional_type",
            Self::Type(_) => "type",
            Self::Opaque(opaque) => opaque.type_name(),
            Self::Unknown { .. } => "unknown",
        }
    }

    /// What only a cluster knows, by a name that a person understands: `request.userInfo`.
    pub fn unknown(name: &str) -> Self {
        Self::Unknown { names: Arc::new(BTreeSet::from([name.to_owned()])), is_present: false }
    }

    /// The same for a part that is there, whatever its value.
    pub fn hidden(name: &str) -> Self {
        Self::Unknown { names: Arc::new(BTreeSet::from([name.to_owned()])), is_present: true }
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

/// The value as Go prints it. What only functions look into is its type, or its format.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Opaque(Opaque(Inner::Ip(address))) => address.fmt(f),
            Self::Opaque(Opaque(Inner::Cidr(network))) => network.fmt(f),
            Self::Opaque(Opaque(Inner::Format(format))) => write!(f, "format {}", format.name),
            Self::Opaque(opaque) => write!(f, "some {}", opaque.type_name()),
            other => f.write_str(&text::display(other)),
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
