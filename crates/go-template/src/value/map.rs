//! Go maps with string keys.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use super::{Value, drop_flat};
use crate::provenance::{Input, InputSet, Inputs, Taint};
use crate::tracker::Tracker;
use crate::types::Type;

/// A map key.
pub type Key = Arc<str>;

/// A map with string keys. Clones are references to the same mutable map, as in Go.
#[derive(Clone)]
pub struct Map(Rc<MapData>, &'static Type);

struct MapData {
    entries: RefCell<BTreeMap<Key, Value>>,
    is_nil: bool,
    /// The input the map was loaded from, and its shape at that time.
    origin: Option<(Input, Taint)>,
    /// Keys that templates added to the loaded ones.
    added: RefCell<BTreeSet<Key>>,
    shape: Cell<Taint>,
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

    /// Marks the map as visible to every template.
    pub fn shared(self) -> Self {
        self.0.is_shared.set(true);
        self
    }

    pub(crate) fn is_shared(&self) -> bool {
        self.0.is_shared.get()
    }

    /// A map of the same type, origin and shape with other values for the same keys.
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

    /// The value at `key`.
    pub fn get(&self, key: &str) -> Option<Value> {
        self.0.entries.borrow().get(key).cloned()
    }

    /// Whether there is an entry at `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.0.entries.borrow().contains_key(key)
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.0.entries.borrow().len()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.0.entries.borrow().is_empty()
    }

    /// Whether this is the nil map. A function that writes to it must fail with Go's
    /// `assignment to entry in nil map`.
    pub fn is_nil(&self) -> bool {
        self.0.is_nil
    }

    /// The type of the map, not of its entries.
    pub fn go_type(&self) -> &'static Type {
        self.1
    }

    /// The same map as a value of another type: a Go conversion.
    pub fn converted(&self, go_type: &'static Type) -> Self {
        Self(self.0.clone(), go_type)
    }

    /// A snapshot of the entries, sorted by key.
    pub fn entries(&self) -> Vec<(Key, Value)> {
        self.0.entries.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect()
    }

    /// Adds or replaces an entry. The caller adds the conditions under which this happens: see
    /// [`Tracker::control`] and [`Map::reshape`].
    pub fn insert(&self, key: impl Into<Key>, value: Value) {
        let key = key.into();
        let old = self.0.entries.borrow_mut().insert(key.clone(), value);
        if old.is_none() && self.0.origin.is_some() {
            self.0.added.borrow_mut().insert(key);
        }
    }

    /// Adds or replaces an entry whose key and value come from `source`.
    pub fn adopt(&self, source: &Self, key: Key, value: Value) {
        if source.0.added.borrow().contains(&key) {
            return self.insert(key, value);
        }
        self.0.entries.borrow_mut().insert(key, value);
    }

    /// Removes an entry; returns its value.
    pub fn remove(&self, key: &str) -> Option<Value> {
        self.0.added.borrow_mut().remove(key);
        self.0.entries.borrow_mut().remove(key)
    }

    /// The inputs that determine which keys there are.
    pub fn shape(&self) -> Taint {
        self.0.shape.get()
    }

    /// The inputs behind the key of an entry. No data flows into a key that a template wrote.
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

    /// [`Self::reshape`] for use before execution.
    pub fn reshape_in(&self, inputs: &mut Inputs, taint: Taint) {
        self.0.shape.set(inputs.join(self.shape(), taint));
    }

    /// The input that the map was loaded from.
    pub fn origin(&self) -> Option<Input> {
        self.0.origin.map(|(origin, _)| origin)
    }

    /// The inputs behind the absence of `key`: the input that would be there, or the shape.
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

    /// Whether both are references to one map.
    pub fn is_same(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }

    /// Adds a condition to the entry `key`, or to its absence; without a key, to all entries.
    pub(crate) fn add_condition(
        &self,
        tracker: &mut Tracker,
        key: Option<&str>,
        control: InputSet,
    ) {
        if let Some(key) = key {
            return self.decide_in(tracker.inputs(), key, control);
        }
        let taint = Taint::control(control);
        self.reshape(tracker, taint);
        let mut entries = self.0.entries.borrow_mut();
        entries.values_mut().for_each(|value| value.add_taint(tracker, taint));
    }

    /// Adds a condition to the entry `key`, or to its absence, before execution.
    pub fn decide_in(&self, inputs: &mut Inputs, key: &str, control: InputSet) {
        let taint = Taint::control(control);
        self.reshape_in(inputs, taint);
        if let Some(value) = self.0.entries.borrow_mut().get_mut(key) {
            *value = value.clone().with_taint(inputs.join(value.taint(), taint));
        }
    }

    /// The values, if nothing else refers to the map.
    pub(super) fn into_unshared_values(self) -> Vec<Value> {
        let take = |map: MapData| std::mem::take(&mut *map.entries.borrow_mut());
        Rc::into_inner(self.0).map(take).unwrap_or_default().into_values().collect()
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.entries()).finish()
    }
}

impl Drop for MapData {
    fn drop(&mut self) {
        let entries = std::mem::take(&mut *self.entries.borrow_mut());
        drop_flat(entries.into_values().collect());
    }
}
