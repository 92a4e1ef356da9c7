//! Edits that remove or move the entries of mappings.

use yaml_spans::{Edit, Entry, Node, Source, Span, Style, Value};

use super::{between_entries, editable, entry_end, indent, written};

/// Removes an entry of a mapping: with its lines, or from braces with one comma. `None` if it shares a line of a block
/// with something else, if a comment stands beside its comma, or if it is the only entry.
pub(crate) fn remove(source: &Source, mapping: &Node, entry: &Entry) -> Option<Edit> {
    if written(mapping).count() < 2 || entry.merged || !editable(source) {
        return None;
    }
    let span = match mapping.style {
        Style::Flow => with_comma(source, mapping, entry)?,
        _ => with_lines(source, entry)?,
    };
    Some(Edit { span, text: String::new() })
}

/// The lines of an entry of a block. Of the last lines of a text without a last line break, the break before them goes.
fn with_lines(source: &Source, entry: &Entry) -> Option<Span> {
    let first = source.line_span(source.line_of(entry.key_span.start));
    let before = source.slice(Span { start: first.start, end: entry.key_span.start });
    let last_line = source.line_of(entry_end(source, entry));
    let next = source.line_span(last_line + 1).start;
    let is_open = next as usize == source.text.len() && !source.text.ends_with('\n');
    let broken = if is_open { source.line_break().len() as u32 } else { 0 };
    let start = first.start.saturating_sub(broken);
    before.trim().is_empty().then_some(Span { start, end: next })
}

/// An entry in braces, with the comma and the blanks up to the next entry, or those behind the one before.
fn with_comma(source: &Source, mapping: &Node, entry: &Entry) -> Option<Span> {
    let mut entries: Vec<_> = written(mapping).collect();
    entries.extend(&mapping.as_map()?.overridden);
    entries.sort_by_key(|one| one.key_span);
    let at = entries.iter().position(|one| one.key_span == entry.key_span)?;
    let (before, after) = (at.checked_sub(1).map(|at| entries[at]), entries.get(at + 1));
    let own = Span { start: entry.key_span.start, end: flow_end(entry) };
    let is_comma = |span: Span| source.slice(span).trim() == ",";
    let gap = |one: &Entry, next: &Entry| Span { start: flow_end(one), end: next.key_span.start };
    // No anchor or tag stands before the key.
    let opening = Span { start: mapping.span.start, end: own.start };
    let is_first = || source.slice(opening).trim() == "{";
    if !before.map_or_else(is_first, |before| is_comma(gap(before, entry))) {
        return None;
    }
    let Some(next) = after else {
        return Some(Span { start: flow_end(before?), end: own.end });
    };
    if !is_comma(gap(entry, next)) {
        return None;
    }
    let line = source.line_span(source.line_of(own.start));
    let next_line = source.line_span(source.line_of(next.key_span.start));
    let starts_line = source.slice(Span { start: line.start, end: own.start }).trim().is_empty();
    Some(match starts_line && line.start < next_line.start {
        true => Span { start: line.start, end: next_line.start },
        false => Span { start: own.start, end: next.key_span.start },
    })
}

/// The end of an entry in braces.
fn flow_end(entry: &Entry) -> u32 {
    entry.value.span.end.max(entry.key_span.end)
}

/// Moves an entry of a mapping before the first key of another one, with its lines if both are blocks. `None` if
/// [`remove`] has no edit, if the other mapping has the key, or if it cannot hold the value as it is written.
pub(crate) fn relocate(
    source: &Source,
    from: &Node,
    entry: &Entry,
    to: &Node,
) -> Option<Vec<Edit>> {
    let gone = remove(source, from, entry)?;
    let first = written(to).min_by_key(|entry| entry.key_span)?;
    if to.entry(&entry.key).is_some() {
        return None;
    }
    let at = first.key_span.start;
    let own = Span { start: entry.key_span.start, end: flow_end(entry) };
    let text = match (from.style, to.style) {
        (Style::Flow, Style::Flow) => reindented(source, own, at)? + &between_entries(source, at),
        (Style::Flow, _) => {
            let line = Some(source.slice(own)).filter(|own| !own.contains('\n'))?;
            format!("{line}{}{}", source.line_break(), indent(source, at)?)
        }
        (_, Style::Flow) => {
            let is_word = !matches!(entry.value.value, Value::Map(_) | Value::Seq(_));
            let text = Some(source.slice(own))
                .filter(|own| !own.contains(['\n', ',', '[', ']', '{', '}']));
            text.filter(|_| is_word)?.to_owned() + &between_entries(source, at)
        }
        _ => {
            let own = Span { end: gone.span.end, ..own };
            let mut text = reindented(source, own, at)?;
            if !text.ends_with('\n') {
                text.push_str(source.line_break());
            }
            text + &indent(source, at)?
        }
    };
    Some(vec![Edit { span: Span { start: at, end: at }, text }, gone])
}

