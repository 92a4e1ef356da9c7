//! Spans cover what they claim to cover, in every manifest.

use yaml_spans::{self as yaml, Node, Span, Style, Value};

#[test]
fn text_under_a_span_reads_as_its_value() {
    let mut checked = 0;
    for (name, text) in super::manifests() {
        for document in yaml::parse(&text).into_iter().flatten() {
            check(&name, &text, &document.root, &mut checked);
        }
    }
    assert!(checked > 1500, "{checked}");
}

fn check(name: &str, text: &str, node: &Node, checked: &mut usize) {
    let raw = text.get(node.span.range()).unwrap_or_else(|| panic!("{name}: {:?}", node.span));
    *checked += 1;
    let alias = raw.starts_with('*') && node.style != Style::Literal;
    match &node.value {
        _ if alias => {}
        Value::Float(number) if !number.is_finite() => {}
        Value::Seq(items) => {
            let open = if node.style == Style::Flow { "[" } else { "-" };
            assert!(raw.starts_with(open), "{name}: {raw:?}");
            assert!(node.style == Style::Block || raw.ends_with(']'), "{name}: {raw:?}");
            for item in items.iter() {
                assert!(node.span.contains(item.span), "{name}: {raw:?} {item:?}");
                check(name, text, item, checked);
            }
        }
        Value::Map(map) => {
            if node.style == Style::Flow && raw.starts_with('{') {
                assert!(raw.ends_with('}'), "{name}: {raw:?}");
            }
            for entry in map.entries.iter().chain(&map.overridden) {
                if !entry.merged {
                    assert!(node.span.contains(entry.key_span), "{name}: {raw:?} {entry:?}");
                    assert!(node.span.contains(entry.value.span), "{name}: {raw:?} {entry:?}");
                    assert!(entry.key_span <= entry.value.span, "{name}: {entry:?}");
                }
                assert!(!text[entry.key_span.range()].is_empty(), "{name}: {entry:?}");
                check(name, text, &entry.value, checked);
            }
        }
        _ => scalar(name, text, node, raw),
    }
}

fn scalar(name: &str, text: &str, node: &Node, raw: &str) {
    if raw.is_empty() {
        let line = text[..node.span.start as usize].lines().next_back().unwrap_or_default();
        let spare = matches!(node.style, Style::Literal | Style::Folded);
        let shows = line.trim_end().ends_with([':', '-', '?', ',', '[', '{']);
        let tagged = line.contains('!') || line.contains('&');
        assert!(spare || shows || tagged || raw.is_empty(), "{name}: {line:?}");
        return;
    }
    if matches!(node.style, Style::Literal | Style::Folded) {
        return;
    }
    let tagged = text[..node.span.start as usize]
        .trim_end()
        .ends_with(|c: char| c.is_alphanumeric() || c == '!' || c == '>');
    let json = text.trim_start_matches('\u{FEFF}').trim_start().starts_with('{');
    // A lone `-` is a scalar between brackets only.
    if tagged || json || raw == "-" {
        return;
    }
    // As a value, unlike as a key, it may span several lines.
    let again = yaml::parse(&format!("x: {}", raw.replace('\n', "\n ")));
    let again = again.into_iter().next().map(|document| document.map(|d| d.root.get("x").cloned()));
    match again {
        Some(Ok(Some(value))) => {
            assert_eq!(value.value_text(), node.value_text(), "{name}: {raw:?}")
        }
        other => panic!("{name}: {raw:?} reads as {other:?}"),
    }
}

trait ValueText {
    fn value_text(&self) -> String;
}

impl ValueText for Node {
    fn value_text(&self) -> String {
        self.to_json().to_string()
    }
}

/// The offset of every character of every string points at the bytes that wrote it.
#[test]
fn every_character_maps_back() {
    let mut strings = 0;
    for (name, text) in super::manifests() {
        for document in yaml::parse(&text).into_iter().flatten() {
            map_back(&name, &text, &document.root, &mut strings);
        }
    }
    assert!(strings > 1000, "{strings}");
}

