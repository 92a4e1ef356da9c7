//! The values that templates compute with.

mod list;
mod map;
mod object;

use std::any::Any;
use std::rc::Rc;

pub use list::List;
pub use map::{Key, Map};
pub use object::Object;

use crate::provenance::{Input, InputSet, Inputs, Taint};
use crate::text::Text;
use crate::tracker::Tracker;
use crate::types::{GoKind, Type};

/// Values that a walk over a nested value visits before it gives up: values can contain themselves.
const MAX_VISITED: usize = 1 << 20;

/// A Go value and the inputs behind it. Cheap to clone.
///
/// The taint of a container belongs to the container as a whole (it was selected, computed, …).
/// Its shape says which entries it has, and each entry has a taint of its own.
#[derive(Clone, Debug)]
pub struct Value {
    data: Data,
    taint: Taint,
}

/// The Go value inside a [`Value`].
#[derive(Clone, Debug)]
pub enum Data {
    /// No value: an untyped nil, printed as `<no value>`.
    Nil,
    /// A nil held by a variable of type `interface{}`: what a missing map key yields. Functions see
    /// it only in parameters of type `reflect.Value`; elsewhere it is [`Data::Nil`].
    NilInterface,
    /// A `bool`.
    Bool(bool),
    /// A signed integer.
    Int(IntType, i64),
    /// An unsigned integer.
    Uint(UintType, u64),
    /// A `float64`.
    Float(f64),
    /// A `string`.
    String(Text),
    /// `[]byte`.
    Bytes(Text),
    /// A slice other than `[]byte`.
    List(List),
    /// A map with string keys.
    Map(Map),
    /// A struct, a pointer, or another opaque value.
    Object(Rc<dyn Object>),
}

/// The signed integer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IntType {
    /// `int`, 64 bits wide.
    Int,
    /// `int8`.
    Int8,
    /// `int16`.
    Int16,
    /// `int32`.
    Int32,
    /// `int64`.
    Int64,
}

/// The unsigned integer types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UintType {
    /// `uint`, 64 bits wide.
    Uint,
    /// `uint8`.
    Uint8,
    /// `uint16`.
    Uint16,
    /// `uint32`.
    Uint32,
    /// `uint64`.
    Uint64,
}

impl Value {
    /// No value, without inputs.
    pub const NIL: Self = Self { data: Data::Nil, taint: Taint::NONE };

    /// A value and its inputs.
    pub const fn new(data: Data, taint: Taint) -> Self {
        Self { data, taint }
    }

    /// An `int`.
    pub const fn int(value: i64) -> Self {
        Self::new(Data::Int(IntType::Int, value), Taint::NONE)
    }

    /// An `int64`.
    pub const fn int64(value: i64) -> Self {
        Self::new(Data::Int(IntType::Int64, value), Taint::NONE)
    }

    /// An opaque value.
    pub fn object(object: impl Object) -> Self {
        Self::new(Data::Object(Rc::new(object)), Taint::NONE)
    }

    /// The zero value of a type (`reflect.Zero`): a missing entry of a typed map, or `nil` for a typed
    /// parameter.
    pub fn zero(go_type: &'static Type) -> Self {
        let data = match go_type.kind {
            GoKind::Bool => Data::Bool(false),
            GoKind::Int => Data::Int(IntType::Int, 0),
            GoKind::Uint => Data::Uint(UintType::Uint, 0),
            GoKind::Float => Data::Float(0.0),
            GoKind::String => Data::String(Text::from("")),
            GoKind::Slice if go_type.is(&Type::BYTES) => Data::Bytes(Text::from("")),
            GoKind::Slice => Data::List(List::nil(go_type)),
            GoKind::Map => Data::Map(Map::nil(go_type)),
            GoKind::Invalid | GoKind::Struct | GoKind::Pointer | GoKind::Interface => Data::Nil,
        };
        Self::from(data)
    }

    /// The Go value.
    pub fn data(&self) -> &Data {
        &self.data
    }

    /// The Go value, without its inputs.
    pub fn into_data(self) -> Data {
        self.data
    }

    /// The inputs of the value as a whole. [`Self::observed`] has those that a function learns about
    /// by looking at it.
    pub fn taint(&self) -> Taint {
        self.taint
    }

    /// The same value with other inputs.
    pub fn with_taint(mut self, taint: Taint) -> Self {
        self.taint = taint;
        self
    }

    /// Adds inputs of the value as a whole.
    pub fn add_taint(&mut self, tracker: &mut Tracker, taint: Taint) {
        self.taint = tracker.join(self.taint, taint);
    }

