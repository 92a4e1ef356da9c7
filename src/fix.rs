//! Builds byte edits of YAML that preserve the style of the file.

use std::cell::Cell;

use yaml_spans::{self as yaml, Edit, Entry, Node, Source, Span, Style, Value};

/// Replaces a value with a plain text.
pub(crate) fn replace(node: &Node, text: &str) -> Edit {
    Edit { span: node.span, text: text.to_owned() }
}

/// Renames the key of an entry.
pub(crate) fn rename(entry: &Entry, key: &str) -> Edit {
    Edit { span: entry.key_span, text: key.to_owned() }
}

/// Encloses a plain scalar in double quotes.
pub(crate) fn quote(source: &Source, node: &Node) -> Edit {
    let text = source.slice(node.span).replace('\\', "\\\\").replace('"', "\\\"");
    Edit { span: node.span, text: format!("\"{text}\"") }
}

/// Encloses the plain scalar of an entry in double quotes; null becomes an empty string. `None` if the value is an
/// alias, comes from a merge key, or has an anchor or a tag.
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
    let alone = value.span.start >= after_colon && source.slice(between).trim().is_empty();
    let alias = source.slice(value.span).starts_with('*');
    let edit = if value.is_null() { replace(value, "\"\"") } else { quote(source, value) };
    (alone && !alias).then_some(edit)
}

/// Inserts `key: value` before the first key of a mapping. `None` if the mapping is empty, its first key shares
/// the line with something else, or the file is read-only.
pub(crate) fn insert_first(
    source: &Source,
    mapping: &Node,
    key: &str,
    value: &str,
) -> Option<Edit> {
    let first = written(mapping).min_by_key(|entry| entry.key_span)?;
    let at = first.key_span.start;
    let text = match mapping.style {
        Style::Flow => format!("{key}: {value}, "),
        _ => {
            let indent = indent(source, at)?;
            format!("{key}: {value}{}{indent}", source.line_break())
        }
    };
    editable(source).then_some(Edit { span: Span { start: at, end: at }, text })
}

/// Adds annotations to a `metadata` mapping. `None` as for [`insert_first`].
pub(crate) fn annotate(
    source: &Source,
    metadata: &Node,
    added: &[(&str, &str)],
) -> Option<Vec<Edit>> {
    let pairs: Vec<_> = added.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    if let Some(annotations) = metadata.get("annotations") {
        return pairs.iter().map(|pair| append(source, annotations, pair)).collect();
    }
    let entry = match metadata.style {
        Style::Flow => format!("annotations: {{{}}}", pairs.join(", ")),
        _ => {
            let first = written(metadata).min_by_key(|entry| entry.key_span)?;
            let indent = indent(source, first.key_span.start)?;
            let line = format!("{}{indent}  ", source.line_break());
            format!("annotations:{line}{}", pairs.join(&line))
        }
    };
    Some(vec![append(source, metadata, &entry)?])
}

/// Removes an entry of a block mapping with its lines. `None` if it shares a line with something else, or is the
/// only entry.
pub(crate) fn remove(source: &Source, mapping: &Node, entry: &Entry) -> Option<Edit> {
    if mapping.style == Style::Flow || written(mapping).count() < 2 || entry.merged {
        return None;
    }
    let first = source.line_span(source.line_of(entry.key_span.start));
    let before = source.slice(Span { start: first.start, end: entry.key_span.start });
    let last_line = source.line_of(entry_end(source, entry));
    let next = source.line_span(last_line + 1).start;
    if !before.trim().is_empty() || !editable(source) {
        return None;
    }
    Some(Edit { span: Span { start: first.start, end: next }, text: String::new() })
}

/// Moves an entry of a block mapping with its lines before the first key of another mapping. `None` if either
/// edit would affect parts of lines.
pub(crate) fn relocate(
    source: &Source,
    from: &Node,
    entry: &Entry,
    to: &Node,
) -> Option<Vec<Edit>> {
    let gone = remove(source, from, entry)?;
    let first = written(to).min_by_key(|entry| entry.key_span)?;
    if to.style == Style::Flow || to.entry(&entry.key).is_some() {
        return None;
    }
    let (old, new) = (indent(source, entry.key_span.start)?, indent(source, first.key_span.start)?);
    let own = Span { start: entry.key_span.start, end: gone.span.end };
    let mut text = String::new();
    for (index, line) in source.slice(own).split_inclusive('\n').enumerate() {
        match (index, line.trim().is_empty()) {
            (0, _) | (_, true) => text.push_str(line),
            _ => text.extend([new.as_str(), line.strip_prefix(old.as_str())?]),
        }
    }
    if !text.ends_with('\n') {
        text.push_str(source.line_break());
    }
    let at = first.key_span.start;
    text.push_str(&new);
    Some(vec![Edit { span: Span { start: at, end: at }, text }, gone])
}

