//! Secrets of a chart that only let it render: whoever installs it makes them before.

use data_encoding::BASE64;
use job_lifecycle::{Object, kubernetes::is_placeholder};
use yaml_spans::Node;

/// Whether each value of a Secret is a word to be replaced: `accessKey: PLACEHOLDER_ACCESS_KEY`.
pub(super) fn is_one(object: &Object) -> bool {
    let entries = |key: &str| object.root.get(key).map(Node::entries).unwrap_or_default();
    let plain = entries("stringData").iter().map(|entry| entry.value.as_str().map(str::to_owned));
    let encoded = entries("data").iter().map(|entry| decoded(entry.value.as_str()?));
    let mut values = plain.chain(encoded).peekable();
    object.kind() == "Secret"
        && values.peek().is_some()
        && values.all(|value| value.is_some_and(|text| is_placeholder(&text)))
}

fn decoded(value: &str) -> Option<String> {
    String::from_utf8(BASE64.decode(value.trim().as_bytes()).ok()?).ok()
}