fn map_back(name: &str, text: &str, node: &Node, strings: &mut usize) {
    match &node.value {
        Value::Seq(items) => items.iter().for_each(|item| map_back(name, text, item, strings)),
        Value::Map(map) => {
            let entries = map.entries.iter().filter(|entry| !entry.merged);
            entries.for_each(|entry| map_back(name, text, &entry.value, strings));
        }
        Value::Str(value) => {
            let raw = &text[node.span.range()];
            let before = text[..node.span.start as usize].trim_end();
            let line = before.lines().next_back().unwrap_or_default();
            let derived = raw.starts_with('*') || line.contains("!!binary");
            if derived {
                return;
            }
            let offsets = node.offsets(text).unwrap_or_else(|| panic!("{name}: {value:?} {raw:?}"));
            *strings += 1;
            let mut last = 0;
            for (at, found) in value.char_indices() {
                let place = offsets.at(at).expect("an offset") as usize;
                assert!(place >= last, "{name}: {value:?} goes back at {at}");
                last = place;
                let written = text[place..].chars().next();
                let escape = node.style == Style::DoubleQuoted && written == Some('\\');
                let quote = node.style == Style::SingleQuoted && written == Some('\'');
                let fold = matches!(found, ' ' | '\n')
                    && matches!(written, Some('\n' | '\r' | '\u{85}') | None);
                let same = written == Some(found);
                assert!(
                    same || escape || quote || fold,
                    "{name}: {found:?} at {written:?} {value:?}"
                );
            }
        }
        _ => {}
    }
}

#[test]
fn offsets_are_exact_in_every_style() {
    for text in [
        "run: |\n  set -e\n  psql -c 'drop'\n",
        "run: |2-\n    set -e\n  psql -c 'drop'",
        "a:\n  - run: >\n      set -e;\n      psql\n      -c 'drop'\n\n\n  - x\n",
        "run: >+\r\n\r\n  set -e\r\n\r\n    more\r\n  psql\r\n",
        "run: \"set\\t-e;\n  \\\"psql\\\"\n\n  -c \\\n  x\"\n",
        "run: 'it''s; set -e;\n\n\n  psql -c'\n",
        "run: set -e;\n  psql\n\n  -c x\n",
        "{\"run\": \"\\ud83c\\udf89 set\\n\\u0070sql psql\"}",
    ] {
        let document = yaml::parse(text).remove(0).unwrap();
        let node = find_run(&document.root).unwrap();
        let value = node.as_str().unwrap();
        let at = value.rfind("psql").unwrap();
        let offsets = node.offsets(text).unwrap();
        assert_eq!(offsets.at(at).unwrap() as usize, text.rfind("psql").unwrap(), "{text}");
        let span = offsets.span(at..at + 4).unwrap();
        assert_eq!(&text[span.range()], "psql", "{text}");
    }
}

fn find_run(node: &Node) -> Option<&Node> {
    node.get("run")
        .or_else(|| node.entries().iter().find_map(|entry| find_run(&entry.value)))
        .or_else(|| node.items().iter().find_map(find_run))
}

#[test]
fn offsets_inside_an_escape_are_its_start() {
    let text = "a: \"x\\u00e9y\"\n";
    let document = yaml::parse(text).remove(0).unwrap();
    let offsets = document.root.get("a").unwrap().offsets(text).unwrap();
    assert_eq!(offsets.at(0), Some(4));
    assert_eq!(offsets.at(1), Some(5));
    assert_eq!(offsets.at(2), Some(5));
    assert_eq!(offsets.at(3), Some(11));
    assert_eq!(offsets.at(4), Some(12));
    assert_eq!(offsets.at(5), None);
    assert_eq!(&text[offsets.span(1..3).unwrap().range()], "\\u00e9");
}

#[test]
fn a_span_writes_the_whole_of_what_an_escape_stands_for() {
    let text = "a: \"x\\U0001F510y\\nz\"\n";
    let document = yaml::parse(text).remove(0).unwrap();
    let offsets = document.root.get("a").unwrap().offsets(text).unwrap();
    let values = |part: &str| {
        let start = text.find(part).unwrap();
        offsets.values(Span::new(start, start + part.len()))
    };
    // "x", a character of four bytes, "y", a line break and "z".
    assert_eq!(values("x"), Some(0..1));
    assert_eq!(values("\\U0001F510"), Some(1..5));
    assert_eq!(values("F510"), Some(1..5), "a part of an escape");
    assert_eq!(values("y\\n"), Some(5..7));
    assert_eq!(values("z"), Some(7..8));
    assert_eq!(values("x\\U0001F510y\\nz"), Some(0..8));
    assert_eq!(values("a:"), None, "it writes the key");
    let block = "a: |\n    one\n    two\n";
    let document = yaml::parse(block).remove(0).unwrap();
    let offsets = document.root.get("a").unwrap().offsets(block).unwrap();
    let two = block.find("two").unwrap();
    assert_eq!(offsets.values(Span::new(two, two + 3)), Some(4..7));
    assert_eq!(offsets.values(Span::new(two - 2, two)), None, "indentation");
}
