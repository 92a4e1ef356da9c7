//! Go slices.

use std::fmt;
use std::rc::Rc;

use super::{Value, drop_flat};
use crate::provenance::Taint;
use crate::types::Type;

/// A slice; immutable, and shared when cloned.
#[derive(Clone)]
pub struct List(Rc<ListData>);

struct ListData {
    items: Vec<Value>,
    go_type: &'static Type,
    is_nil: bool,
    shape: Taint,
}

impl List {
    /// A slice of type `[]interface{}`.
    pub fn new(items: Vec<Value>) -> Self {
        Self::of(&Type::LIST, items)
    }

    /// A slice of another type.
    pub fn of(go_type: &'static Type, items: Vec<Value>) -> Self {
        Self(Rc::new(ListData { items, go_type, is_nil: false, shape: Taint::NONE }))
    }

    /// The nil slice of a type.
    pub fn nil(go_type: &'static Type) -> Self {
        let (items, shape) = (Vec::new(), Taint::NONE);
        Self(Rc::new(ListData { items, go_type, is_nil: true, shape }))
    }

    /// The same list with other inputs that determine the number and order of its items.
    pub fn shaped_by(mut self, shape: Taint) -> Self {
        if let Some(list) = Rc::get_mut(&mut self.0) {
            list.shape = shape;
            return self;
        }
        let ListData { ref items, go_type, is_nil, .. } = *self.0;
        Self(Rc::new(ListData { items: items.clone(), go_type, is_nil, shape }))
    }

    /// The items.
    pub fn items(&self) -> &[Value] {
        &self.0.items
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.0.items.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.0.items.is_empty()
    }

    /// Whether this is the nil slice.
    pub fn is_nil(&self) -> bool {
        self.0.is_nil
    }

    /// The type of the slice, not of its items.
    pub fn go_type(&self) -> &'static Type {
        self.0.go_type
    }

    /// The inputs that determine the number and order of the items.
    pub fn shape(&self) -> Taint {
        self.0.shape
    }

    /// Whether both are clones of one list.
    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// The items, if nothing else refers to them.
    pub(super) fn into_unshared_items(self) -> Vec<Value> {
        Rc::into_inner(self.0).map(|mut list| std::mem::take(&mut list.items)).unwrap_or_default()
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.items()).finish()
    }
}

impl Drop for ListData {
    fn drop(&mut self) {
        drop_flat(std::mem::take(&mut self.items));
    }
}
