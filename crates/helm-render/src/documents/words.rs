//! go-yaml's messages, where those of the YAML parser differ.

use yaml_spans::ErrorKind;

/// The line of a message.
pub(super) enum Line {
    /// The line of an offset; go-yaml counts one more for errors of its scanner.
    Of { at: usize, is_scanner: bool },
    /// The message has no line.
    None,
}

/// How to find the line of a message.
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

const NO_TOKEN: &str = "found character that cannot start any token";
const NO_CONTENT: &str = "did not find expected node content";
/// The typo is libyaml's.
const BAD_HEX: &str = "did not find expected hexdecimal number";
const BAD_RUNE: &str = "found invalid Unicode character escape code";

/// go-yaml's words and the line for a kind of error at an offset; `None` where the parser's words are go-yaml's.
pub(super) fn words(kind: &ErrorKind, at: usize, text: &str) -> Option<(String, Line)> {
    let rest = text.get(at..).unwrap_or_default();
    match kind {
        ErrorKind::UnclosedBracket(open) => {
            let line = Line::Of { at: end(text), is_scanner: false };
            return Some((unclosed(*open, text), line));
        }
        ErrorKind::UnknownAnchor => {
            return Some((format!("unknown anchor '{}' referenced", anchor(rest)?), Line::None));
        }
        ErrorKind::AliasInsideAnchor => {
            return Some((format!("anchor '{}' value contains itself", anchor(rest)?), Line::None));
        }
        ErrorKind::TagMismatch { text: value, tag } => {
            return Some((format!("cannot decode !!str `{value}` as a !!{tag}"), Line::None));
        }
        // A line of a quoted text that stands too far left is no mistake by itself.
        ErrorKind::QuoteIndentation if !rest.contains(['"', '\'']) => {
            let line = Line::Of { at: text.len(), is_scanner: true };
            return Some(("found unexpected end of stream".into(), line));
        }
        _ => {}
    }
    let (words, place) = fixed_words(kind)?;
    let scanner = |at| Line::Of { at, is_scanner: true };
    let line = match place {
        LineRule::Scanner => scanner(at),
        LineRule::Parser => Line::Of { at, is_scanner: false },
        LineRule::Next => scanner(next_token(text, at)),
        LineRule::End => scanner(text.len()),
        LineRule::Tab => scanner(at + rest.find('\t').unwrap_or(0)),
        LineRule::Nowhere => Line::None,
    };
    Some((words.to_owned(), line))
}

/// Words that do not depend on the text. Seen with `helm template` 3.22.0 and 4.3.1.
fn fixed_words(kind: &ErrorKind) -> Option<(&'static str, LineRule)> {
    Some(match kind {
        ErrorKind::UnclosedQuote => ("found unexpected end of stream", LineRule::End),
        ErrorKind::Tab | ErrorKind::UnexpectedCharacter => (NO_TOKEN, LineRule::Scanner),
        ErrorKind::MissingColon => ("could not find expected ':'", LineRule::Next),
        ErrorKind::NotBase64 => ("!!binary value contains invalid base64 data", LineRule::Nowhere),
        ErrorKind::UnknownEscape => ("found unknown escape character", LineRule::Scanner),
        ErrorKind::HalfSurrogatePair => (BAD_RUNE, LineRule::Scanner),
        ErrorKind::InvalidHexEscape => (BAD_HEX, LineRule::Scanner),
        ErrorKind::MisplacedBracket | ErrorKind::UnexpectedEnd => (NO_CONTENT, LineRule::Parser),
        ErrorKind::TextAfterQuote | ErrorKind::BlockScalarIndentation => {
            ("did not find expected key", LineRule::Parser)
        }
        ErrorKind::InvalidMerge => {
            ("map merge requires map or sequence of maps as the value", LineRule::Nowhere)
        }
        ErrorKind::ControlCharacter => ("control characters are not allowed", LineRule::Nowhere),
        ErrorKind::ExcessiveAliasing => ("document contains excessive aliasing", LineRule::Nowhere),
        ErrorKind::UndeclaredTagHandle => ("found undefined tag handle", LineRule::Parser),
        ErrorKind::TabInBlockScalar => {
            ("found a tab character where an indentation space is expected", LineRule::Tab)
        }
        _ => return None,
    })
}

/// Either the next item or the end of the list is missing.
fn unclosed(open: char, text: &str) -> String {
    let close = if open == '{' { '}' } else { ']' };
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