    /// The same value, chosen because of `by`: all inputs of `by` become control inputs.
    pub fn decided_by(mut self, tracker: &mut Tracker, by: &Self) -> Self {
        let observed = by.observed(tracker);
        let control = tracker.decide(observed);
        self.add_taint(tracker, control);
        self
    }

    /// Tells provenance that a function takes the value for one that nobody set, which matters if it is `false`.
    pub fn pass_over(&self, tracker: &mut Tracker) {
        if matches!(self.data, Data::Bool(false)) && tracker.is_on() {
            tracker.inputs().overlook(self.taint);
        }
    }

    /// The inputs that testing or measuring the value reveals, without looking into its entries: its
    /// taint, those of the pieces of a text, the shape of a container.
    pub fn observed(&self, tracker: &mut Tracker) -> Taint {
        let inner = match &self.data {
            Data::String(text) | Data::Bytes(text) => text.inner_taint(tracker),
            Data::List(list) => list.shape(),
            Data::Map(map) => map.shape(),
            _ => return self.taint,
        };
        tracker.join(self.taint, inner)
    }

    /// The inputs of the byte at offset `at` of a text, including those of the whole text.
    pub fn taint_at(&self, tracker: &mut Tracker, at: usize) -> Taint {
        let piece = self.as_text().and_then(Text::spans).map(|spans| spans.taint_at(at));
        tracker.join(self.taint, piece.unwrap_or_default())
    }

    /// The inputs that printing or hashing the value reveals: containers and objects in depth.
    pub fn observed_deep(&self, tracker: &mut Tracker) -> Taint {
        let mut taint = self.observed(tracker);
        if !tracker.is_on() {
            return taint;
        }
        let mut pending = self.children();
        let mut budget = MAX_VISITED;
        while let Some(value) = pending.pop() {
            let observed = value.observed(tracker);
            taint = tracker.join(taint, observed);
            let mut children = value.children();
            tracker.visit(1 + children.len() as u64);
            budget = budget.saturating_sub(1 + children.len());
            if budget == 0 {
                return Taint { data: InputSet::ANY, ..taint };
            }
            pending.append(&mut children);
        }
        taint
    }

    /// The value as loaded from `input`: every scalar in it gets its own input, every container knows
    /// its own. Containers keep their types.
    pub fn label(self, inputs: &mut Inputs, input: Input) -> Self {
        match self.data {
            Data::List(list) => {
                let items = list.items().iter().enumerate();
                let items = items.map(|(i, item)| {
                    let input = inputs.item(input, i);
                    item.clone().label(inputs, input)
                });
                let items = items.collect();
                let shape = Taint::of(inputs.keys(input));
                Self::from(List::of(list.go_type(), items).shaped_by(shape))
            }
            Data::Map(map) => {
                let entries = map.entries().into_iter().map(|(key, value)| {
                    let input = inputs.child(input, &key);
                    (key, value.label(inputs, input))
                });
                let entries = entries.collect();
                Self::from(Map::loaded(inputs, map.go_type(), entries, input))
            }
            data => Self::new(data, Taint::of(input)),
        }
    }

    /// Whether this is one of the two nils.
    pub fn is_nil(&self) -> bool {
        matches!(self.data, Data::Nil | Data::NilInterface)
    }

