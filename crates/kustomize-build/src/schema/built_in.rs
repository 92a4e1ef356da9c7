//! What kustomize knows of the built-in kinds: which lists a strategic merge merges, and by which keys.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

/// What is known of the fields below a value. Lists that are not known are replaced.
#[derive(Clone, Copy, Debug)]
pub(super) enum BuiltIn {
    Definition(&'static str),
    /// A list: the definition of its items, and the merge keys when it is merged. No key: a list of scalars.
    List(&'static str, Option<&'static [&'static str]>),
    /// A map with values of a definition.
    Values(&'static str),
}

#[derive(Default)]
struct Table {
    kinds: HashMap<(&'static str, &'static str), &'static str>,
    /// The definitions that have fields here.
    definitions: HashSet<&'static str>,
    fields: HashMap<(&'static str, &'static str), BuiltIn>,
}

/// The OpenAPI definitions of Kubernetes 1.21 that kustomize 5.8.1 embeds, as far as they matter. Written by
/// `testdata/tables`.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table::default();
    for line in include_str!("merge_keys.tsv").lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["kind", api_version, kind, definition] => {
                table.kinds.insert((api_version, kind), definition);
            }
            ["field", definition, field, shape, to, keys] => {
                table.definitions.insert(definition);
                table.fields.insert((definition, field), of_field(shape, to, keys));
            }
            _ => unreachable!("a line of the table is a kind or a field"),
        }
    }
    table
});

fn of_field(shape: &str, to: &'static str, keys: &'static str) -> BuiltIn {
    match shape {
        "[]" => BuiltIn::List(
            to,
            match keys {
                "" => None,
                "=" => Some(&[]),
                keys => Some(Vec::leak(keys.split(',').collect())),
            },
        ),
        "{}" => BuiltIn::Values(to),
        _ => BuiltIn::Definition(to),
    }
}

impl BuiltIn {
    /// The schema of a kind of resource.
    pub(super) fn of_kind(api_version: &str, kind: &str) -> Option<Self> {
        TABLE.kinds.get(&(api_version, kind)).map(|definition| Self::Definition(definition))
    }

    /// A definition by its name.
    pub(super) fn of_definition(name: &str) -> Option<Self> {
        TABLE.definitions.get(name).map(|definition| Self::Definition(definition))
    }

    pub(super) fn field(self, name: &str) -> Option<Self> {
        match self {
            Self::Definition(definition) => TABLE.fields.get(&(definition, name)).copied(),
            Self::Values(definition) => Some(Self::Definition(definition)),
            Self::List(..) => None,
        }
    }

    pub(super) fn items(self) -> Option<Self> {
        match self {
            Self::List(definition, _) if !definition.is_empty() => {
                Some(Self::Definition(definition))
            }
            _ => None,
        }
    }

    /// The merge keys of a list that is merged.
    pub(super) fn merge_keys(self) -> Option<&'static [&'static str]> {
        match self {
            Self::List(_, keys) => keys,
            _ => None,
        }
    }
}
