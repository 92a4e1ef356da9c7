//! An error says what is wrong, at the place to look at.

use yaml_spans as yaml;

/// The text under the first error's span, its line, and its reason.
fn first_error(text: &str) -> (String, usize, String) {
    let found = yaml::parse(text).into_iter().find_map(Result::err).expect("an error");
    let line = text[..found.span.start as usize].matches('\n').count() + 1;
    (text[found.span.range()].to_owned(), line, found.reason)
}

#[test]
fn an_alias_may_be_a_key() {
    let read = |text: &str| yaml::parse(text).remove(0).map(|document| document.root);
    let spaced = read("a: &n x\nb: {c: &m z}\n*n : 1\n*m : 2\n").unwrap();
    let tight = read("a: &n x\nb: {c: &m z}\n*n: 1\n*m:\n  2\n").unwrap();
    for root in [spaced, tight] {
        assert_eq!(root.get("x").and_then(|node| node.as_int()), Some(1));
        assert_eq!(root.get("z").and_then(|node| node.as_int()), Some(2));
    }
    let unknown = read("*n: 1\n").unwrap_err();
    assert_eq!(unknown.reason, "no anchor of this name stands before this alias");
}

#[test]
fn shows_where_to_look() {
    for (text, shown, line, reason) in [
        ("a: [b\nc: d\n", "[", 1, "this `[` is never closed"),
        ("a:\n  b: {c: 1,\n  d: 2\ne: f\n", "{", 2, "this `{` is never closed"),
        ("a: {b: c\n", "{", 1, "this `{` is never closed"),
        ("a: [b}\n", "[", 1, "`}` cannot close `[`"),
        ("a: \"b\nc: d\n", "\"", 1, "this quote is never closed"),
        ("a: 'b\n", "'", 1, "this quote is never closed"),
        ("x: 1\na: \"b\nc: \"d\"\n", "\"", 2, "this quote is not closed before the next line"),
        ("a:\n\tb: c\n", "\t", 2, "a tab cannot indent YAML; use spaces"),
        ("a:\n  b: c\n\t\n", "\t", 3, "a tab cannot indent YAML; use spaces"),
        ("a: |\n  b\n\tc\nd: e\n", "\t", 3, "a tab cannot indent YAML; use spaces"),
        (
            "a:\n  b: c\n d: e\n",
            "d: e",
            3,
            "this line is indented differently from the keys it belongs to",
        ),
        (
            "a:\n  - b\n  c: d\n",
            "c: d",
            3,
            "this line is indented like the list above, but does not start with `- `",
        ),
        ("a: 1\n- b\n", "- b", 2, "a list item cannot stand among keys"),
        (
            "a: b: c\n",
            ":",
            1,
            "a second `: ` cannot stand here; quote the text, or check the indentation",
        ),
        ("a: b\nc\n", "c", 2, "this is no `key: value`: its `:` is missing"),
        (
            "a: {{ .Values.b }}\n",
            "{{ .Values.b }",
            1,
            "`{{` starts a template; Kubernetes reads YAML only, so quote it",
        ),
        ("a: @b\n", "@", 1, "a value cannot start with `@`; quote it"),
        ("a: `b`\n", "`", 1, "a value cannot start with a backtick; quote it"),
        (
            "a: \"C:\\Windows\"\n",
            "\\W",
            1,
            "no such escape; write `\\\\` for a backslash, or use single quotes",
        ),
        (
            "a: 'it's'\n",
            "s",
            1,
            "nothing may follow the closing quote; write `''` for an apostrophe",
        ),
        ("a: *b\n", "*b", 1, "no anchor of this name stands before this alias"),
        ("~: b\n", "~", 1, "a key must be a string; this is null"),
        ("a: .inf\n", ".inf", 1, "this is infinite; Kubernetes has no such number"),
        ("a: b\n--- c\n", "--- c", 2, "only a comment may follow `---` on its line"),
        ("a: x\u{1}y\n", "\u{1}", 1, "the control character U+0001 cannot stand in YAML"),
        ("{\"a\": [1, }", "}", 1, "as JSON: expected value"),
        ("{\"a\": [1\n", "1", 1, "as JSON: the text ends inside a list"),
        ("%YAML 1.1\n---\na: b\n", "1", 1, "a directive must be followed by `---`"),
    ] {
        assert_eq!(first_error(text), (shown.to_owned(), line, reason.to_owned()), "{text}");
    }
}

#[test]
fn every_error_has_a_visible_span_and_a_reason() {
    for (name, text) in super::manifests() {
        for error in yaml::parse(&text).into_iter().filter_map(Result::err) {
            assert!(!error.span.is_empty(), "{name}: {error:?}");
            assert!(text.get(error.span.range()).is_some(), "{name}: {error:?}");
            assert!(!error.reason.is_empty() && !error.reason.ends_with('.'), "{name}");
        }
    }
}

#[test]
fn other_documents_are_read_after_a_broken_one() {
    let read: Vec<_> = yaml::parse("a: 1\n---\nb: [\n---\nc: 3\n")
        .into_iter()
        .map(|document| document.map(|document| document.root.entries()[0].key.to_string()))
        .map(Result::ok)
        .collect();
    assert_eq!(read, [Some("a".to_owned()), None, Some("c".to_owned())]);
}
