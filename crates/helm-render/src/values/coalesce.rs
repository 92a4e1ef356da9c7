//! Laying a chart's defaults under the values from above.
//!
//! Helm `pkg/chart/common/util/coalesce.go` (4) and `pkg/chartutil/coalesce.go` (3); the two differ in
//! what becomes of a default that is null.

use super::super::HelmVersion;
use super::super::dependencies::View;
use super::{GLOBAL, Item, Live, Setting, Tree};

/// How nulls are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// A null removes the default below it.
    Remove,
    /// Nulls stay, for a later coalescing.
    Keep,
}

/// Lays the defaults of a chart and its dependencies under `values`, in place.
///
/// # Errors
///
/// When what should be the table of a sub-chart is something else.
pub(crate) fn coalesce(
    chart: &View,
    values: &Live,
    nulls: Nulls,
    version: HelmVersion,
) -> Result<(), String> {
    coalesce_own(chart, values, nulls, version);
    for sub in chart.dependencies().iter() {
        let name = sub.name();
        let table = match values.get(&name) {
            None => {
                let table = Live::new();
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

/// What Go's `%t` prints.
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

fn coalesce_own(chart: &View, values: &Live, nulls: Nulls, version: HelmVersion) {
    let removes = nulls == Nulls::Remove;
    let cleans = |nulls| nulls == Nulls::Remove && version == HelmVersion::V4;
    for (key, default) in chart.defaults().snapshot() {
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
}

/// Adds what `winner` lacks of `other`, tables in depth. A null of the winner takes the key away when
/// nulls remove and the other has a value for it.
pub(crate) fn merge_tables(winner: &Live, other: &Live, nulls: Nulls) {
    for (key, item) in other.snapshot() {
        match (winner.get(&key), item) {
            (None, item) => winner.insert(key, item),
            (Some(own), item) if own.is_null() => {
                if nulls == Nulls::Remove && !item.is_null() {
                    winner.remove(&key);
                }
            }
            (Some(Item::Table(own, _)), Item::Table(other, _)) => merge_tables(&own, &other, nulls),
            (Some(_), _) => {}
        }
    }
}

/// Copies the parent's globals into the table of a sub-chart; the parent wins.
fn add_globals(table: &Live, parent: &Live) {
    let own = match table.get(GLOBAL) {
        None => Live::new(),
        Some(Item::Table(own, _)) => own,
        Some(Item::Leaf(_)) => return,
    };
    let (theirs, at) = match parent.get(GLOBAL) {
        None => (Live::new(), None),
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
