//! Replacing single values, whatever sets them.

use std::sync::Arc;

use go_template::provenance::Step;

use crate::{
    Error, Reason,
    chart::Chart,
    dependencies::{ChartView, coalesce, process},
    options::{Override, RenderOptions},
    values::{Item, Nulls, Setting, SharedTable, Table, Tree},
};

/// The values that the templates of a chart see, before anything is overridden.
pub struct CurrentValues(SharedTable);

/// Sets the overrides of a render in the values of the user. Only what is in a list needs the values beside it.
pub(super) fn set_all(
    user: &mut Table,
    chart: &Arc<Chart>,
    options: &RenderOptions,
) -> Result<(), Error> {
    let is_index = |step: &Step| matches!(step, Step::Index(_));
    let current = match options.overrides.iter().any(|one| one.path.iter().any(is_index)) {
        true => CurrentValues::of(chart, options)?,
        false => CurrentValues(SharedTable::new()),
    };
    current.set(user, &options.overrides);
    Ok(())
}

impl CurrentValues {
    /// Merges the values of a chart with those of the user.
    ///
    /// # Errors
    ///
    /// As [`render`](crate::render): the values do not fit together.
    pub fn of(chart: &Arc<Chart>, options: &RenderOptions) -> Result<Self, Error> {
        let fail = |problem| Error::new(Reason::Values, problem);
        let view = ChartView::new(chart, &options.budget);
        process(&view, &options.values, options.version).map_err(fail)?;
        let values = SharedTable::of(&options.values);
        coalesce(&view, &values, Nulls::Remove, options.version).map_err(fail)?;
        Ok(Self(values))
    }

    /// All scalars, with their paths below `Values`.
    pub fn leaves(&self) -> Vec<Override> {
        let mut found = Vec::new();
        for (key, item) in self.0.snapshot() {
            collect_item(&item, &mut vec![Step::Key(key)], &mut found);
        }
        found
    }

    /// Whether somebody has set what stands at a path: it is there, and neither null nor an empty text.
    pub fn is_set(&self, path: &[Step]) -> bool {
        let [above @ .., Step::Key(last)] = path else { return false };
        let keys = above.iter().try_fold(self.0.clone(), |table, step| match step {
            Step::Key(key) => table.table(key),
            Step::Index(_) | Step::Keys => None,
        });
        let value = keys.and_then(|table| table.get(last));
        value.is_some_and(|item| match item {
            Item::Leaf(setting) => match setting.value {
                Tree::Null => false,
                Tree::Str(text) => !text.is_empty(),
                _ => true,
            },
            Item::Table(..) => true,
        })
    }

    /// Sets overrides in the user's values. What overrides an item of a list sets the whole list.
    pub fn set<'o>(&self, user: &mut Table, overrides: impl IntoIterator<Item = &'o Override>) {
        for Override { path, value } in overrides {
            set(user, &self.0, path, value);
        }
    }
}

fn set(table: &mut Table, current: &SharedTable, path: &[Step], value: &Tree) {
    let Some((Step::Key(key), rest)) = path.split_first() else { return };
    // A list or scalar that the user sets, or an override before this one, is whole.
    let own = table.get(key).filter(|own| !matches!(own.value, Tree::Table(_) | Tree::Null));
    let found = own.map(|own| Item::Leaf(own.clone())).or_else(|| current.get(key));
    if rest.is_empty() {
        table.insert(key.clone(), Setting { value: value.clone(), at: None });
        return;
    }
    match found {
        Some(Item::Leaf(mut setting)) => {
            set_below(&mut setting, rest, value);
            table.insert(key.clone(), setting);
        }
        found => {
            let below = found.and_then(|item| item.as_table().cloned()).unwrap_or_default();
            let own = table.entry(key.clone()).or_insert_with(|| Setting::table(Table::new()));
            if own.as_table().is_none() {
                *own = Setting::table(Table::new());
            }
            if let Some(own) = own.as_table_mut() {
                set(own, &below, rest, value);
            }
        }
    }
}

/// Sets a value inside a list.
fn set_below(setting: &mut Setting, path: &[Step], value: &Tree) {
    match (path.split_first(), &mut setting.value) {
        (None, _) => setting.value = value.clone(),
        (Some((Step::Index(index), rest)), Tree::List(items)) => {
            if let Some(item) = items.get_mut(*index as usize) {
                set_below(item, rest, value);
            }
        }
        (Some((Step::Key(key), rest)), Tree::Table(table)) => {
            let entry = table.entry(key.clone());
            let entry = entry.or_insert_with(|| Setting { value: Tree::Null, at: None });
            set_below(entry, rest, value);
        }
        (Some(_), _) => {}
    }
}

fn collect_item(item: &Item, path: &mut Vec<Step>, found: &mut Vec<Override>) {
    match item {
        Item::Leaf(setting) => collect(setting, path, found),
        Item::Table(table, _) => {
            for (key, item) in table.snapshot() {
                path.push(Step::Key(key));
                collect_item(&item, path, found);
                path.pop();
            }
        }
    }
}

fn collect(setting: &Setting, path: &mut Vec<Step>, found: &mut Vec<Override>) {
    let mut below = |step, setting: &Setting| {
        path.push(step);
        collect(setting, path, found);
        path.pop();
    };
    match &setting.value {
        Tree::List(items) => {
            for (index, item) in (0..).zip(items) {
                below(Step::Index(index), item);
            }
        }
        Tree::Table(table) => {
            for (key, setting) in table {
                below(Step::Key(key.clone()), setting);
            }
        }
        value => found.push(Override { path: path.clone(), value: value.clone() }),
    }
}