/// The text of a span with the indentation of another place. `None` if a line has less than the first.
fn reindented(source: &Source, span: Span, at: u32) -> Option<String> {
    let lines = source.slice(span);
    if !lines.trim_end().contains('\n') {
        return Some(lines.to_owned());
    }
    let (old, new) = (indent(source, span.start)?, indent(source, at)?);
    let mut text = String::new();
    for (index, line) in lines.split_inclusive('\n').enumerate() {
        match (index, line.trim().is_empty()) {
            (0, _) | (_, true) => text.push_str(line),
            _ => text.extend([new.as_str(), line.strip_prefix(old.as_str())?]),
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaml_spans as yaml;

    fn moved(text: &str) -> Option<String> {
        let source = Source::new("a.yaml", text);
        let root = yaml::parse(text).remove(0).unwrap().root;
        let from = root.at(&["a", "b"])?;
        Edit::apply(text, &relocate(&source, from, from.entry("x")?, root.get("a")?)?)
    }

    #[test]
    fn moves_whole_lines() {
        assert_eq!(
            moved("a:\n  b:\n    c: 1\n    x: # why\n      - |\n        1\n\n        2\n").unwrap(),
            "a:\n  x: # why\n    - |\n      1\n\n      2\n  b:\n    c: 1\n"
        );
        assert_eq!(moved("a:\n  b:\n    x: 1\n    c: 1").unwrap(), "a:\n  x: 1\n  b:\n    c: 1");
        assert_eq!(moved("a:\n  x: 0\n  b:\n    x: 1\n    c: 1\n"), None);
    }

    #[test]
    fn moves_between_braces_and_blocks() {
        let cases = [
            ("a:\n  b: {c: 1, x: [1]}\n", "a:\n  x: [1]\n  b: {c: 1}\n"),
            ("a: {b: {c: 1, x: {d: 1}}}", "a: {x: {d: 1}, b: {c: 1}}"),
            ("{\"a\":{\"b\":{\"x\":1,\"c\":1}}}", "{\"a\":{\"x\":1,\"b\":{\"c\":1}}}"),
            (
                "{\n  \"a\": {\n    \"b\": {\n      \"x\": [\n        1\n      ],\n      \"c\": 1\n    }\n  }\n}\n",
                "{\n  \"a\": {\n    \"x\": [\n      1\n    ],\n    \"b\": {\n      \"c\": 1\n    }\n  }\n}\n",
            ),
        ];
        for (before, after) in cases {
            assert_eq!(moved(before).as_deref(), Some(after));
        }
    }

    fn gone(text: &str) -> Option<String> {
        let source = Source::new("a.yaml", text);
        let root = yaml::parse(text).remove(0).unwrap().root;
        let edit = remove(&source, root.get("a")?, root.get("a")?.entry("b")?)?;
        Edit::apply(text, &[edit])
    }

    #[test]
    fn removes_whole_lines_of_blocks() {
        assert_eq!(gone("a:\n  b:\n    x: 1\n  c: 2\n").unwrap(), "a:\n  c: 2\n");
        assert_eq!(gone("a:\n  b: 1\n"), None);
    }

    #[test]
    fn removes_one_comma_of_braces() {
        assert_eq!(gone("a: {b: 1, c: 2}\n").unwrap(), "a: {c: 2}\n");
        assert_eq!(gone("a: {c: 2, b: [1]}\n").unwrap(), "a: {c: 2}\n");
        assert_eq!(gone("a: {c: 2, b: 1, }\n").unwrap(), "a: {c: 2, }\n");
        assert_eq!(gone("a: {c: 2, b, d: 1}\n").unwrap(), "a: {c: 2, d: 1}\n");
        assert_eq!(gone("a: {\r\n  b: 1,\r\n  c: 2 }").unwrap(), "a: {\r\n  c: 2 }");
        assert_eq!(gone("a: {\n  c: 2,\n  b: 1\n}\n").unwrap(), "a: {\n  c: 2\n}\n");
        for text in
            ["a: {b: 1}", "a: {b: 1, # why\n  c: 2}", "a: {&x b: 1, c: *x}", "a: {? b : 1, c: 2}"]
        {
            assert_eq!(gone(text), None, "{text}");
        }
    }
}
