//! go-yaml's messages for errors that our YAML parser words differently.

/// The line of a message.
pub(super) enum Line {
    /// The line of an offset; go-yaml counts one more for errors of its scanner.
    Of { at: usize, is_scanner: bool },
    /// The message has no line.
    None,
}

/// How to find the line for an entry of [`WORDS`].
#[derive(Clone, Copy)]
enum LineRule {
    Scanner,
    Parser,
    /// The next token, where go-yaml notices the error.
    Next,
    /// The end of the text.
    End,
    Tab,
    Nowhere,
}

/// The start of our reason, go-yaml's message, and its line. Observed with `helm template` 3.22.0
/// and 4.3.1.
const WORDS: &[(&str, &str, LineRule)] = &[
    ("unclosed quote", "found unexpected end of stream", LineRule::End),
    ("tabs disallowed", NO_TOKEN, LineRule::Scanner),
    ("a tab cannot indent YAML", NO_TOKEN, LineRule::Scanner),
    ("unexpected character", NO_TOKEN, LineRule::Scanner),
    ("simple key expected", "could not find expected ':'", LineRule::Next),
    (
        "a `!!binary` value must be",
        "!!binary value contains invalid base64 data",
        LineRule::Nowhere,
    ),
    (
        "while parsing a quoted scalar, found unknown",
        "found unknown escape character",
        LineRule::Scanner,
    ),
    ("while parsing a quoted scalar, found high surrogate", BAD_RUNE, LineRule::Scanner),
    ("while parsing a quoted scalar, did not find expected hex", BAD_HEX, LineRule::Scanner),
    ("misplaced bracket", NO_CONTENT, LineRule::Parser),
    ("unexpected EOF while parsing", NO_CONTENT, LineRule::Parser),
    ("invalid trailing content after", "did not find expected key", LineRule::Parser),
    ("wrongly indented line in block", "did not find expected key", LineRule::Parser),
    (
        "`<<` takes a mapping",
        "map merge requires map or sequence of maps as the value",
        LineRule::Nowhere,
    ),
    ("the control character", "control characters are not allowed", LineRule::Nowhere),
    ("the document contains excessive", "document contains excessive aliasing", LineRule::Nowhere),
    ("the handle wasn't declared", "found undefined tag handle", LineRule::Parser),
    (
        "a block scalar content cannot start with a tab",
        "found a tab character where an indentation space is expected",
        LineRule::Tab,
    ),
];

const NO_TOKEN: &str = "found character that cannot start any token";
const NO_CONTENT: &str = "did not find expected node content";
/// The typo is libyaml's.
const BAD_HEX: &str = "did not find expected hexdecimal number";
const BAD_RUNE: &str = "found invalid Unicode character escape code";

/// go-yaml's message and line for a reason at an offset; `None` if both parsers use the same words.
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
    // go-yaml accepts a line of a quoted scalar that is indented too little.
    if reason.starts_with("invalid indentation in multiline") && !rest.contains(['"', '\'']) {
        let line = Line::Of { at: text.len(), is_scanner: true };
        return Some(("found unexpected end of stream".into(), line));
    }
    let (_, words, place) = WORDS.iter().find(|(start, ..)| reason.starts_with(start))?;
    let scanner = |at| Line::Of { at, is_scanner: true };
    let line = match place {
        LineRule::Scanner => scanner(at),
        LineRule::Parser => Line::Of { at, is_scanner: false },
        LineRule::Next => scanner(next_token(text, at)),
        LineRule::End => scanner(text.len()),
        LineRule::Tab => scanner(at + rest.find('\t').unwrap_or(0)),
        LineRule::Nowhere => Line::None,
    };
    Some(((*words).to_owned(), line))
}

/// The message for an unclosed flow collection: either the next item or the closing bracket is
/// missing.
fn unclosed(reason: &str, text: &str) -> String {
    let close = if reason.contains('{') { '}' } else { ']' };
    match text.trim_end().ends_with(['[', '{', ',', ':']) {
        true => NO_CONTENT.to_owned(),
        false => format!("did not find expected ',' or '{close}'"),
    }
}

/// The end of the text for go-yaml's scanner, which counts an added final line break.
fn end(text: &str) -> usize {
    if text.ends_with('\n') { text.len() } else { text.len() + 1 }
}

fn anchor(text: &str) -> Option<&str> {
    let name = text.trim_start_matches(|c: char| c != '*').strip_prefix('*')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    Some(&name[..name.find(|c| !is_part(c)).unwrap_or(name.len())])
}

/// The first token on a line after the offset, skipping comments.
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

    /// Observed with `helm template` 4.3.1, which reports values files and rendered manifests
    /// alike.
    #[test]
    fn errors_have_the_messages_of_go_yaml() {
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
