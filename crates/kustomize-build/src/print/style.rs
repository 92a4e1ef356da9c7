//! How go-yaml prints a string: its style, its quotes, and whether its plain text would be read as
//! another type.

use std::borrow::Cow;

use yaml_spans::{Value, resolve};

use crate::scalar::timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

/// The result of `yaml_emitter_analyze_scalar` for block context.
pub(super) struct Analysis {
    pub(super) multiline: bool,
    plain: bool,
    single: bool,
    block: bool,
}

/// The style of a string in block context.
pub(super) fn of(text: &str, analysis: &Analysis, is_simple_key: bool) -> Style {
    let mut style = if memchr::memchr(b'\n', text.as_bytes()).is_some() {
        Style::Literal
    } else if is_other_type(text) {
        Style::Double
    } else {
        Style::Plain
    };
    if is_simple_key && analysis.multiline {
        style = Style::Double;
    }
    if style == Style::Plain && (!analysis.plain || text.is_empty() && is_simple_key) {
        style = Style::Single;
    }
    if style == Style::Single && !analysis.single {
        style = Style::Double;
    }
    if style == Style::Literal && (!analysis.block || is_simple_key) {
        style = Style::Double;
    }
    style
}

pub(super) fn analyze(text: &str) -> Analysis {
    let bytes = text.as_bytes();
    if bytes.is_empty() {
        return Analysis { multiline: false, plain: true, single: true, block: false };
    }
    let mut state = Analysis { multiline: false, plain: true, single: true, block: true };
    if bytes.starts_with(b"---") || bytes.starts_with(b"...") {
        state.plain = false;
    }
    let (mut after_white, mut after_space, mut after_break) = (true, false, false);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|&(_, c)| c);
        let before_white = matches!(next, None | Some(' ' | '\t'));
        if is_indicator(c, at == 0, after_white, before_white) {
            state.plain = false;
        }
        if !is_printable(c) {
            (state.plain, state.single, state.block) = (false, false, false);
        }
        let at_edge = at == 0 || next.is_none();
        if c == ' ' {
            state.plain &= !at_edge && !after_break;
            state.single &= !after_break;
            state.block &= next.is_some();
            (after_space, after_break) = (true, false);
        } else if is_break(c) {
            (state.multiline, state.plain) = (true, false);
            if after_space {
                (state.single, state.block) = (false, false);
            }
            (after_space, after_break) = (false, true);
        } else {
            (after_space, after_break) = (false, false);
        }
        after_white = matches!(c, ' ' | '\t' | '\0') || is_break(c);
    }
    state
}

/// Whether a character has a special meaning at its position in block context.
fn is_indicator(c: char, is_first: bool, after_white: bool, before_white: bool) -> bool {
    match c {
        '#' => is_first || after_white,
        ':' => before_white,
        '-' | '?' => is_first && before_white,
        ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@'
        | '`' => is_first,
        _ => false,
    }
}

pub(super) fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether go-yaml prints a character unescaped; it escapes everything beyond the basic plane.
pub(super) fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

/// Whether a plain scalar of this text would not be read as a string.
fn is_other_type(text: &str) -> bool {
    let Some(first) = text.bytes().next() else { return true };
    match first {
        b'~' | b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => {
            text.len() <= 5 && !matches!(resolve(text), Value::Str(_))
        }
        b'.' => is_special_float(text) || is_go_float(text),
        b'+' | b'-' | b'0'..=b'9' => is_sexagesimal(text) || is_timestamp(text) || is_number(text),
        _ => false,
    }
}

fn is_number(text: &str) -> bool {
    match resolve(text) {
        Value::Str(_) => false,
        // A number too large for Go, which reads it as a string.
        Value::Float(number) if number.is_infinite() => text.ends_with(|c: char| c.is_alphabetic()),
        _ => true,
    }
}

fn is_special_float(text: &str) -> bool {
    matches!(text, ".nan" | ".NaN" | ".NAN" | ".inf" | ".Inf" | ".INF")
}

/// Whether `strconv.ParseFloat` accepts a text that starts with a point.
fn is_go_float(text: &str) -> bool {
    !text.contains('_') && text.parse::<f64>().is_ok()
}

/// `^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`
fn is_sexagesimal(text: &str) -> bool {
    if !text.contains(':') {
        return false;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let (body, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let mut parts = body.split(':');
    let whole = parts.next().unwrap_or_default();
    is_digits(fraction)
        && whole.starts_with(|c: char| c.is_ascii_digit())
        && is_digits(whole)
        && parts.all(|part| match part.as_bytes() {
            [digit] => digit.is_ascii_digit(),
            [tens, digit] => matches!(tens, b'0'..=b'5') && digit.is_ascii_digit(),
            _ => false,
        })
}

fn is_timestamp(text: &str) -> bool {
    timestamp(text).is_some()
}

/// The string after a round trip through JSON read as YAML: `None` if YAML does not allow it. Line
/// breaks beyond ASCII are folded.
pub(super) fn through_json(text: &str) -> Option<Cow<'_, str>> {
    let is_forbidden =
        |c: char| matches!(c, '\x7f'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}');
    if text.contains(is_forbidden) {
        return None;
    }
    if !text.contains('\u{85}') {
        return Some(Cow::Borrowed(text));
    }
    let mut folded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\u{85}') {
        folded.push_str(rest[..at].trim_end_matches(' '));
        let tail = &rest[at..];
        let end = tail.find(|c| c != '\u{85}' && c != ' ').unwrap_or(tail.len());
        let breaks = tail[..end].matches('\u{85}').count();
        folded.push_str(&if breaks == 1 { " ".to_owned() } else { "\n".repeat(breaks - 1) });
        rest = &tail[end..];
    }
    folded.push_str(rest);
    Some(Cow::Owned(folded))
}
