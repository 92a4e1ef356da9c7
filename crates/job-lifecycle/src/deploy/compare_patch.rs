//! Objects that a Fleet bundle leaves out of drift detection.

use yaml_spans::Node;

use crate::deployer::{DriftExclusion, NamePattern};

/// The entries of `diff.comparePatches` that make Fleet ignore whole objects (`op: ignore`). `layer` is the root of a
/// `fleet.yaml` or one of its `targetCustomizations`.
pub fn compare_patches(layer: &Node) -> impl Iterator<Item = &Node> + Clone {
    let entries = layer.at(&["diff", "comparePatches"]).map(Node::items).unwrap_or_default();
    entries.iter().filter(|entry| {
        let operations = entry.get("operations").map(Node::items).unwrap_or_default();
        operations.iter().any(|operation| text(operation, "op") == Some("ignore"))
    })
}

/// The objects that an entry of `diff.comparePatches` covers.
///
/// API version, kind and namespace match exactly; an absent namespace means an empty one. The name matches
/// exactly or, since Fleet 0.15, as a regular expression anywhere in the name; an absent name matches every
/// object (fleet 3.6).
pub fn compare_patch_target(entry: &Node, default_namespace: &str) -> DriftExclusion {
    let own = |key: &str| text(entry, key).unwrap_or_default().to_owned();
    DriftExclusion {
        api_version: Some(own("apiVersion")),
        kind: Some(own("kind")),
        namespace: Some(own("namespace")),
        name: text(entry, "name").map(|name| NamePattern { regex: name.to_owned(), whole: false }),
        default_namespace: default_namespace.to_owned(),
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key)?.as_str().filter(|text| !text.is_empty())
}
