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

/// Sets the overrides in the user's values. Overriding an item of a list needs the rest of the
/// list, so this first merges the values without overrides.
pub(super) fn apply(
    chart: &Arc<Chart>,
    options: &RenderOptions,
    user: &mut Table,
) -> Result<(), Error> {
    let values = current(chart, options, user)?;
    for Override { path, value } in &options.overrides {
        set(user, &values, path, value);
    }
    Ok(())
}

fn set(table: &mut Table, current: &SharedTable, path: &[Step], value: &Tree) {
    let Some((Step::Key(key), rest)) = path.split_first() else { return };
    let found = current.get(key);
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

/// All scalars in the values that a chart's templates see, with their paths below `Values`.
///
/// # Errors
///
/// As [`render`](crate::render): the values do not fit together.
pub fn leaves(chart: &Arc<Chart>, options: &RenderOptions) -> Result<Vec<Override>, Error> {
    let values = current(chart, options, &options.values)?;
    let mut found = Vec::new();
    for (key, item) in values.snapshot() {
        collect_item(&item, &mut vec![Step::Key(key)], &mut found);
    }
    Ok(found)
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

/// The merged values without overrides.
fn current(
    chart: &Arc<Chart>,
    options: &RenderOptions,
    user: &Table,
) -> Result<SharedTable, Error> {
    let fail = |problem| Error::new(Reason::Values, problem);
    let view = ChartView::new(chart, &options.budget);
    process(&view, user, options.version).map_err(fail)?;
    let values = SharedTable::of(user);
    coalesce(&view, &values, Nulls::Remove, options.version).map_err(fail)?;
    Ok(values)
}
