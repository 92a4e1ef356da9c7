//! Merging lists whose items have keys.

use super::{Known, key_node, location, walk};
use crate::{
    error::{Error, Result},
    node::{Data, Kind, Node},
};

/// The values of the keys of an item; those that it lacks are empty.
type Values = Vec<String>;

/// Merges the items of a patch into a list.
pub(super) fn merge_list(
    mut list: Node,
    patch: Option<Node>,
    known: Known<'_>,
    keys: &[&str],
) -> Result<Node> {
    let keys = if keys.is_empty() { &[""][..] } else { keys };
    let mut all = all_values(&list, patch.as_ref(), keys);
    if all.is_empty() {
        return Ok(list);
    }
    if keys.len() > 1 {
        join_values(&mut all);
    }
    let mut merged = Node::seq();
    let mut last_keys = keys.to_vec();
    for values in &all {
        let (keys, values) = used(&all, values, keys);
        last_keys.clone_from(&keys);
        let (own_keys, own_values) = used(std::slice::from_ref(&values), &values, &keys);
        let index = find(&list, &own_keys, &own_values);
        let own = index.map(|index| list.items()[index].clone());
        let other = patch.as_ref().and_then(|patch| {
            find(patch, &own_keys, &own_values).map(|index| patch.items()[index].clone())
        });
        let Some(value) = walk(own, other, known)?
            .filter(|value| !value.node.is_null() && !value.node.is_empty_map())
        else {
            set_item(&mut list, &keys, &values, None);
            continue;
        };
        let mut item = value.node;
        for (key, text) in keys.iter().zip(&values) {
            if !key.is_empty() && item.get(key).is_none() && !text.is_empty() {
                let node = key_node(text, &item);
                item.set(key, node, &Default::default());
            }
        }
        // kyaml changes the item of the target in place, unless the patch replaces it.
        if let (Some(index), true, Data::Seq(items)) = (index, value.is_target, &mut list.data) {
            items[index] = item.clone();
        }
        set_item(&mut merged, &keys, &values, Some(item));
    }
    append(&mut merged, list.clone(), &last_keys)?;
    list.data = merged.data;
    Ok(list)
}

/// The values of the keys of all items: those of the patch first, each once.
fn all_values(list: &Node, patch: Option<&Node>, keys: &[&str]) -> Vec<Values> {
    let mut all: Vec<Values> = Vec::new();
    for item in [patch, Some(list)].into_iter().flatten().flat_map(Node::items) {
        let value = |key: &&str| match *key {
            "" => item.text().to_owned(),
            key => {
                item.get(key).filter(|value| !value.is_empty()).map_or("", Node::text).to_owned()
            }
        };
        let values: Values = keys.iter().map(value).collect();
        if !all.contains(&values) {
            all.push(values);
        }
    }
    all
}

/// Fills in the values that items lack from items that agree on the others.
fn join_values(all: &mut [Values]) {
    for i in 0..all.len() {
        for j in 0..all.len() {
            if let Some(joined) = joined(&all[i], &all[j]) {
                all[i].clone_from(&joined);
                all[j] = joined;
            }
        }
    }
}

fn joined(a: &Values, b: &Values) -> Option<Values> {
    let mut is_common = false;
    let mut values = Values::new();
    for (a, b) in a.iter().zip(b) {
        if a == b {
            is_common = true;
        } else if !a.is_empty() && !b.is_empty() {
            return None;
        }
        values.push(if a.is_empty() { b.clone() } else { a.clone() });
    }
    is_common.then_some(values)
}

/// The keys that any item has, and the values for them.
fn used<'k>(all: &[Values], values: &Values, keys: &[&'k str]) -> (Vec<&'k str>, Values) {
    let has =
        |index: usize| all.iter().any(|values| values.get(index).is_some_and(|v| !v.is_empty()));
    if !(0..keys.len()).any(has) {
        return (keys.to_vec(), values.clone());
    }
    let kept = (0..keys.len()).filter(|&index| has(index));
    kept.map(|index| (keys[index], values.get(index).cloned().unwrap_or_default())).unzip()
}

/// The first item with these values.
fn find(list: &Node, keys: &[&str], values: &Values) -> Option<usize> {
    let fits = |item: &Node| {
        if keys.first().is_none_or(|key| key.is_empty()) {
            return values.first().is_some_and(|value| item.text() == value);
        }
        matches!(item.data, Data::Map(_))
            && keys
                .iter()
                .zip(values)
                .all(|(key, value)| item.get(key).is_some_and(|field| field.text() == value))
    };
    list.items().iter().position(fits)
}

/// kyaml's `ElementSetter`: replaces or removes the items with these values, or appends one.
fn set_item(list: &mut Node, keys: &[&str], values: &[String], item: Option<Node>) {
    let Data::Seq(items) = &mut list.data else { return };
    let sets_map = keys.first().is_some_and(|key| !key.is_empty())
        && values.first().is_some_and(|value| !value.is_empty());
    let mut is_found = false;
    let mut kept = Vec::new();
    for old in std::mem::take(items) {
        if old.is_null() || old.is_empty_map() {
            continue;
        }
        if sets_map && !matches!(old.data, Data::Map(_)) {
            kept.push(old);
        } else if !is_match(&old, keys, values) {
            if !values.is_empty() {
                kept.push(old);
            }
        } else {
            is_found = true;
            kept.extend(item.clone());
        }
    }
    *items = kept;
    if !is_found {
        items.extend(item.filter(|item| !item.is_null()));
    }
}

fn is_match(item: &Node, keys: &[&str], values: &[String]) -> bool {
    let mut last = false;
    keys.iter().enumerate().all(|(index, key)| {
        if let Some(value) = values.get(index) {
            last = match *key {
                "" => item.text() == value,
                key => item.get(key).is_some_and(|field| value.is_empty() || field.text() == value),
            };
        }
        last
    })
}

/// Appends items, each in the place of the one with the same values.
fn append(list: &mut Node, other: Node, keys: &[&str]) -> Result<()> {
    let Data::Seq(items) = other.data else { return Ok(()) };
    for item in items {
        if keys[0].is_empty() {
            let values = [item.text().to_owned()];
            set_item(list, &[""], &values, Some(item));
            continue;
        }
        if !item.is_null() && item.kind() != Kind::Map {
            let (map, own) = (Kind::Map.name(), item.kind().name());
            let message = format!("wrong node kind: expected {map} but got {own}");
            return Err(Error::transformer(message).at(location(&item)));
        }
        let mut values = Vec::new();
        for key in keys {
            match item.get(key) {
                Some(value) => values.push(value.text().to_owned()),
                None => {
                    if let Data::Seq(items) = &mut list.data {
                        items.push(item.clone());
                    }
                }
            }
        }
        // With several keys, kyaml removes the item first so that it is not there twice.
        if keys.len() > 1 {
            set_item(list, keys, &values, None);
        }
        set_item(list, keys, &values, Some(item));
    }
    Ok(())
}
