//! Merging shared tables.

use super::{Item, SharedTable};

/// How nulls are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Nulls {
    /// A null removes the default below it.
    Remove,
    /// Nulls stay, for later merging.
    Keep,
}

/// Adds the entries of `other` that `winner` lacks, recursively. With [`Nulls::Remove`], a null in
/// `winner` removes its key if `other` has a value for it.
pub(crate) fn merge_tables(winner: &SharedTable, other: &SharedTable, nulls: Nulls) {
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
