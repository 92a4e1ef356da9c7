//! What a fix may change in what a unit loads, renders or builds to.

use serde_json::Value as Json;
use yaml_spans::{self as yaml, Node};

use super::outputs::Document;

/// The length of the hash of a generated name.
const HASH: usize = 10;

/// What a fix says it changes.
pub(super) enum Change {
    /// The document of the object.
    Document { before: Json, after: Json },
    /// Text of the file of the object, which was compared with the whole document.
    Text,
    /// Names, labels and annotations of the objects of a kind in a template.
    Metadata,
    /// Hashes that names of generated objects end in: other workloads restart when such a hash changes.
    Hashes,
}

/// True when two documents of a kind differ at most in name, labels, annotations and the metadata of the pod template, and
/// the new name extends the old one within 63 characters.
pub(super) fn differs_in_metadata(old: &str, new: &str, kind: &str) -> bool {
    let parse = |text: &str| yaml::parse(text).into_iter().next()?.ok().map(|one| one.root);
    let (Some(old), Some(new)) = (parse(old), parse(new)) else { return false };
    let name = |root: &Node| root.at(&["metadata", "name"])?.as_str().map(str::to_owned);
    let (Some(before), Some(after)) = (name(&old), name(&new)) else { return false };
    let kept: String = before.chars().take(after.len().saturating_sub(9)).collect();
    let is_valid = before == after || after.len() <= 63 && after.starts_with(&*kept);
    let is_own = old.get("kind").and_then(Node::as_str) == Some(kind);
    is_own && is_valid && rest(&old) == rest(&new)
}

/// The document without the fields that a fix may change.
fn rest(root: &Node) -> Json {
    let mut json = root.to_json();
    if let Some(metadata) = json.get_mut("metadata").and_then(|one| one.as_object_mut()) {
        ["name", "labels", "annotations"].iter().for_each(|key| drop(metadata.remove(*key)));
    }
    if let Some(template) = json.pointer_mut("/spec/template").and_then(|one| one.as_object_mut()) {
        template.remove("metadata");
    }
    json
}

/// True for the documents of something generated, or of an object of a kind, that differ in names without their hashes.
pub(super) fn loses_hashes(old: &Document, new: &Document, kind: &str) -> bool {
    let kinds = ["ConfigMap", "Secret", kind];
    old.json().zip(new.json()).is_some_and(|(old, new)| {
        kinds.iter().any(|kind| old["kind"] == *kind) && is_without_hashes(&old, &new)
    })
}

/// True when two values are the same but for hashes that the second leaves out.
fn is_without_hashes(old: &Json, new: &Json) -> bool {
    match (old, new) {
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_without_hashes(a, b)))
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_without_hashes(a, b))
        }
        (Json::String(a), Json::String(b)) => {
            let hash = a.strip_prefix(&**b).and_then(|rest| rest.strip_prefix('-'));
            a == b || hash.is_some_and(|hash| hash.len() == HASH)
        }
        _ => old == new,
    }
}

/// The paths at which two trees differ.
pub(super) fn differing(a: &Json, b: &Json, path: &str, found: &mut Vec<String>) {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(added) {
                let (old, new) = (a.get(key), b.get(key));
                let null = Json::Null;
                let (old, new) = (old.unwrap_or(&null), new.unwrap_or(&null));
                differing(old, new, &format!("{path}/{key}"), found);
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differing(a, b, &format!("{path}/{index}"), found);
            }
        }
        _ if a != b => found.push(path.to_owned()),
        _ => {}
    }
}
