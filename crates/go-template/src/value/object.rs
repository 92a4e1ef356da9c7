//! Opaque Go values: structs, pointers to them, and named scalars.

use std::any::Any;
use std::fmt;

use super::Value;
use crate::types::Type;

/// A struct, a pointer to one, or another value whose inside templates reach only through fields
/// and methods.
pub trait Object: Any + fmt::Debug {
    /// The type, which tells structs from pointers.
    fn go_type(&self) -> &'static Type;

    /// The exported fields of the struct, in order.
    fn fields(&self) -> Vec<(&'static str, Value)> {
        Vec::new()
    }

    /// One of the fields.
    fn field(&self, name: &str) -> Option<Value> {
        self.fields().into_iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }

    /// The result of its `String` or `Error` method, if it has one: `%v`, `%s` and `%q` print that.
    fn string(&self) -> Option<String> {
        None
    }

    /// The text that an action writes for the object itself: the result of the `String` method of a
    /// pointer to it, if only the pointer has one and the object is addressable.
    fn pointer_string(&self) -> Option<String> {
        None
    }

    /// Go's notion of truth in templates; structs and non-nil pointers are true.
    fn truth(&self) -> bool {
        true
    }

    /// Go's `==`: identity by default, as for pointers; `None` if the type is not comparable.
    fn equals(&self, other: &dyn Object) -> Option<bool> {
        Some(std::ptr::addr_eq(std::ptr::from_ref(self).cast::<()>(), std::ptr::from_ref(other)))
    }
}
