//! What go-yaml says where our YAML parser has other words for the same mistake.

/// Where a message counts its line from.
pub(super) enum Line {
    /// The line of this offset; scanner errors are one higher in go-yaml.
    Of { at: usize, is_scanner: bool },
    /// A message without a line.
    None,
}

/// How the line of a row of [`WORDS`] is found.
#[derive(Clone, Copy)]
enum Place {
    Scanner,
    Parser,
    /// The next token, as go-yaml only finds out there.
    Next,
    /// The end of the text.
    End,
    Tab,
    Nowhere,
}

/// How our reason starts, go-yaml's words, and its place. Seen with `helm template` 3.22.0 and 4.3.1.
const WORDS: &[(&str, &str, Place)] = &[
    ("unclosed quote", "found unexpected end of stream", Place::End),
    ("tabs disallowed", NO_TOKEN, Place::Scanner),
    ("a tab cannot indent YAML", NO_TOKEN, Place::Scanner),
    ("unexpected character", NO_TOKEN, Place::Scanner),
    ("simple key expected", "could not find expected ':'", Place::Next),
    ("a `!!binary` value must be", "!!binary value contains invalid base64 data", Place::Nowhere),
    (
        "while parsing a quoted scalar, found unknown",
        "found unknown escape character",
        Place::Scanner,
    ),
    ("while parsing a quoted scalar, found high surrogate", BAD_RUNE, Place::Scanner),
    ("while parsing a quoted scalar, did not find expected hex", BAD_HEX, Place::Scanner),
    ("misplaced bracket", NO_CONTENT, Place::Parser),
    ("unexpected EOF while parsing", NO_CONTENT, Place::Parser),
    ("invalid trailing content after", "did not find expected key", Place::Parser),
    ("wrongly indented line in block", "did not find expected key", Place::Parser),
    (
        "`<<` takes a mapping",
        "map merge requires map or sequence of maps as the value",
        Place::Nowhere,
    ),
    ("the control character", "control characters are not allowed", Place::Nowhere),
    ("the document contains excessive", "document contains excessive aliasing", Place::Nowhere),
    ("the handle wasn't declared", "found undefined tag handle", Place::Parser),
    (
        "a block scalar content cannot start with a tab",
        "found a tab character where an indentation space is expected",
        Place::Tab,
    ),
];

const NO_TOKEN: &str = "found character that cannot start any token";
const NO_CONTENT: &str = "did not find expected node content";
/// Spelled as in libyaml.
const BAD_HEX: &str = "did not find expected hexdecimal number";
const BAD_RUNE: &str = "found invalid Unicode character escape code";

/// The words and the line for a reason given at an offset; `None` where ours are go-yaml's.
pub(super) fn words(reason: &str, at: usize, text: &str) -> Option<(String, Line)> {
    let rest = text.get(at..).unwrap_or_default();
    if reason.starts_with("unclosed bracket") {
        return Some((unclosed(reason, text), Line::Of { at: end(text), is_scanner: false }));
    }
    if reason.starts_with("while parsing node, found unknown anchor") {
        return Some((format!("unknown anchor '{}' referenced", anchor(rest)?), Line::None));
    }
    if reason.starts_with("this alias stands inside") {
        return Some((format!("anchor '{}' value contains itself", anchor(rest)?), Line::None));
    }
    if let Some((value, tag)) = reason.split_once(" is not what its tag `") {
        let tag = tag.strip_suffix("` says")?;
        return Some((format!("cannot decode !!str {value} as a {tag}"), Line::None));
    }
    // A line of a quoted text that stands too far left is no mistake by itself.
    if reason.starts_with("invalid indentation in multiline") && !rest.contains(['"', '\'']) {
        let line = Line::Of { at: text.len(), is_scanner: true };
        return Some(("found unexpected end of stream".into(), line));
    }
    let (_, words, place) = WORDS.iter().find(|(start, ..)| reason.starts_with(start))?;
    let scanner = |at| Line::Of { at, is_scanner: true };
    let line = match place {
        Place::Scanner => scanner(at),
        Place::Parser => Line::Of { at, is_scanner: false },
        Place::Next => scanner(next_token(text, at)),
        Place::End => scanner(text.len()),
        Place::Tab => scanner(at + rest.find('\t').unwrap_or(0)),
        Place::Nowhere => Line::None,
    };
    Some(((*words).to_owned(), line))
}

/// Either the next item or the end of the list is missing.
fn unclosed(reason: &str, text: &str) -> String {
    let close = if reason.contains('{') { '}' } else { ']' };
    match text.trim_end().ends_with(['[', '{', ',', ':']) {
        true => NO_CONTENT.to_owned(),
        false => format!("did not find expected ',' or '{close}'"),
    }
}

/// The end as the scanner sees it, which adds a line break where none is: one further then.
fn end(text: &str) -> usize {
    if text.ends_with('\n') { text.len() } else { text.len() + 1 }
}

fn anchor(text: &str) -> Option<&str> {
    let name = text.trim_start_matches(|c: char| c != '*').strip_prefix('*')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    Some(&name[..name.find(|c| !is_part(c)).unwrap_or(name.len())])
}

/// The first token on a line below the offset, comments left out.
fn next_token(text: &str, at: usize) -> usize {
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.trim_start();
        if start > at && !content.is_empty() && !content.starts_with('#') {
            return start;
        }
        start += line.len();
    }
    end(text)
}

#[cfg(test)]
mod tests {
    use crate::documents::first_document;

    /// Seen with `helm template` 4.3.1, which says the same of values and of what templates print.
    #[test]
    fn mistakes_are_called_what_go_yaml_calls_them() {
        for (text, expected) in [
            ("a: [1, 2\n", "line 1: did not find expected ',' or ']'"),
            ("1: a\n2: [\n", "line 2: did not find expected node content"),
            ("a: 'x\n", "line 2: found unexpected end of stream"),
            ("a: 'it''s\nb: 1\n", "line 3: found unexpected end of stream"),
            ("a:\n\t- b\n", "line 2: found character that cannot start any token"),
            ("a:\n  \tb: 1\n", "line 2: found character that cannot start any token"),
            ("a: @x\n", "found character that cannot start any token"),
            ("a: *x\n", "unknown anchor 'x' referenced"),
            ("a: &x\n  b: *y\n", "unknown anchor 'y' referenced"),
            ("a: &a [*a]\n", "anchor 'a' value contains itself"),
            ("a: |\n x\n  y\nz\n", "line 5: could not find expected ':'"),
            ("a: 1\nkey\n", "line 3: could not find expected ':'"),
            ("a: 1\nkey\nb: 2\n", "line 3: could not find expected ':'"),
            ("a: !!int x\n", "cannot decode !!str `x` as a !!int"),
            ("a: \"\\q\"\n", "found unknown escape character"),
            ("a: \"\\x4\"\n", "did not find expected hexdecimal number"),
            ("a: ]\n", "did not find expected node content"),
            ("a: 'b' c\n", "did not find expected key"),
            ("a: |3\n  x\n", "line 1: did not find expected key"),
            ("a: >\n\tx\n", "line 2: found a tab character where an indentation space is expected"),
            ("<<: 1\na: 2\n", "map merge requires map or sequence of maps as the value"),
        ] {
            let found = first_document(text).unwrap_err().go_text(text);
            assert_eq!(
                found,
                format!("error converting YAML to JSON: yaml: {expected}"),
                "{text:?}"
            );
        }
    }
}
