//! Builds byte edits of YAML that preserve the style of the file.

mod annotations;
mod removal;
mod sound;
mod translate;

use yaml_spans::{Edit, Entry, Node, Source, Span, Style, Value};

pub(crate) use annotations::annotate;
pub(crate) use removal::{relocate, remove};
pub(crate) use sound::{Allowance, edited, is_sound, keeps_valid};
pub(crate) use translate::translated;

/// Replaces a value with a number or boolean, or whatever else is written without quotes.
pub(crate) fn replace(node: &Node, text: &str) -> Edit {
    Edit { span: node.span, text: text.to_owned() }
}

/// Replaces a scalar with a string, in the quotes that are there.
pub(crate) fn replace_string(source: &Source, node: &Node, text: &str) -> Edit {
    let text = match node.style {
        Style::DoubleQuoted => double_quoted(text),
        Style::SingleQuoted => format!("'{}'", text.replace('\'', "''")),
        Style::Plain if is_json(source) || !is_plain(text) => double_quoted(text),
        _ => text.to_owned(),
    };
    Edit { span: node.span, text }
}

/// Renames the key of an entry, in its quotes.
pub(crate) fn rename(source: &Source, entry: &Entry, key: &str) -> Edit {
    let text = match source.slice(entry.key_span).chars().next() {
        Some(quote @ ('"' | '\'')) => format!("{quote}{key}{quote}"),
        _ => key.to_owned(),
    };
    Edit { span: entry.key_span, text }
}

/// Encloses a plain scalar in double quotes.
pub(crate) fn quote(source: &Source, node: &Node) -> Edit {
    let text = source.slice(node.span).replace('\\', "\\\\").replace('"', "\\\"");
    Edit { span: node.span, text: format!("\"{text}\"") }
}

/// Encloses the plain scalar of an entry in double quotes; null becomes an empty string. `None` if the value is an
/// alias, comes from a merge key, or has a tag.
pub(crate) fn quote_value(source: &Source, entry: &Entry) -> Option<Edit> {
    let value = &entry.value;
    let scalar = value.as_map().is_none() && !matches!(value.value, Value::Seq(_));
    if value.style != Style::Plain || !scalar || entry.merged || !editable(source) {
        return None;
    }
    let after_key = source.text.get(entry.key_span.end as usize..)?;
    let colon = after_key.find(|c| c != ' ').filter(|at| after_key[*at..].starts_with(':'))?;
    let after_colon = entry.key_span.end + colon as u32 + 1;
    if value.span.is_empty() {
        let span = Span { start: after_colon, end: after_colon };
        return Some(Edit { span, text: " \"\"".to_owned() });
    }
    let between = Span { start: after_colon, end: value.span.start };
    let before = source.slice(between).trim();
    let is_anchor = before.starts_with('&') && !before.contains(char::is_whitespace);
    let alone = value.span.start >= after_colon && (before.is_empty() || is_anchor);
    let alias = source.slice(value.span).starts_with('*');
    let edit = if value.is_null() { replace(value, "\"\"") } else { quote(source, value) };
    (alone && !alias).then_some(edit)
}

/// Inserts `key: value` before the first key of a mapping, in the style of the mapping. `None` if the mapping has the
/// key, its first key shares the line with something else, or the file is read-only.
pub(crate) fn insert_first(
    source: &Source,
    mapping: &Node,
    key: &str,
    value: &str,
) -> Option<Edit> {
    if mapping.entry(key).is_some() || !editable(source) {
        return None;
    }
    let Some(anchor) = anchor(source, mapping) else {
        return fill_braces(source, mapping, &[(key, value)]);
    };
    let at = anchor.key_span.start;
    let text = match mapping.style {
        Style::Flow => pair(source, (key, value), true) + &between_entries(source, at),
        _ => format!("{key}: {value}{}{}", source.line_break(), indent(source, at)?),
    };
    Some(Edit { span: Span { start: at, end: at }, text })
}

/// What separates two entries in braces, of which one stands at an offset: a comma and what follows it there.
fn between_entries(source: &Source, at: u32) -> String {
    match indent(source, at) {
        Some(indent) if !indent.is_empty() => format!(",{}{indent}", source.line_break()),
        _ if is_compact(source) => ",".to_owned(),
        _ => ", ".to_owned(),
    }
}

