//! Strategic merge, as kyaml's `merge2` does it, items of patches first.

mod lists;

use yaml_spans::Location;

use self::lists::merge_list;
use crate::{
    error::{Error, Result},
    node::{Data, Kind, Node},
    scalar::Tag,
    schema::{Layers, Schema},
};

/// A merged value.
pub(crate) struct Merged {
    pub(crate) node: Node,
    /// Whether a null stays, because the target has it.
    keeps_null: bool,
    /// Whether this is the target's value changed, rather than the patch's.
    is_target: bool,
}

/// What a patch says about a map or list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Directive {
    Merge,
    Replace,
    Delete,
}

/// Merges a patch into a resource. `None`: the patch deletes it.
pub(crate) fn merge(target: Node, patch: Node, schemas: &Layers) -> Result<Option<Node>> {
    let known = Known { schemas, schema: None };
    Ok(walk(Some(target), Some(patch), known)?.map(|merged| merged.node))
}

/// What is known of a value.
#[derive(Clone, Copy)]
struct Known<'s> {
    schemas: &'s Layers,
    schema: Option<Schema<'s>>,
}

impl<'s> Known<'s> {
    /// What is known of a value that may be a resource.
    fn or_of(self, node: &Option<Node>) -> Self {
        let text = |key| node.as_ref().and_then(|node| node.get(key)).map(Node::text);
        let of_kind = || self.schemas.of_kind(text("apiVersion")?, text("kind")?);
        Self { schema: self.schema.or_else(of_kind), ..self }
    }

    fn field(self, name: &str) -> Self {
        Self { schema: self.schema.and_then(|schema| schema.field(name)), ..self }
    }

    fn items(self) -> Self {
        Self { schema: self.schema.and_then(Schema::items), ..self }
    }

    fn merge_keys(self) -> Option<Vec<&'s str>> {
        self.schema.and_then(Schema::merge_keys)
    }
}

/// Merges two values, either of which can be missing.
fn walk(target: Option<Node>, patch: Option<Node>, known: Known<'_>) -> Result<Option<Merged>> {
    let known = known.or_of(&target).or_of(&patch);
    let present = [&target, &patch].into_iter().flatten().filter(|node| !node.is_null());
    let kinds: Vec<_> = present.map(|node| (node.kind(), node)).collect();
    let Some((kind, _)) = kinds.first() else { return walk_map(target, patch, known) };
    if let Some((other, node)) = kinds.iter().find(|(other, _)| other != kind) {
        let message = format!("wrong node kind: expected {} but got {}", kind.name(), other.name());
        return Err(Error::transformer(message).at(location(node)));
    }
    match kind {
        Kind::Map => walk_map(target, patch, known),
        Kind::Scalar => Ok(either(target, patch)),
        Kind::Seq => match known.merge_keys() {
            Some(keys) => walk_list(target, patch, known, &keys),
            None => Ok(either(target, patch)),
        },
    }
}

fn location(node: &Node) -> Option<Location> {
    node.origin.parts().first().map(|part| part.at.clone())
}

fn either(target: Option<Node>, patch: Option<Node>) -> Option<Merged> {
    let is_target = patch.is_none();
    patch.or(target).map(|node| Merged { node, keeps_null: false, is_target })
}

/// The value to go on with: the target's, or the patch's in its place. `None` removes it.
fn start_map(target: Option<Node>, patch: &mut Option<Node>) -> Result<Option<Merged>> {
    let Some(target) = target.filter(|target| !target.is_null() || patch.is_none()) else {
        let deletes =
            patch.as_mut().is_some_and(|patch| matches!(directive(patch), Ok(Directive::Delete)));
        let node = patch.clone().filter(|_| !deletes);
        return Ok(node.map(|node| Merged { node, keeps_null: false, is_target: false }));
    };
    if target.is_null() {
        let keeps_null = !target.text().is_empty();
        return Ok(keeps_null.then_some(Merged { node: target, keeps_null, is_target: true }));
    }
    let Some(patch) = patch else {
        return Ok(Some(Merged { node: target, keeps_null: false, is_target: true }));
    };
    if patch.is_null() {
        return Ok(None);
    }
    Ok(match directive(patch)? {
        Directive::Delete => None,
        Directive::Replace => {
            Some(Merged { node: patch.clone(), keeps_null: false, is_target: false })
        }
        Directive::Merge => Some(Merged { node: target, keeps_null: false, is_target: true }),
    })
}

