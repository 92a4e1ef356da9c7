//! Lists and maps: shared, and in the case of maps mutable, as in Go.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::{Data, Tracker, Type, Value};
use crate::provenance::{Input, InputSet, Inputs, Taint};

/// A map key.
pub type Key = Arc<str>;

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
    /// `[]interface{}`.
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

    /// States the inputs that determine how many items there are, in which order.
    pub fn shaped_by(mut self, shape: Taint) -> Self {
        if let Some(list) = Rc::get_mut(&mut self.0) {
            list.shape = shape;
            return self;
        }
        let ListData { ref items, go_type, is_nil, .. } = *self.0;
        Self(Rc::new(ListData { items: items.clone(), go_type, is_nil, shape }))
    }

    pub fn items(&self) -> &[Value] {
        &self.0.items
    }

    pub fn len(&self) -> usize {
        self.0.items.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.items.is_empty()
    }

    pub fn is_nil(&self) -> bool {
        self.0.is_nil
    }

    pub fn go_type(&self) -> &'static Type {
        self.0.go_type
    }

    /// The inputs that determine how many items there are, in which order.
    pub fn shape(&self) -> Taint {
        self.0.shape
    }

    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for List {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.items()).finish()
    }
}

/// A map with string keys. Clones are references to the same map, as in Go.
#[derive(Clone)]
pub struct Map(Rc<MapData>, &'static Type);

struct MapData {
    entries: RefCell<BTreeMap<Key, Value>>,
    is_nil: bool,
    /// The input it was loaded from, and its shape at that time.
    origin: Option<(Input, Taint)>,
    /// Keys that templates added to what was loaded.
    added: RefCell<BTreeSet<Key>>,
    shape: Cell<Taint>,
    /// Every template sees it.
    is_shared: Cell<bool>,
}

impl Default for Map {
    fn default() -> Self {
        Self::new()
    }
}

impl Map {
    /// An empty `map[string]interface{}`.
    pub fn new() -> Self {
        Self::of(&Type::MAP, BTreeMap::new())
    }

    /// A map of another type.
    pub fn of(go_type: &'static Type, entries: BTreeMap<Key, Value>) -> Self {
        Self::build(go_type, entries, false, None)
    }

    /// The nil map of a type: empty, and not writable.
    pub fn nil(go_type: &'static Type) -> Self {
        Self::build(go_type, BTreeMap::new(), true, None)
    }

    /// The map that the input `origin` holds. A missing key then counts as the input below it.
    /// The entries carry their own taint; see [`Value::label`].
    pub fn loaded(
        inputs: &mut Inputs,
        go_type: &'static Type,
        entries: BTreeMap<Key, Value>,
        origin: Input,
    ) -> Self {
        let shape = Taint::of(inputs.keys(origin));
        Self::build(go_type, entries, false, Some((origin, shape))).shared()
    }

    /// States that every template sees it.
    pub fn shared(self) -> Self {
        self.0.is_shared.set(true);
        self
    }

    pub(super) fn is_shared(&self) -> bool {
        self.0.is_shared.get()
    }

    /// A map of the same type, origin and shape with other entries under the same keys.
    pub fn with_entries(&self, entries: BTreeMap<Key, Value>) -> Self {
        let copy = Self::build(self.1, entries, false, self.0.origin);
        copy.0.shape.set(self.shape());
        copy.0.added.replace(self.0.added.borrow().clone());
        copy
    }

    fn build(
        go_type: &'static Type,
        entries: BTreeMap<Key, Value>,
        is_nil: bool,
        origin: Option<(Input, Taint)>,
    ) -> Self {
        let shape = Cell::new(origin.map_or(Taint::NONE, |(_, shape)| shape));
        let (entries, added) = (RefCell::new(entries), RefCell::default());
        let is_shared = Cell::new(false);
        let data = MapData { entries, is_nil, origin, added, shape, is_shared };
        Self(Rc::new(data), go_type)
    }

    pub fn get(&self, key: &str) -> Option<Value> {
        self.0.entries.borrow().get(key).cloned()
    }

    pub fn contains_key(&self, key: &str) -> bool {
        self.0.entries.borrow().contains_key(key)
    }

    pub fn len(&self) -> usize {
        self.0.entries.borrow().len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.entries.borrow().is_empty()
    }

    /// The nil map: `set` on it must fail with Go's `assignment to entry in nil map`.
    pub fn is_nil(&self) -> bool {
        self.0.is_nil
    }

    pub fn go_type(&self) -> &'static Type {
        self.1
    }

    /// The same map as a value of another type, as Go converts it.
    pub fn converted(&self, go_type: &'static Type) -> Self {
        Self(self.0.clone(), go_type)
    }

    /// The entries at this moment, sorted by key.
    pub fn entries(&self) -> Vec<(Key, Value)> {
        self.0.entries.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Adds or replaces an entry. The conditions under which this happens are the caller's to add:
    /// see [`Tracker::control`] and [`Map::reshape`].
    pub fn insert(&self, key: impl Into<Key>, value: Value) {
        let key = key.into();
        let old = self.0.entries.borrow_mut().insert(key.clone(), value);
        if old.is_none() && self.0.origin.is_some() {
            self.0.added.borrow_mut().insert(key);
        }
    }

    /// Adds or replaces an entry taken from `source`, where its name comes from too.
    pub fn adopt(&self, source: &Self, key: Key, value: Value) {
        if source.0.added.borrow().contains(&key) {
            return self.insert(key, value);
        }
        self.0.entries.borrow_mut().insert(key, value);
    }

    pub fn remove(&self, key: &str) -> Option<Value> {
        self.0.added.borrow_mut().remove(key);
        self.0.entries.borrow_mut().remove(key)
    }

    /// The inputs that determine which keys there are.
    pub fn shape(&self) -> Taint {
        self.0.shape.get()
    }

    /// The inputs behind the name of an entry: nothing flows into what a template wrote.
    pub fn key_taint(&self, tracker: &mut Tracker, key: &str) -> Taint {
        match self.0.added.borrow().contains(key) {
            true => tracker.decide(self.shape()),
            false => self.shape(),
        }
    }

    /// Adds to the inputs that determine which keys there are.
    pub fn reshape(&self, tracker: &mut Tracker, taint: Taint) {
        self.reshape_in(tracker.inputs(), taint);
    }

    /// The same before anything is executed.
    pub fn reshape_in(&self, inputs: &mut Inputs, taint: Taint) {
        self.0.shape.set(inputs.join(self.shape(), taint));
    }

    /// The input that the map was loaded from.
    pub fn origin(&self) -> Option<Input> {
        self.0.origin.map(|(origin, _)| origin)
    }

    /// What the absence of `key` depends on: the input that would be there, or the shape.
    pub fn absence(&self, tracker: &mut Tracker, key: &str) -> Taint {
        let shape = self.shape();
        match self.0.origin {
            Some((origin, initial)) if tracker.is_on() => {
                let missing = Taint::of(tracker.child(origin, key));
                if shape == initial { missing } else { tracker.join(shape, missing) }
            }
            _ => shape,
        }
    }

    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Adds a condition to the entry `key`, or to its absence.
    pub(super) fn condition(&self, tracker: &mut Tracker, key: Option<&str>, control: InputSet) {
        if let Some(key) = key {
            return self.decide_in(tracker.inputs(), key, control);
        }
        let taint = Taint { data: InputSet::EMPTY, control };
        self.reshape(tracker, taint);
        let mut entries = self.0.entries.borrow_mut();
        entries.values_mut().for_each(|value| value.add_taint(tracker, taint));
    }

    /// The same for one entry, before anything is executed.
    pub fn decide_in(&self, inputs: &mut Inputs, key: &str, control: InputSet) {
        let taint = Taint { data: InputSet::EMPTY, control };
        self.reshape_in(inputs, taint);
        if let Some(value) = self.0.entries.borrow_mut().get_mut(key) {
            *value = value.clone().with_taint(inputs.join(value.taint(), taint));
        }
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries()).finish()
    }
}

/// Nested containers are dropped from a list instead of recursively: templates can nest them as
/// deep as their step budget allows.
impl Drop for ListData {
    fn drop(&mut self) {
        drop_flat(std::mem::take(&mut self.items));
    }
}

impl Drop for MapData {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut *self.entries.borrow_mut());
        drop_flat(entries.into_values().collect());
    }
}

fn drop_flat(mut pending: Vec<Value>) {
    while let Some(value) = pending.pop() {
        match value.into_data() {
            Data::List(List(list)) => {
                if let Some(mut list) = Rc::into_inner(list) {
                    pending.append(&mut list.items);
                }
            }
            Data::Map(Map(map, _)) => {
                if let Some(map) = Rc::into_inner(map) {
                    pending.extend(std::mem::take(&mut *map.entries.borrow_mut()).into_values());
                }
            }
            _ => {}
        }
    }
}
