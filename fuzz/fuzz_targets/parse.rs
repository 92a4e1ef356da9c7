//! Parses YAML: no panic, and every span lies in the text.

#![no_main]

use yaml_spans::{self as yaml, Node, Value};

libfuzzer_sys::fuzz_target!(|text: &str| {
    for document in yaml::parse(text) {
        match document {
            Ok(document) => walk(text, &document.root),
            Err(problem) => assert!(text.get(problem.span.range()).is_some()),
        }
    }
});

fn walk(text: &str, node: &Node) {
    assert!(text.get(node.span.range()).is_some());
    match &node.value {
        Value::Seq(items) => items.iter().for_each(|item| walk(text, item)),
        Value::Map(map) => map.entries.iter().for_each(|entry| walk(text, &entry.value)),
        Value::Str(value) => {
            if let Some(offsets) = node.offsets(text) {
                let last = offsets.at(value.len()).map(|at| at as usize);
                assert!(last.is_some_and(|at| at <= text.len()));
            }
        }
        _ => {}
    }
}