    /// The `bool`, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        if let Data::Bool(value) = self.data { Some(value) } else { None }
    }

    /// The signed integer, if it is one of any size.
    pub fn as_int(&self) -> Option<i64> {
        if let Data::Int(_, value) = self.data { Some(value) } else { None }
    }

    /// The `float64`, if it is one.
    pub fn as_float(&self) -> Option<f64> {
        if let Data::Float(value) = self.data { Some(value) } else { None }
    }

    /// The `string`, if it is one.
    pub fn as_text(&self) -> Option<&Text> {
        if let Data::String(text) = &self.data { Some(text) } else { None }
    }

    /// The bytes of a `string` argument; empty for values of other types.
    pub fn bytes(&self) -> &[u8] {
        self.as_text().map_or(&[], Text::as_bytes)
    }

    /// The slice, if it is one.
    pub fn as_list(&self) -> Option<&List> {
        if let Data::List(list) = &self.data { Some(list) } else { None }
    }

    /// The map, if it is one.
    pub fn as_map(&self) -> Option<&Map> {
        if let Data::Map(map) = &self.data { Some(map) } else { None }
    }

    /// The object, if it is a `T`.
    pub fn as_object<T: Object>(&self) -> Option<&T> {
        let Data::Object(object) = &self.data else { return None };
        let any: &dyn Any = &**object;
        any.downcast_ref()
    }

    /// Go's notion of truth in templates: not the zero value, not empty.
    pub fn truth(&self) -> bool {
        match &self.data {
            Data::Nil | Data::NilInterface => false,
            Data::Bool(value) => *value,
            Data::Int(_, value) => *value != 0,
            Data::Uint(_, value) => *value != 0,
            Data::Float(value) => *value != 0.0,
            Data::String(text) | Data::Bytes(text) => !text.is_empty(),
            Data::List(list) => !list.is_empty(),
            Data::Map(map) => !map.is_empty(),
            Data::Object(object) => object.truth(),
        }
    }

    /// The dynamic type; `None` for nil.
    pub fn go_type(&self) -> Option<&'static Type> {
        Some(match &self.data {
            Data::Nil | Data::NilInterface => return None,
            Data::Bool(_) => &Type::BOOL,
            Data::Int(int, _) => int.go_type(),
            Data::Uint(uint, _) => uint.go_type(),
            Data::Float(_) => &Type::FLOAT64,
            Data::String(_) => &Type::STRING,
            Data::Bytes(_) => &Type::BYTES,
            Data::List(list) => list.go_type(),
            Data::Map(map) => map.go_type(),
            Data::Object(object) => object.go_type(),
        })
    }

    /// The type as `%T` prints it.
    pub fn type_name(&self) -> &'static str {
        self.go_type().map_or("<nil>", |go_type| go_type.name)
    }

    /// The type behind pointers, as messages name it.
    pub(crate) fn pointee_name(&self) -> &'static str {
        self.type_name().trim_start_matches('*')
    }

    /// The name of the kind as `reflect.Kind` prints it: `int64`, `map`, `invalid`, …
    pub fn kind_name(&self) -> &'static str {
        match &self.data {
            Data::Int(..) | Data::Uint(..) => self.type_name(),
            _ => self.go_type().map_or("invalid", |go_type| go_type.kind.name()),
        }
    }

    /// The values directly inside a container or object.
    fn children(&self) -> Vec<Self> {
        match &self.data {
            Data::Object(object) => object.fields().into_iter().map(|(_, value)| value).collect(),
            Data::List(list) => list.items().to_vec(),
            Data::Map(map) => map.entries().into_iter().map(|(_, value)| value).collect(),
            _ => Vec::new(),
        }
    }
}

impl IntType {
    /// The type of the same name.
    pub fn go_type(self) -> &'static Type {
        match self {
            Self::Int => &Type::INT,
            Self::Int8 => &Type::INT8,
            Self::Int16 => &Type::INT16,
            Self::Int32 => &Type::INT32,
            Self::Int64 => &Type::INT64,
        }
    }
}

impl UintType {
    /// The type of the same name.
    pub fn go_type(self) -> &'static Type {
        match self {
            Self::Uint => &Type::UINT,
            Self::Uint8 => &Type::UINT8,
            Self::Uint16 => &Type::UINT16,
            Self::Uint32 => &Type::UINT32,
            Self::Uint64 => &Type::UINT64,
        }
    }
}

macro_rules! value_from {
    ($($from:ty, $value:ident => $data:expr;)*) => {$(
        impl From<$from> for Value {
            fn from($value: $from) -> Self {
                Self::new($data, Taint::NONE)
            }
        }
    )*};
}

value_from! {
    Data, value => value;
    bool, value => Data::Bool(value);
    f64, value => Data::Float(value);
    &str, value => Data::String(Text::from(value));
    String, value => Data::String(Text::new(value.into_bytes()));
    Vec<u8>, value => Data::String(Text::new(value));
    Text, value => Data::String(value);
    List, value => Data::List(value);
    Map, value => Data::Map(value);
    Vec<Value>, value => Data::List(List::new(value));
}

impl FromIterator<(Key, Value)> for Value {
    fn from_iter<I: IntoIterator<Item = (Key, Value)>>(entries: I) -> Self {
        Self::from(Map::of(&Type::MAP, entries.into_iter().collect()))
    }
}

/// Drops nested containers in a loop instead of recursively: templates can nest them as deep as
/// their step budget allows.
fn drop_flat(mut pending: Vec<Value>) {
    while let Some(value) = pending.pop() {
        match value.into_data() {
            Data::List(list) => pending.extend(list.into_unshared_items()),
            Data::Map(map) => pending.extend(map.into_unshared_values()),
            _ => {}
        }
    }
}