/// True when all edits are inside the document, leave it valid YAML, and together change at most two values per
/// edit (moving a value changes two).
///
/// Parsing a large document for each of its findings can take minutes. When `allowance` is used up, only the lines
/// of the edits are parsed.
pub(crate) fn is_sound(
    source: &Source,
    document: Span,
    edits: &[Edit],
    allowance: &Allowance,
) -> bool {
    if allowance.covers(document) {
        return is_sound_in(source, document, edits);
    }
    edits.iter().all(|edit| document.contains(edit.span) && is_local(source, edit))
}

/// True when a text has no more invalid documents after an edit than before. Without a comment, the lines around it
/// can become one plain scalar. False when `allowance` is used up.
pub(crate) fn keeps_valid(source: &Source, edit: &Edit, allowance: &Allowance) -> bool {
    let whole = Span::new(0, source.text.len());
    let broken = |text: &str| yaml::parse(text).iter().filter(|document| document.is_err()).count();
    let after = || Edit::apply(&source.text, std::slice::from_ref(edit));
    allowance.covers(whole) && after().is_some_and(|after| broken(&after) <= broken(&source.text))
}

/// The bytes that the proofs of fixes may still parse.
#[derive(Debug)]
pub(crate) struct Allowance(Cell<u64>);

impl Default for Allowance {
    fn default() -> Self {
        Self(Cell::new(16 << 20))
    }
}

impl Allowance {
    fn covers(&self, document: Span) -> bool {
        let left = self.0.get().checked_sub(2 * u64::from(document.end - document.start));
        self.0.set(left.unwrap_or(0));
        left.is_some()
    }
}

/// The longest line that is parsed alone, in bytes.
const LONGEST_LINE: u32 = 4096;

/// True when an edit changes one value of the entry on its line, and nothing else. The value that it writes must be a
/// quoted text: other values can mean something else in their document.
fn is_local(source: &Source, edit: &Edit) -> bool {
    let line = source.line_span(source.line_of(edit.span.start));
    let is_quoted = |text: &str| text.len() > 1 && text.starts_with('"') && text.ends_with('"');
    let starts_entry = !source.slice(line).trim_start().starts_with(['"', '\'', '|', '>']);
    line.end - line.start <= LONGEST_LINE
        && is_quoted(edit.text.trim())
        && starts_entry
        && is_sound_in(source, line, std::slice::from_ref(edit))
}

fn is_sound_in(source: &Source, document: Span, edits: &[Edit]) -> bool {
    let moved = |edit: &Edit| {
        let span = edit.span;
        let inside = document.contains(span) && source.text.is_char_boundary(span.start as usize);
        let shifted = Span {
            start: span.start.wrapping_sub(document.start),
            end: span.end.wrapping_sub(document.start),
        };
        inside.then(|| Edit { span: shifted, text: edit.text.clone() })
    };
    let Some(edits) = edits.iter().map(moved).collect::<Option<Vec<_>>>() else { return false };
    let before = source.slice(document);
    let Some(after) = Edit::apply(before, &edits) else { return false };
    match (yaml::parse(before).as_slice(), yaml::parse(&after).as_slice()) {
        ([Ok(before)], [Ok(after)]) => differences(&before.root, &after.root) <= 2 * edits.len(),
        _ => false,
    }
}

/// The number of leaves and keys in which two trees differ.
fn differences(a: &Node, b: &Node) -> usize {
    if a.as_map().is_some() && b.as_map().is_some() {
        let removed = |entry: &&Entry| b.get(&entry.key).is_none();
        let added = |entry: &&Entry| a.get(&entry.key).is_none();
        let inside = a
            .entries()
            .iter()
            .filter_map(|entry| Some(differences(&entry.value, b.get(&entry.key)?)));
        let unmatched =
            a.entries().iter().filter(removed).count() + b.entries().iter().filter(added).count();
        return unmatched + inside.sum::<usize>();
    }
    match (a.items(), b.items()) {
        (x, y) if x.len() == y.len() && !x.is_empty() => {
            x.iter().zip(y).map(|(a, b)| differences(a, b)).sum()
        }
        _ => usize::from(a != b),
    }
}

