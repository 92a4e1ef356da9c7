//! Objects that a bundle of Fleet tells the agent to ignore.

use yaml_spans::Node;

use crate::deployer::Ignored;

/// The entries of `diff.comparePatches` that make Fleet ignore whole objects.
pub fn compare_patches(layer: &Node) -> impl Iterator<Item = &Node> + Clone {
    let entries = layer.at(&["diff", "comparePatches"]).map(Node::items).unwrap_or_default();
    entries.iter().filter(|entry| {
        let operations = entry.get("operations").map(Node::items).unwrap_or_default();
        operations.iter().any(|operation| text(operation, "op") == Some("ignore"))
    })
}

/// The objects that an entry names. API version, kind and namespace match exactly, an absent namespace is
/// none; the name matches exactly or, since Fleet 0.15, as a regular expression somewhere in it; no name
/// matches all (fleet 3.6).
pub fn compare_patch_target(entry: &Node, bundle: &str) -> Ignored {
    let own = |key: &str| text(entry, key).unwrap_or_default().to_owned();
    Ignored {
        api_version: Some(own("apiVersion")),
        kind: Some(own("kind")),
        namespace: Some(own("namespace")),
        name: text(entry, "name").map(|name| (name.to_owned(), false)),
        bundle: bundle.to_owned(),
    }
}

fn text<'a>(node: &'a Node, key: &str) -> Option<&'a str> {
    node.get(key)?.as_str().filter(|text| !text.is_empty())
}
