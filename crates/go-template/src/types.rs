//! Go types as far as templates can see them: names in messages, kinds, element types.

/// Go's `reflect.Kind`, with one kind for integers of all sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoKind {
    /// No value.
    Invalid,
    /// `bool`.
    Bool,
    /// Signed integers.
    Int,
    /// Unsigned integers.
    Uint,
    /// `float64`.
    Float,
    /// `string`.
    String,
    /// Slices.
    Slice,
    /// Maps.
    Map,
    /// Structs.
    Struct,
    /// Pointers.
    Pointer,
    /// Interfaces.
    Interface,
}

/// A Go type. Types are compared by name, so an embedder declares its own as a plain `static`:
///
/// ```
/// use go_template::Type;
/// static VALUES: Type = Type::map("common.Values", &Type::INTERFACE).named(&Type::MAP);
/// ```
#[derive(Debug)]
pub struct Type {
    /// The name as `%T` prints it.
    pub name: &'static str,
    /// The kind.
    pub kind: GoKind,
    /// The type of the items of a slice or the entries of a map.
    elem: Option<&'static Type>,
    /// The unnamed type behind a named one: `map[string]interface {}` for `common.Values`.
    pub(crate) underlying: Option<&'static Type>,
}

impl Type {
    /// `interface{}`: accepts everything.
    pub const INTERFACE: Self = Self::new("interface {}", GoKind::Interface);
    /// `reflect.Value`: accepts everything, and tells `nil` in an interface from no value at all.
    pub(crate) const REFLECT: Self = Self::new("reflect.Value", GoKind::Struct);
    /// `bool`.
    pub const BOOL: Self = Self::new("bool", GoKind::Bool);
    /// `int`.
    pub const INT: Self = Self::new("int", GoKind::Int);
    pub(crate) const INT8: Self = Self::new("int8", GoKind::Int);
    pub(crate) const INT16: Self = Self::new("int16", GoKind::Int);
    pub(crate) const INT32: Self = Self::new("int32", GoKind::Int);
    /// `int64`.
    pub const INT64: Self = Self::new("int64", GoKind::Int);
    pub(crate) const UINT: Self = Self::new("uint", GoKind::Uint);
    pub(crate) const UINT8: Self = Self::new("uint8", GoKind::Uint);
    pub(crate) const UINT16: Self = Self::new("uint16", GoKind::Uint);
    /// `uint32`.
    pub const UINT32: Self = Self::new("uint32", GoKind::Uint);
    pub(crate) const UINT64: Self = Self::new("uint64", GoKind::Uint);
    /// `float64`.
    pub const FLOAT64: Self = Self::new("float64", GoKind::Float);
    /// `string`.
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

    /// A type without elements, named as `%T` prints it.
    pub const fn new(name: &'static str, kind: GoKind) -> Self {
        Self { name, kind, elem: None, underlying: None }
    }

    /// A slice of `elem`, named as `%T` prints it.
    pub const fn slice(name: &'static str, elem: &'static Self) -> Self {
        let mut slice = Self::new(name, GoKind::Slice);
        slice.elem = Some(elem);
        slice
    }

    /// A map from `string` to `elem`, named as `%T` prints it.
    pub const fn map(name: &'static str, elem: &'static Self) -> Self {
        let mut map = Self::new(name, GoKind::Map);
        map.elem = Some(elem);
        map
    }

    /// Makes this a defined type whose underlying type is `underlying`.
    pub const fn named(mut self, underlying: &'static Self) -> Self {
        self.underlying = Some(underlying);
        self
    }

    /// Whether both are the same type: types are compared by name.
    pub fn is(&self, other: &Self) -> bool {
        std::ptr::eq(self, other) || self.name == other.name
    }

    /// The type of the items of a slice or the entries of a map; `interface{}` for other types.
    pub fn element(&self) -> &'static Self {
        self.elem.unwrap_or(&Self::INTERFACE)
    }

    /// Whether an untyped `nil` may be assigned to it.
    pub(crate) fn can_be_nil(&self) -> bool {
        use GoKind::{Interface, Map, Pointer, Slice};
        matches!(self.kind, Interface | Map | Pointer | Slice) || self.is(&Self::REFLECT)
    }

    /// Go's assignability, except to interfaces that have methods.
    pub(crate) fn is_assignable_to(&self, target: &Self) -> bool {
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
    /// The name as `reflect.Kind` prints it. Integers of all sizes share a kind here: for them, use the
    /// name of the type.
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