/// The entry before which another can be added: the first, or in a rendered text the first of those that the fewest
/// inputs decide.
fn anchor<'a>(source: &Source, mapping: &'a Node) -> Option<&'a Entry> {
    let Some(origin) = &source.origin else {
        return written(mapping).min_by_key(|entry| entry.key_span);
    };
    let literal = written(mapping).filter(|entry| origin.literal(entry.key_span).is_some());
    literal.min_by_key(|entry| (origin.decided(entry.key_span).len(), entry.key_span))
}

/// Writes entries into an empty mapping, or in place of a null, with braces.
fn fill_braces(source: &Source, node: &Node, wanted: &[(&str, &str)]) -> Option<Edit> {
    let written = source.slice(node.span);
    let is_empty = written.starts_with('{') && node.is_empty() || matches!(written, "null" | "~");
    let edit = Edit { span: node.span, text: in_braces(source, wanted) };
    (is_empty && editable(source)).then_some(edit)
}

/// The text of a mapping in braces.
fn in_braces(source: &Source, wanted: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = wanted.iter().map(|one| pair(source, *one, true)).collect();
    format!("{{{}}}", pairs.join(if is_compact(source) { "," } else { ", " }))
}

/// The text of an entry, with the quotes that JSON or a flow mapping needs.
fn pair(source: &Source, (key, value): (&str, &str), is_flow: bool) -> String {
    let is_literal = value.parse::<i64>().is_ok() || matches!(value, "true" | "false");
    let space = if is_compact(source) { "" } else { " " };
    match is_json(source) {
        true if is_literal => format!("\"{key}\":{space}{value}"),
        true => format!("\"{key}\":{space}{}", double_quoted(value)),
        false if is_flow && value.contains([',', '{', '}', '[', ']']) => {
            format!("{key}: {}", double_quoted(value))
        }
        false => format!("{key}: {value}"),
    }
}

/// True for a text in JSON, where every key and string has quotes.
pub(crate) fn is_json(source: &Source) -> bool {
    let text = source.text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
    let starts = |open: char, inside: [char; 2]| {
        text.strip_prefix(open).is_some_and(|text| text.trim_start().starts_with(inside))
    };
    starts('{', ['"', '}']) || starts('[', ['"', '{'])
}

/// True for JSON without spaces behind its colons.
fn is_compact(source: &Source) -> bool {
    is_json(source) && !source.text.contains("\": ")
}

fn double_quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// True for a word that YAML reads as the same string without quotes, in flow mappings too.
fn is_plain(text: &str) -> bool {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./=".contains(c);
    let parsed = yaml_spans::parse(text);
    text.chars().all(harmless)
        && matches!(parsed.as_slice(), [Ok(one)] if one.root.as_str() == Some(text))
}

/// Inserts the text of an entry after the last entry of a mapping.
fn append(source: &Source, mapping: &Node, entry: &str) -> Option<Edit> {
    let last = written(mapping).max_by_key(|entry| entry.key_span)?;
    let (at, text) = match mapping.style {
        Style::Flow => {
            let comma = between_entries(source, last.key_span.start);
            (last.value.span.end.max(last.key_span.end + 1), comma + entry)
        }
        _ => {
            let indent = indent(source, last.key_span.start)?;
            let end = source.line_span(source.line_of(entry_end(source, last))).end;
            (end, format!("{}{indent}{entry}", source.line_break()))
        }
    };
    editable(source).then_some(Edit { span: Span { start: at, end: at }, text })
}

fn written(mapping: &Node) -> impl Iterator<Item = &Entry> {
    mapping.entries().iter().filter(|entry| !entry.merged)
}

/// True for the text of a file, and for a rendered text whose edits may have a place in a file.
fn editable(source: &Source) -> bool {
    source.can_be_edited()
}

/// The end of an entry: of its value, or of its key when the value is not written.
fn entry_end(source: &Source, entry: &Entry) -> u32 {
    let end = entry.value.span.end.max(entry.key_span.end);
    let trimmed = source.text[..end as usize].trim_end().len();
    (trimmed as u32).max(entry.key_span.end)
}

