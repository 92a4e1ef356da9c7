//! Tables shared by reference, like Go's maps, while values are merged.
//!
//! Helm copies some tables shallowly (globals), so that a default of a sub-chart appears in its
//! parent. Sharing reproduces this without special cases.

use std::{
    cell::{Ref, RefCell, RefMut},
    collections::BTreeMap,
    rc::Rc,
    sync::Arc,
};

use go_template::{Limit, Meter};
use yaml_spans::Location;

use super::{Setting, Table, Tree};

/// Bytes of an entry, about.
const ENTRY: usize = 128;

/// A table shared by reference.
#[derive(Clone, Debug, Default)]
pub(crate) struct SharedTable(Rc<RefCell<BTreeMap<Arc<str>, Item>>>);

/// An entry of a shared table.
#[derive(Clone, Debug)]
pub(crate) enum Item {
    /// A null, scalar or list.
    Leaf(Setting),
    Table(SharedTable, Option<Location>),
}

impl SharedTable {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A copy of plain tables that shares nothing.
    pub(crate) fn of(table: &Table) -> Self {
        let entry = |(key, setting): (&Arc<str>, &Setting)| (key.clone(), Item::of(setting));
        Self(Rc::new(RefCell::new(table.iter().map(entry).collect())))
    }

    pub(crate) fn get(&self, key: &str) -> Option<Item> {
        self.entries().get(key).cloned()
    }

    /// The table under a key.
    pub(crate) fn table(&self, key: &str) -> Option<SharedTable> {
        self.get(key)?.as_table().cloned()
    }

    /// The table at a dotted path; `None` if a step is not a table.
    pub(crate) fn table_at(&self, path: &str) -> Option<SharedTable> {
        path.split('.').try_fold(self.clone(), |table, key| table.table(key))
    }

    /// The value at a dotted path, as Helm's `PathValue` finds it: never a table.
    pub(crate) fn leaf_at(&self, path: &str) -> Option<Setting> {
        let (above, last) = match path.rsplit_once('.') {
            Some((above, last)) => (self.table_at(above)?, last),
            None => (self.clone(), path),
        };
        match above.get(last)? {
            Item::Leaf(setting) => Some(setting),
            Item::Table(..) => None,
        }
    }

    pub(crate) fn insert(&self, key: impl Into<Arc<str>>, item: Item) {
        self.entries_mut().insert(key.into(), item);
    }

    pub(crate) fn remove(&self, key: &str) {
        self.entries_mut().remove(key);
    }

    pub(crate) fn entries(&self) -> Ref<'_, BTreeMap<Arc<str>, Item>> {
        self.0.borrow()
    }

    pub(crate) fn entries_mut(&self) -> RefMut<'_, BTreeMap<Arc<str>, Item>> {
        self.0.borrow_mut()
    }

    /// A copy of the current entries.
    pub(crate) fn snapshot(&self) -> Vec<(Arc<str>, Item)> {
        self.entries().iter().map(|(key, item)| (key.clone(), item.clone())).collect()
    }

    /// A copy that shares the tables below.
    pub(crate) fn shallow_copy(&self) -> Self {
        Self(Rc::new(RefCell::new(self.entries().clone())))
    }

    /// A copy that shares nothing. Tables that are shared grow when they are copied.
    ///
    /// # Errors
    ///
    /// The budget is used up.
    pub(crate) fn deep_copy(&self, meter: &mut Meter) -> Result<Self, Limit> {
        let entries = self.entries();
        let copy =
            |(key, item): (&Arc<str>, &Item)| Ok((key.clone(), item.deep_copy(&mut *meter)?));
        Ok(Self(Rc::new(RefCell::new(entries.iter().map(copy).collect::<Result<_, Limit>>()?))))
    }

    /// Charges a walk over all that is in the table, as often as it is in it.
    ///
    /// # Errors
    ///
    /// The budget is used up.
    pub(crate) fn charge(&self, meter: &mut Meter) -> Result<(), Limit> {
        for item in self.entries().values() {
            meter.spend(1)?;
            meter.allocate(ENTRY)?;
            if let Some(table) = item.as_table() {
                table.charge(meter)?;
            }
        }
        Ok(())
    }

    /// Removes nulls, recursively.
    pub(crate) fn drop_nulls(&self) {
        self.entries_mut().retain(|_, item| !item.is_null());
        self.entries().values().filter_map(Item::as_table).for_each(SharedTable::drop_nulls);
    }

    /// Identifies the table: equal only for the same table.
    pub(crate) fn address(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }
}

impl Item {
    fn of(setting: &Setting) -> Self {
        match &setting.value {
            Tree::Table(table) => Item::Table(SharedTable::of(table), setting.at.clone()),
            _ => Item::Leaf(setting.clone()),
        }
    }

    pub(crate) fn as_table(&self) -> Option<&SharedTable> {
        match self {
            Item::Table(table, _) => Some(table),
            Item::Leaf(_) => None,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Item::Leaf(setting) if setting.is_null())
    }

    fn deep_copy(&self, meter: &mut Meter) -> Result<Self, Limit> {
        meter.spend(1)?;
        meter.allocate(ENTRY)?;
        Ok(match self {
            Item::Leaf(setting) => Item::Leaf(setting.clone()),
            Item::Table(table, at) => Item::Table(table.deep_copy(meter)?, at.clone()),
        })
    }
}
