//! Secrets of a chart that only let it render: whoever installs it makes them before.

use data_encoding::BASE64;
use yaml_spans::Node;

use crate::{kubernetes::is_placeholder, object::Object};

/// Whether each value of a Secret is a word that the template itself asks to be replaced: `accessKey: PLACEHOLDER_ACCESS_KEY`.
/// The values of a chart are there to be overridden, and a Secret of them is real.
pub(super) fn only_lets_render(object: &Object) -> bool {
    let origin = object.source.origin.as_deref();
    let is_input =
        |node: &Node| origin.is_some_and(|all| !all.written(node.span).inputs.is_empty());
    let text = |node: &Node| node.as_str().filter(|_| !is_input(node)).map(str::to_owned);
    let entries = |key: &str| object.root.get(key).map(Node::entries).unwrap_or_default();
    let plain = entries("stringData").iter().map(|entry| text(&entry.value));
    let encoded = entries("data").iter().map(|entry| decoded(&text(&entry.value)?));
    let mut values = plain.chain(encoded).peekable();
    object.kind() == "Secret"
        && values.peek().is_some()
        && values.all(|value| value.is_some_and(|text| is_placeholder(&text)))
}

fn decoded(value: &str) -> Option<String> {
    String::from_utf8(BASE64.decode(value.trim().as_bytes()).ok()?).ok()
}