/// The indentation for a sibling of a key. `None` if anything but white space and list dashes precedes the key.
fn indent(source: &Source, key: u32) -> Option<String> {
    let start = source.line_span(source.line_of(key)).start;
    let before = source.slice(Span { start, end: key });
    before.chars().map(|c| matches!(c, ' ' | '-').then_some(' ')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use yaml_spans as yaml;

    fn edited(text: &str, edit: impl Fn(&Source, &Node) -> Option<Edit>) -> Option<String> {
        let source = Source::new("a.yaml", text);
        let document = yaml::parse(text).remove(0).unwrap();
        Edit::apply(text, &[edit(&source, &document.root)?])
    }

    #[test]
    fn inserts_in_every_style() {
        let first =
            |text| edited(text, |source, root| insert_first(source, root.get("a")?, "k", "1"));
        assert_eq!(first("a:\r\n  b: 2\r\n").unwrap(), "a:\r\n  k: 1\r\n  b: 2\r\n");
        assert_eq!(first("a: {b: 2}\n").unwrap(), "a: {k: 1, b: 2}\n");
        assert_eq!(first("a: {}\n").unwrap(), "a: {k: 1}\n");
        assert_eq!(first("a: {k: 2}\n"), None);
        assert_eq!(first("{\"a\": {\"b\": 2}}").unwrap(), "{\"a\": {\"k\": 1, \"b\": 2}}");
        let pretty = "{\n  \"a\": {\n    \"b\": 2\n  }\n}\n";
        let both = "{\n  \"a\": {\n    \"k\": 1,\n    \"b\": 2\n  }\n}\n";
        assert_eq!(first(pretty).unwrap(), both);
    }

    #[test]
    fn annotates_in_every_style() {
        let annotated = |text: &str| {
            let source = Source::new("a.yaml", text);
            let document = yaml::parse(text).remove(0).unwrap();
            let added = [("k", "1"), ("l", "2")];
            Edit::apply(text, &annotate(&source, document.root.get("metadata")?, &added)?)
        };
        assert_eq!(
            annotated("metadata:\n  name: a\nspec: {}\n").unwrap(),
            "metadata:\n  name: a\n  annotations:\n    k: 1\n    l: 2\nspec: {}\n"
        );
        assert_eq!(
            annotated("metadata: {name: a}\n").unwrap(),
            "metadata: {name: a, annotations: {k: 1, l: 2}}\n"
        );
        assert_eq!(
            annotated("metadata:\n  annotations:\n    a: b\n  name: a\n").unwrap(),
            "metadata:\n  annotations:\n    a: b\n    k: 1\n    l: 2\n  name: a\n"
        );
        assert_eq!(
            annotated("metadata:\n  annotations: {a: b}\n").unwrap(),
            "metadata:\n  annotations: {a: b, k: 1, l: 2}\n"
        );
        assert_eq!(
            annotated("metadata:\n  annotations: {} # none\n").unwrap(),
            "metadata:\n  annotations: {k: 1, l: 2} # none\n"
        );
        assert_eq!(
            annotated("metadata:\r\n  annotations: # none\r\n  name: a\r\n").unwrap(),
            "metadata:\r\n  annotations: # none\r\n    k: 1\r\n    l: 2\r\n  name: a\r\n"
        );
        assert_eq!(
            annotated("{\"metadata\": {\"name\": \"a\"}}").unwrap(),
            "{\"metadata\": {\"name\": \"a\", \"annotations\": {\"k\": 1, \"l\": 2}}}"
        );
        assert_eq!(
            annotated("metadata:\n  annotations:\n    l: '3' # why\n").unwrap(),
            "metadata:\n  annotations:\n    l: '2' # why\n    k: 1\n"
        );
    }

    #[test]
    fn quotes_what_is_plainly_written() {
        let quoted = |text: &str| {
            edited(text, |source, root| quote_value(source, root.get("a")?.entry("b")?))
        };
        assert_eq!(quoted("a: {b: 1_0, c: 2}").unwrap(), "a: {b: \"1_0\", c: 2}");
        assert_eq!(quoted("a:\n  b : # none\n").unwrap(), "a:\n  b : \"\" # none\n");
        assert_eq!(quoted("a: {b: , c: 2}").unwrap(), "a: {b: \"\" , c: 2}");
        assert_eq!(quoted("a: {b: ~}").unwrap(), "a: {b: \"\"}");
        assert_eq!(quoted("a: {b: &x 1}").unwrap(), "a: {b: &x \"1\"}");
        for text in [
            "x: &x 1\na: {b: *x}",
            "a: {b: !!int 1}",
            "a: {b: &x !!int 1}",
            "a: {b}",
            "m: &m {b: 1}\na:\n  <<: *m",
            "a: {b: [1]}",
        ] {
            assert_eq!(quoted(text), None, "{text}");
        }
    }
}
