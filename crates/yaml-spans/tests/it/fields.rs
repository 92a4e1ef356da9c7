//! What a path of fields leads to is the same whether or not the rest is kept.

use yaml_spans::{Document, Node, ParseError, parse, parse_field, parse_up_to_field};

const TEXTS: [&str; 24] = [
    "metadata: {name: a, labels: {b: c}}\nspec: {name: d}",
    "spec:\n  a: [1, {metadata: {name: b}}]\nmetadata:\n  labels:\n    c: d\n  name: e\n",
    "metadata:\n- name: a\n- b",
    "metadata: a",
    "metadata:",
    "- metadata: {name: a}",
    "just a text",
    "a: 1\nmetadata: {name: b}\nmetadata: {name: c}",
    "a: &b {name: c}\nmetadata: *b",
    "<<: {metadata: {name: a}}\nb: c",
    "metadata: {<<: {name: a, b: c}, d: e}",
    "x: &y {metadata: {name: a}}\n<<: *y",
    "metadata: {name: a}\nspec: .inf",
    "metadata: {name: a}\nspec: {? null : b}",
    "metadata: {name: a}\nspec: {? [b] : c}",
    "metadata: {name: a}\nspec:\n  <<: text",
    "metadata: {name: a}\nspec: [",
    "metadata: {name: a}\nspec: \"\\x\"",
    "metadata: {name: a}\nspec: {a: 1\n}}",
    "metadata: {name: a}\nspec:\n\ta: b",
    "metadata: {name: a}\nspec: !!int b",
    "{\"metadata\": {\"name\": \"a\"}, \"spec\": [1]}",
    "spec: |\n  metadata:\n    name: a\nmetadata:\n  name: >-\n    b\n    c\n",
    "metadata: {name: a}\n---\nspec: {b: c}\n---\nmetadata: {name: d}\n",
];

#[test]
fn a_field_is_what_it_is_in_the_whole() {
    for text in TEXTS {
        for path in [&["metadata", "name"][..], &["metadata"], &["spec"], &["none", "at", "all"]] {
            compare(text, path);
        }
    }
}

#[test]
fn each_field_of_each_manifest() {
    for text in super::manifests().into_values() {
        for document in parse(&text).into_iter().flatten() {
            for entry in document.root.entries() {
                compare(&text, &[&entry.key]);
                for below in entry.value.entries() {
                    compare(&text, &[&entry.key, &below.key]);
                }
            }
        }
        compare(&text, &["none"]);
    }
}

fn compare(text: &str, path: &[&str]) {
    let whole = parse(text);
    compare_with(&whole, &parse_field(text, path), text, path);
    // What is valid is the same up to there, unless a key comes again.
    let repeats = |node: &Node| node.as_map().is_some_and(|map| !map.overridden.is_empty());
    let is_plain = |document: &Document| {
        !repeats(&document.root) && !document.root.entries().iter().any(|one| repeats(&one.value))
    };
    if whole.iter().all(|one| one.as_ref().is_ok_and(is_plain)) {
        compare_with(&whole, &parse_up_to_field(text, path), text, path);
    }
}

type Documents = [Result<Document, ParseError>];

fn compare_with(whole: &Documents, part: &Documents, text: &str, path: &[&str]) {
    assert_eq!(whole.len(), part.len(), "{path:?} of {text}");
    for pair in whole.iter().zip(part) {
        match pair {
            (Ok(whole), Ok(part)) => {
                assert_eq!(whole.span, part.span, "{path:?} of {text}");
                // NaN is not equal to itself.
                let shown = |root| format!("{:?}", at(root, path));
                assert_eq!(shown(&whole.root), shown(&part.root), "{path:?} of {text}");
            }
            (whole, part) => {
                assert_eq!(whole.as_ref().err(), part.as_ref().err(), "{path:?} of {text}");
            }
        }
    }
}

#[test]
fn what_is_behind_the_field_is_not_read() {
    let name = |text: &str| {
        let documents = parse_up_to_field(text, &["metadata", "name"]);
        documents[0].as_ref().ok()?.root.at(&["metadata", "name"])?.as_str().map(str::to_owned)
    };
    assert_eq!(name("metadata: {name: a, b: c}\nspec: [").as_deref(), Some("a"));
    assert_eq!(name("metadata:\n  name: a\n  b: c\nspec: [").as_deref(), Some("a"));
    assert_eq!(name("spec: {c: d}\nmetadata:\n  name: a").as_deref(), Some("a"));
    assert_eq!(name("spec: [\nmetadata:\n  name: a"), None);
    assert_eq!(name("metadata: {b: c}\nspec: ["), None);
    // Anchors need all of it.
    assert_eq!(name("x: &y {name: a}\nmetadata:\n  <<: *y\n").as_deref(), Some("a"));
}

#[test]
fn the_rest_is_not_kept() {
    let text = "a: {b: {c: 1, d: [2]}, e: 3}\nf: {g: {h: 4}}";
    let documents = parse_field(text, &["a", "b"]);
    let root = &documents[0].as_ref().unwrap().root;
    let keys = |node: &Node| -> Vec<String> {
        node.entries().iter().map(|entry| entry.key.to_string()).collect()
    };
    assert_eq!(keys(root), ["a"]);
    assert_eq!(keys(root.get("a").unwrap()), ["b"]);
    assert_eq!(keys(root.at(&["a", "b"]).unwrap()), ["c", "d"]);
}

/// What a template reads with these fields: a node that is no mapping is read as a whole.
fn at<'n>(node: &'n Node, path: &[&str]) -> Option<&'n Node> {
    match path.split_first() {
        Some((field, below)) if node.as_map().is_some() => at(node.get(field)?, below),
        _ => Some(node),
    }
}
