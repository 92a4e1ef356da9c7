//! Merging the defaults of charts under the values that are set.
//!
//! Helm `pkg/chart/common/util/coalesce.go` (4) and `pkg/chartutil/coalesce.go` (3); the two treat
//! defaults that are null differently.

use go_template::Limit;

use crate::{
    HelmVersion,
    dependencies::ChartView,
    values::{GLOBAL, Item, Nulls, Setting, SharedTable, Tree, merge_tables},
};

/// Merges the defaults of a chart and its dependencies under `values`, in place.
///
/// # Errors
///
/// Helm's message if the value of a sub-chart is not a table.
pub(crate) fn coalesce(
    chart: &ChartView,
    values: &SharedTable,
    nulls: Nulls,
    version: HelmVersion,
) -> Result<(), String> {
    coalesce_own(chart, values, nulls, version).map_err(|limit| limit.to_string())?;
    for sub in chart.dependencies().iter() {
        let name = sub.name();
        let table = match values.get(&name) {
            None => {
                let table = SharedTable::new();
                values.insert(name, Item::Table(table.clone(), None));
                table
            }
            Some(Item::Table(table, _)) => table,
            Some(Item::Leaf(setting)) => {
                return Err(format!("type mismatch on {name}: {}", as_bool(&setting)));
            }
        };
        add_globals(&table, values);
        coalesce(sub, &table, nulls, version)?;
    }
    Ok(())
}

/// A value as Go's `%t` prints it.
fn as_bool(setting: &Setting) -> String {
    match &setting.value {
        Tree::Null => "%!t(<nil>)".into(),
        Tree::Bool(flag) => flag.to_string(),
        Tree::Int(number) => format!("%!t(int64={number})"),
        Tree::Float(number) => {
            let number = go_template::format::format_float(*number, b'g', None);
            format!("%!t(float64={number})")
        }
        Tree::Str(text) => format!("%!t(string={text})"),
        Tree::List(items) => {
            let items: Vec<_> = items.iter().map(as_bool).collect();
            format!("[{}]", items.join(" "))
        }
        Tree::Table(_) => "map[]".into(),
    }
}

fn coalesce_own(
    chart: &ChartView,
    values: &SharedTable,
    nulls: Nulls,
    version: HelmVersion,
) -> Result<(), Limit> {
    let removes = nulls == Nulls::Remove;
    let cleans = |nulls| nulls == Nulls::Remove && version == HelmVersion::V4;
    for (key, default) in chart.defaults()?.snapshot() {
        match (values.get(&key), default) {
            (None, default) => {
                if cleans(nulls) && default.is_null() {
                    continue;
                }
                if let (true, Some(table)) = (cleans(nulls), default.as_table()) {
                    table.drop_nulls();
                }
                values.insert(key, default);
            }
            (Some(value), _) if value.is_null() && removes => values.remove(&key),
            (Some(Item::Table(table, _)), Item::Table(default, _)) => {
                let is_sub_chart = chart.dependencies().iter().any(|sub| sub.name() == key);
                let nulls = if is_sub_chart { Nulls::Keep } else { nulls };
                if cleans(nulls) {
                    default.drop_nulls();
                }
                merge_tables(&table, &default, nulls);
            }
            (Some(_), _) => {}
        }
    }
    Ok(())
}

/// Copies the parent's globals into the table of a sub-chart; the parent's win.
fn add_globals(table: &SharedTable, parent: &SharedTable) {
    let own = match table.get(GLOBAL) {
        None => SharedTable::new(),
        Some(Item::Table(own, _)) => own,
        Some(Item::Leaf(_)) => return,
    };
    let (theirs, at) = match parent.get(GLOBAL) {
        None => (SharedTable::new(), None),
        Some(Item::Table(theirs, at)) => (theirs, at),
        Some(Item::Leaf(_)) => return,
    };
    for (key, item) in theirs.snapshot() {
        match (own.get(&key), &item) {
            (None, Item::Table(theirs, at)) => {
                own.insert(key, Item::Table(theirs.shallow_copy(), at.clone()));
            }
            (Some(Item::Table(mine, _)), Item::Table(theirs, at)) => {
                let merged = theirs.shallow_copy();
                merge_tables(&merged, &mine, Nulls::Keep);
                own.insert(key, Item::Table(merged, at.clone()));
            }
            (Some(Item::Leaf(_)), Item::Table(..)) | (Some(Item::Table(..)), Item::Leaf(_)) => {}
            (_, Item::Leaf(_)) => own.insert(key, item),
        }
    }
    table.insert(GLOBAL, Item::Table(own, at));
}