/// Inserts the text of an entry after the last entry of a mapping.
fn append(source: &Source, mapping: &Node, entry: &str) -> Option<Edit> {
    let last = written(mapping).max_by_key(|entry| entry.key_span)?;
    let (at, text) = match mapping.style {
        Style::Flow => (last.value.span.end.max(last.key_span.end + 1), format!(", {entry}")),
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

fn editable(source: &Source) -> bool {
    source.editable
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
        assert_eq!(first("a: {}\n"), None);
    }

    #[test]
    fn a_fix_that_loses_something_is_not_sound() {
        let source = Source::new("a.yaml", "a: 1\n---\nb: {c: 1, d: 2, e: 3}\n");
        let document = yaml::parse(&source.text).remove(1).unwrap().span;
        let edit =
            |start, end, text: &str| vec![Edit { span: Span::new(start, end), text: text.into() }];
        let is_sound = |edits: &[Edit]| is_sound(&source, document, edits, &Allowance::default());
        assert!(is_sound(&edit(16, 17, "9")));
        assert!(!is_sound(&edit(12, 30, "{c: [}")), "no longer YAML");
        assert!(!is_sound(&edit(12, 30, "{}")), "three keys gone by one edit");
        assert!(!is_sound(&edit(3, 4, "2")), "outside the document");
    }

    /// A plain scalar ends at a comment (YAML 1.2, 6.6) and else goes on in the next line.
    #[test]
    fn a_comment_between_plain_scalars_stays() {
        let keeps_valid = |text: &str, start, allowance: &Allowance| {
            let span = Span::new(start, start + "# comment\n".len());
            keeps_valid(&Source::new("a.yaml", text), &Edit { span, text: "".into() }, allowance)
        };
        let ample = Allowance::default();
        assert!(keeps_valid("a: 1\n# comment\nb: 2\n", 5, &ample));
        assert!(!keeps_valid("a\n# comment\nb: 2\n", 2, &ample));
        assert!(!keeps_valid("a: 1\n# comment\nb: 2\n", 5, &Allowance(Cell::new(0))));
    }

    #[test]
    fn without_allowance_only_quoted_values_are_sound() {
        let source = Source::new("a.yaml", "a:\n  b: 1\n  c: {d: 1}\n  e: 1\n");
        let document = yaml::parse(&source.text).remove(0).unwrap().span;
        let none = Allowance(Cell::new(0));
        let is_sound = |start, end, text: &str| {
            let edit = Edit { span: Span::new(start, end), text: text.into() };
            is_sound(&source, document, &[edit], &none)
        };
        assert!(is_sound(8, 9, "\"1\""));
        assert!(is_sound(19, 20, "\"1\""));
        assert!(!is_sound(8, 9, "2"), "not quoted");
        assert!(!is_sound(5, 10, "\"1\""), "the key is gone");
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
        assert_eq!(annotated("metadata:\n  annotations: {}\n"), None);
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
        for text in [
            "x: &x 1\na: {b: *x}",
            "a: {b: &x 1}",
            "a: {b: !!int 1}",
            "a: {b}",
            "m: &m {b: 1}\na:\n  <<: *m",
            "a: {b: [1]}",
        ] {
            assert_eq!(quoted(text), None, "{text}");
        }
    }

    #[test]
    fn moves_whole_lines() {
        let moved = |text: &str| {
            let source = Source::new("a.yaml", text);
            let root = yaml::parse(text).remove(0).unwrap().root;
            let from = root.at(&["a", "b"])?;
            Edit::apply(text, &relocate(&source, from, from.entry("x")?, root.get("a")?)?)
        };
        assert_eq!(
            moved("a:\n  b:\n    c: 1\n    x: # why\n      - |\n        1\n\n        2\n").unwrap(),
            "a:\n  x: # why\n    - |\n      1\n\n      2\n  b:\n    c: 1\n"
        );
        assert_eq!(moved("a:\n  b:\n    x: 1\n    c: 1").unwrap(), "a:\n  x: 1\n  b:\n    c: 1");
        assert_eq!(moved("a:\n  x: 0\n  b:\n    x: 1\n    c: 1\n"), None);
        assert_eq!(moved("a:\n  b: {c: 1, x: 1}\n"), None);
    }

    #[test]
    fn removes_whole_lines_only() {
        let gone = |text| {
            edited(text, |source, root| remove(source, root.get("a")?, root.get("a")?.entry("b")?))
        };
        assert_eq!(gone("a:\n  b:\n    x: 1\n  c: 2\n").unwrap(), "a:\n  c: 2\n");
        assert_eq!(gone("a: {b: 1, c: 2}\n"), None);
        assert_eq!(gone("a:\n  b: 1\n"), None);
    }
}
