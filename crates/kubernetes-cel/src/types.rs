//! Types of the checker, written as cel-go writes them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The type of an expression or a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Not checked before evaluation.
    Dyn,
    /// `null`.
    Null,
    /// `true` and `false`.
    Bool,
    /// 64-bit integers.
    Int,
    /// Unsigned 64-bit integers.
    Uint,
    /// 64-bit floating-point numbers.
    Double,
    /// Text.
    String,
    /// Bytes.
    Bytes,
    /// `google.protobuf.Duration`.
    Duration,
    /// `google.protobuf.Timestamp`.
    Timestamp,
    /// Lists with this type of item.
    List(Arc<Type>),
    /// Maps with these types of key and value.
    Map(Arc<(Type, Type)>),
    /// An optional value of this type.
    Optional(Arc<Type>),
    /// The type of types.
    Type(Arc<Type>),
    /// Objects with known fields.
    Object(Arc<Structure>),
    /// Values that only functions look into, for example `kubernetes.Quantity`.
    Opaque(&'static str),
    /// Of an expression that is refused.
    Error,
    /// A type that the checker has yet to find; only in signatures of functions.
    Parameter(u32),
}

/// The fields of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct Structure {
    /// Its name in messages.
    pub name: String,
    /// The fields by their names in Kubernetes.
    pub fields: BTreeMap<String, Type>,
}

impl Type {
    /// Lists with this type of item.
    pub fn list(item: Type) -> Self {
        Self::List(Arc::new(item))
    }

    /// Maps with these types of key and value.
    pub fn map(key: Type, value: Type) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// Optional values of this type.
    pub fn optional(value: Type) -> Self {
        Self::Optional(Arc::new(value))
    }

    /// Objects with these fields.
    pub fn object<N: Into<String>>(
        name: &str,
        fields: impl IntoIterator<Item = (N, Type)>,
    ) -> Self {
        let fields = fields.into_iter().map(|(name, of)| (name.into(), of)).collect();
        Self::Object(Arc::new(Structure { name: name.to_owned(), fields }))
    }
}

impl Type {
    /// The name that Go's `Type.String` gives it, which differs from the messages of the checker in a few places.
    pub(crate) fn declared_name(&self) -> String {
        match self {
            Self::Null => "null_type".to_owned(),
            Self::Duration => "google.protobuf.Duration".to_owned(),
            Self::Timestamp => "google.protobuf.Timestamp".to_owned(),
            Self::List(item) => format!("list({})", item.declared_name()),
            Self::Map(entry) => {
                format!("map({}, {})", entry.0.declared_name(), entry.1.declared_name())
            }
            Self::Optional(value) => format!("optional_type({})", value.declared_name()),
            Self::Type(of) => format!("type({})", of.declared_name()),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dyn => f.write_str("dyn"),
            Self::Error => f.write_str("!error!"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("bool"),
            Self::Int => f.write_str("int"),
            Self::Uint => f.write_str("uint"),
            Self::Double => f.write_str("double"),
            Self::String => f.write_str("string"),
            Self::Bytes => f.write_str("bytes"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::List(item) => write!(f, "list({item})"),
            Self::Map(entry) => write!(f, "map({}, {})", entry.0, entry.1),
            Self::Optional(value) => write!(f, "optional_type({value})"),
            Self::Type(of) => write!(f, "type({of})"),
            Self::Object(structure) => f.write_str(&structure.name),
            Self::Opaque(name) => f.write_str(name),
            Self::Parameter(index) => write!(f, "_var{index}"),
        }
    }
}