fn walk_map(
    target: Option<Node>,
    mut patch: Option<Node>,
    known: Known<'_>,
) -> Result<Option<Merged>> {
    let Some(mut merged) = start_map(target, &mut patch)? else { return Ok(None) };
    let mut names: Vec<_> = merged.node.entries().iter().map(|entry| entry.key.clone()).collect();
    let patched = patch.as_ref().map_or(&[][..], Node::entries);
    names.extend(patched.iter().map(|entry| entry.key.clone()));
    names.sort();
    names.dedup();
    for name in names {
        let from_patch = patch.as_ref().and_then(|patch| patch.entry(&name));
        let is_quoted = from_patch.is_some_and(|entry| entry.is_quoted);
        let key_origin = from_patch.map(|entry| entry.origin.clone()).unwrap_or_default();
        let from_patch = from_patch.map(|entry| entry.value.clone());
        let own = match merged.node.get_mut(&name) {
            Some(value) => Some(std::mem::take(value)),
            None => None,
        };
        match walk(own, from_patch, known.field(&name))? {
            Some(value) if value.keeps_null => {
                if let Some(own) = merged.node.get_mut(&name) {
                    *own = value.node;
                }
            }
            Some(value) => {
                let is_new = merged.node.entry(&name).is_none();
                merged.node.set(&name, value.node, &key_origin);
                if let (true, Data::Map(entries)) = (is_new && is_quoted, &mut merged.node.data) {
                    entries.last_mut().into_iter().for_each(|entry| entry.is_quoted = true);
                }
            }
            None => drop(merged.node.remove(&name)),
        }
    }
    Ok(Some(merged))
}

fn walk_list(
    target: Option<Node>,
    mut patch: Option<Node>,
    known: Known<'_>,
    keys: &[&str],
) -> Result<Option<Merged>> {
    let is_added = target.as_ref().is_none_or(Node::is_null);
    let (list, is_target) = if is_added {
        match &patch {
            Some(patch) => (patch.clone(), false),
            None => return Ok(None),
        }
    } else {
        let target = target.unwrap_or_default();
        match &mut patch {
            None => (target, true),
            Some(patch) if patch.is_null() => return Ok(None),
            Some(patch) => match directive(patch)? {
                Directive::Delete => return Ok(None),
                Directive::Replace => (patch.clone(), false),
                Directive::Merge => (target, true),
            },
        }
    };
    if list.is_null() {
        return Ok(Some(Merged { node: list, keeps_null: false, is_target }));
    }
    let node = merge_list(list, patch, known.items(), keys)?;
    Ok(Some(Merged { node, keeps_null: false, is_target }))
}

/// Takes the `$patch` directive out of a map or list.
fn directive(patch: &mut Node) -> Result<Directive> {
    let value = match &patch.data {
        Data::Map(_) => patch.get("$patch"),
        Data::Seq(items) => {
            let item = items.iter().find_map(|item| item.get("$patch").map(|value| (item, value)));
            item.filter(|(item, _)| item.entries().len() == 1).map(|(_, value)| value)
        }
        Data::Scalar(_) => {
            let message = "no implemented strategic merge patch strategy for a scalar";
            return Err(Error::transformer(message).at(location(patch)));
        }
    };
    let Some(value) = value else { return Ok(Directive::Merge) };
    let directive = match value.text() {
        "merge" => Directive::Merge,
        "replace" => Directive::Replace,
        "delete" => Directive::Delete,
        other => {
            let message = format!("unknown patch strategy '{other}'");
            return Err(Error::transformer(message).at(location(value)));
        }
    };
    let text = value.text().to_owned();
    match &mut patch.data {
        Data::Map(_) => drop(patch.remove("$patch")),
        Data::Seq(items) => {
            items.retain(|item| {
                item.get("$patch").is_none_or(|value| value.text() != text) && !item.is_empty_map()
            });
        }
        Data::Scalar(_) => {}
    }
    Ok(directive)
}

/// A scalar that becomes the key of an item.
fn key_node(text: &str, item: &Node) -> Node {
    Node::scalar(text, Tag::Empty, item.origin.clone())
}
