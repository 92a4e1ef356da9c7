//! Hostile input gives an error or a tree, in bounded time and stack.

use yaml_spans::{self as yaml, Document, ParseError};

fn one(text: &str) -> Result<Document, ParseError> {
    let mut documents = yaml::parse(text);
    assert_eq!(documents.len(), 1);
    documents.remove(0)
}

fn reason(text: &str) -> String {
    one(text).expect_err("an error").reason
}

#[test]
fn nesting_beyond_255_levels_is_an_error() {
    let deep = "this is nested more than 255 levels deep";
    assert_eq!(reason(&"- ".repeat(100_000)), deep);
    assert_eq!(reason(&"[".repeat(100_000)), deep);
    assert_eq!(reason(&"{a: ".repeat(100_000)), deep);
    assert_eq!(reason(&"? ".repeat(50_000)), deep);
    assert_eq!(reason(&"a: {b, ".repeat(100_000)), deep);
    let blocks: String = (0..3000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert_eq!(reason(&blocks), deep);
    assert!(one(&"!x ".repeat(100_000)).is_ok());
    assert_eq!(reason(&"{\"a\":".repeat(100_000)), "as JSON: the text ends inside a value");
}

#[test]
fn nesting_of_a_hundred_levels_is_read() {
    for text in ["[".repeat(100) + &"]".repeat(100), "- ".repeat(100) + "x"] {
        one(&text).unwrap();
    }
    let json = "{\"a\":".repeat(900) + "1" + &"}".repeat(900);
    one(&json).unwrap();
    let json = "{\"a\":".repeat(100_000) + "1" + &"}".repeat(100_000);
    assert_eq!(reason(&json), "this is nested more than 1000 levels deep");
}

#[test]
fn exponential_aliases_are_an_error() {
    let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..20 {
        let aliases = vec![format!("*a{}", level - 1); 10].join(", ");
        text += &format!("a{level}: &a{level} [{aliases}]\n");
    }
    assert_eq!(reason(&text), "the document contains excessive aliasing");
}

#[test]
fn nesting_through_aliases_is_bounded() {
    let mut text = "a0: &a0 [x]\n".to_owned();
    for level in 1..50 {
        let (open, close) = ("[".repeat(200), "]".repeat(200));
        text += &format!("a{level}: &a{level} {open}*a{}{close}\n", level - 1);
    }
    assert_eq!(reason(&text), "this is nested more than 1000 levels deep");
}

#[test]
fn aliases_share_their_value() {
    let long = "x".repeat(1 << 20);
    let text = format!("a: &a {long}\nb: [{}]\n", "*a, ".repeat(90_000));
    let document = one(&text).unwrap();
    assert_eq!(document.root.get("b").unwrap().items().len(), 90_000);
}

#[test]
fn merging_is_bounded() {
    let keys: String = (0..100_000).map(|n| format!("k{n}: 1, ")).collect();
    let text = format!("{}{{{keys}}}{}", "{<<: ".repeat(200), "}".repeat(200));
    assert_eq!(reason(&format!("a: {text}")), "the document contains excessive merging");
}

#[test]
fn a_long_line_is_read() {
    let text = format!("a: {}\n", "x ".repeat(10 << 20));
    assert_eq!(one(&text).unwrap().root.get("a").unwrap().as_str().unwrap().len(), (20 << 20) - 1);
    let text = format!("a: \"{}\"\n", "x".repeat(20 << 20));
    one(&text).unwrap();
}

#[test]
fn many_keys_are_read() {
    let text: String = (0..100_000).map(|n| format!("k{n}: 1\n")).collect();
    let document = one(&text).unwrap();
    assert_eq!(document.root.entries().len(), 100_000);
    assert_eq!(document.root.get("k99999").unwrap().as_int(), Some(1));
    assert!(document.root == one(&text).unwrap().root);
    let text: String = (0..100_000).map(|n| format!("k{}: {n}\n", n % 1000)).collect();
    let document = one(&text).unwrap();
    assert_eq!(document.root.get("k0").unwrap().as_int(), Some(99_000));
    assert_eq!(document.root.as_map().unwrap().overridden.len(), 99_000);
}

#[test]
fn many_documents_are_read() {
    assert!(yaml::parse(&"---\n".repeat(1_000_000)).is_empty());
    assert_eq!(yaml::parse(&"a\n---\n".repeat(100_000)).len(), 100_000);
    assert_eq!(yaml::parse(&"--- x\n".repeat(100_000)).len(), 100_000);
    assert_eq!(yaml::parse(&"{}".repeat(500_000)).len(), 500_000);
}

#[test]
fn patches_are_bounded() {
    let lines: String = (0..20_000).map(|n| format!("  k{n}: \"a\nb\"\n")).collect();
    let _ = yaml::parse(&format!("x:\n{lines}"));
    let comments: String = (0..50_000).map(|n| format!("k{n}: \"a\"#b\n")).collect();
    let _ = yaml::parse(&comments);
    let quotes = "'\n".repeat(100_000);
    let _ = yaml::parse(&format!("a: {quotes}"));
    let _ = yaml::parse(&"\t\"\n".repeat(100_000));
    let _ = yaml::parse(&format!("a: [{}", "\tx\n".repeat(100_000)));
    let _ = yaml::parse(&"\u{85}".repeat(100_000));
    assert_eq!(one(&"- x\u{85}".repeat(100_000)).unwrap().root.items().len(), 100_000);
    let _ = yaml::parse(&"- \"x\u{85}y\"\n".repeat(20_000));
    let _ = yaml::parse(&format!("{{\"a\": \"{}", "\\ud800".repeat(100_000)));
}

#[test]
fn unsupported_keys_are_bounded() {
    let list = "{~: 1}, ".repeat(100_000);
    let text = format!("a: [{list}]\na: 2\n");
    one(&text).unwrap();
}
