//! Go types as far as templates can see them: names in messages, kinds, element types, methods.

use super::function::Params;
use super::{Executor, FuncError, Value};

/// `reflect.Kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoKind {
    Invalid,
    Bool,
    Int,
    Uint,
    Float,
    String,
    Slice,
    Map,
    Struct,
    Pointer,
    Interface,
}

/// A Go type. Types are compared by name, so an embedder's own are plain `static`s:
///
/// ```
/// use go_template::Type;
/// static VALUES: Type = Type::map("common.Values", &Type::INTERFACE).named(&Type::MAP);
/// ```
#[derive(Debug)]
pub struct Type {
    /// As `%T` prints it.
    pub name: &'static str,
    pub kind: GoKind,
    /// What a slice or map holds.
    pub elem: Option<&'static Type>,
    /// The unnamed type behind a named one: `map[string]interface {}` for `common.Values`.
    pub underlying: Option<&'static Type>,
    pub methods: &'static [Method],
}

/// A method that templates may call on values of a type.
#[derive(Debug)]
pub struct Method {
    pub name: &'static str,
    pub params: Params,
    /// Gets the context, the receiver, and the arguments, converted as `params` says.
    pub call: fn(&mut Executor<'_>, &Value, &[Value]) -> Result<Value, FuncError>,
}

impl Type {
    /// `interface{}`: accepts everything.
    pub const INTERFACE: Self = Self::new("interface {}", GoKind::Interface);
    /// `reflect.Value`: accepts everything, and tells `nil` in an interface from no value at all.
    pub const REFLECT: Self = Self::new("reflect.Value", GoKind::Struct);
    pub const BOOL: Self = Self::new("bool", GoKind::Bool);
    pub const INT: Self = Self::new("int", GoKind::Int);
    pub const INT8: Self = Self::new("int8", GoKind::Int);
    pub const INT16: Self = Self::new("int16", GoKind::Int);
    pub const INT32: Self = Self::new("int32", GoKind::Int);
    pub const INT64: Self = Self::new("int64", GoKind::Int);
    pub const UINT: Self = Self::new("uint", GoKind::Uint);
    pub const UINT8: Self = Self::new("uint8", GoKind::Uint);
    pub const UINT16: Self = Self::new("uint16", GoKind::Uint);
    pub const UINT32: Self = Self::new("uint32", GoKind::Uint);
    pub const UINT64: Self = Self::new("uint64", GoKind::Uint);
    pub const FLOAT64: Self = Self::new("float64", GoKind::Float);
    pub const STRING: Self = Self::new("string", GoKind::String);
    /// `[]interface{}`.
    pub const LIST: Self = Self::slice("[]interface {}", &Self::INTERFACE);
    /// `[]string`.
    pub const STRINGS: Self = Self::slice("[]string", &Self::STRING);
    /// `[]int`.
    pub const INTS: Self = Self::slice("[]int", &Self::INT);
    /// `[]byte`.
    pub const BYTES: Self = Self::slice("[]uint8", &Self::UINT8);
    /// `map[string]interface{}`.
    pub const MAP: Self = Self::map("map[string]interface {}", &Self::INTERFACE);
    /// `map[string]string`.
    pub const STRING_MAP: Self = Self::map("map[string]string", &Self::STRING);

    pub const fn new(name: &'static str, kind: GoKind) -> Self {
        Self { name, kind, elem: None, underlying: None, methods: &[] }
    }

    pub const fn slice(name: &'static str, elem: &'static Self) -> Self {
        let mut slice = Self::new(name, GoKind::Slice);
        slice.elem = Some(elem);
        slice
    }

    /// A map with string keys.
    pub const fn map(name: &'static str, elem: &'static Self) -> Self {
        let mut map = Self::new(name, GoKind::Map);
        map.elem = Some(elem);
        map
    }

    /// The same as a defined type with its own name.
    pub const fn named(mut self, underlying: &'static Self) -> Self {
        self.underlying = Some(underlying);
        self
    }

    pub const fn with_methods(mut self, methods: &'static [Method]) -> Self {
        self.methods = methods;
        self
    }

    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }

    /// What a slice or map holds; `interface{}` for other types.
    pub fn element(&self) -> &'static Self {
        self.elem.unwrap_or(&Self::INTERFACE)
    }

    pub fn method(&self, name: &str) -> Option<&'static Method> {
        self.methods.iter().find(|method| method.name == name)
    }

    /// Whether an untyped `nil` may be assigned to it (`reflect.Zero` makes sense for it).
    pub fn can_be_nil(&self) -> bool {
        use GoKind::{Interface, Map, Pointer, Slice};
        matches!(self.kind, Interface | Map | Pointer | Slice) || self.is(&Self::REFLECT)
    }

    /// Go's assignability, without interfaces that have methods.
    pub fn is_assignable_to(&self, target: &Self) -> bool {
        if self.is(target) || target.kind == GoKind::Interface {
            return true;
        }
        let one_is_unnamed = self.underlying.is_none() || target.underlying.is_none();
        let (a, b) = (self.underlying.unwrap_or(self), target.underlying.unwrap_or(target));
        one_is_unnamed && !self.is_basic() && a.is(b)
    }

    fn is_basic(&self) -> bool {
        use GoKind::{Bool, Float, Int, String, Uint};
        matches!(self.kind, Bool | Int | Uint | Float | String)
    }
}

impl GoKind {
    /// As `kind` methods print it. Sized numbers share a kind here: take the type's name for them.
    pub fn name(self) -> &'static str {
        match self {
            Self::Invalid => "invalid",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Uint => "uint",
            Self::Float => "float64",
            Self::String => "string",
            Self::Slice => "slice",
            Self::Map => "map",
            Self::Struct => "struct",
            Self::Pointer => "ptr",
            Self::Interface => "interface",
        }
    }
}
