//! Which lists of the built-in kinds a strategic merge merges, and by which keys.

use std::{collections::HashMap, sync::LazyLock};

/// What is known of the fields below a value. Lists that are not known are replaced.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Schema {
    Definition(&'static str),
    /// A list: the definition of its items, and the merge keys when it is merged. No key: a list of scalars.
    List(&'static str, Option<&'static [&'static str]>),
    /// A map with values of a definition.
    Values(&'static str),
}

struct Table {
    kinds: HashMap<(&'static str, &'static str), &'static str>,
    fields: HashMap<(&'static str, &'static str), Schema>,
}

/// The schema of Kubernetes 1.21 that kustomize 5.8.1 embeds, as far as it matters. Written by `testdata/tables`.
static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let mut table = Table { kinds: HashMap::new(), fields: HashMap::new() };
    for line in include_str!("schema/merge_keys.tsv").lines() {
        match line.split('\t').collect::<Vec<_>>()[..] {
            ["kind", api_version, kind, definition] => {
                table.kinds.insert((api_version, kind), definition);
            }
            ["field", definition, field, shape, to, keys] => {
                table.fields.insert((definition, field), schema(shape, to, keys));
            }
            _ => unreachable!("a line of the table is a kind or a field"),
        }
    }
    table
});

fn schema(shape: &str, to: &'static str, keys: &'static str) -> Schema {
    match shape {
        "[]" => Schema::List(
            to,
            match keys {
                "" => None,
                "=" => Some(&[]),
                keys => Some(Vec::leak(keys.split(',').collect())),
            },
        ),
        "{}" => Schema::Values(to),
        _ => Schema::Definition(to),
    }
}

impl Schema {
    /// The schema of a kind of resource.
    pub(crate) fn of_kind(api_version: &str, kind: &str) -> Option<Self> {
        TABLE.kinds.get(&(api_version, kind)).map(|definition| Self::Definition(definition))
    }

    pub(crate) fn field(self, name: &str) -> Option<Self> {
        match self {
            Self::Definition(definition) => TABLE.fields.get(&(definition, name)).copied(),
            Self::Values(definition) => Some(Self::Definition(definition)),
            Self::List(..) => None,
        }
    }

    pub(crate) fn items(self) -> Option<Self> {
        match self {
            Self::List(definition, _) if !definition.is_empty() => {
                Some(Self::Definition(definition))
            }
            _ => None,
        }
    }

    /// The merge keys of a list that is merged.
    pub(crate) fn merge_keys(self) -> Option<&'static [&'static str]> {
        match self {
            Self::List(_, keys) => keys,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn containers_of_a_cron_job_merge_by_name() {
        let path = ["spec", "jobTemplate", "spec", "template", "spec", "containers"];
        let schema = Schema::of_kind("batch/v1", "CronJob").unwrap();
        let list = path.into_iter().try_fold(schema, |schema, field| schema.field(field)).unwrap();
        assert_eq!(list.merge_keys(), Some(&["name"][..]));
        let ports = list.items().and_then(|item| item.field("ports")).unwrap();
        assert_eq!(ports.merge_keys(), Some(&["containerPort", "protocol"][..]));
        assert!(list.items().and_then(|item| item.field("args")).is_none());
    }
}
