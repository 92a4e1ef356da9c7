//! Parses YAML: no panic, and every span lies within the text.

#![no_main]

use yaml_spans::{self as yaml, Node, Value};

libfuzzer_sys::fuzz_target!(|text: &str| {
    for document in yaml::parse(text) {
        match document {
            Ok(document) => check_spans(text, &document.root),
            Err(error) => assert!(text.get(error.span.range()).is_some()),
        }
    }
});

fn check_spans(text: &str, node: &Node) {
    assert!(text.get(node.span.range()).is_some());
    match &node.value {
        Value::Seq(items) => items.iter().for_each(|item| check_spans(text, item)),
        Value::Map(map) => map.entries.iter().for_each(|entry| check_spans(text, &entry.value)),
        Value::Str(value) => {
            if let Some(offsets) = node.offsets(text) {
                let last = offsets.at(value.len()).map(|at| at as usize);
                assert!(last.is_some_and(|at| at <= text.len()));
            }
        }
        _ => {}
    }
}
