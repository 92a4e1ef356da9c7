//! The style of a string: its quotes, and whether its plain text would be read as another type.

use std::borrow::Cow;

use super::GoYaml;
use crate::{Value, resolve, timestamp::timestamp};

/// The style in which a string is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarStyle {
    /// Without quotes.
    Plain,
    /// In single quotes.
    Single,
    /// In double quotes, with escapes.
    Double,
    /// As a block after `|`.
    Literal,
}

/// What a string allows in block context: the result of libyaml's `yaml_emitter_analyze_scalar`.
#[derive(Clone, Copy, Debug)]
pub struct Analysis {
    /// The string contains a line break.
    pub multiline: bool,
    plain: bool,
    single: bool,
    block: bool,
}

/// The style of a string in block context.
pub fn style(text: &str, analysis: &Analysis, is_simple_key: bool, version: GoYaml) -> ScalarStyle {
    let mut style = if memchr::memchr(b'\n', text.as_bytes()).is_some() {
        ScalarStyle::Literal
    } else if is_other_type(text, version) {
        ScalarStyle::Double
    } else {
        ScalarStyle::Plain
    };
    if is_simple_key && analysis.multiline {
        style = ScalarStyle::Double;
    }
    if style == ScalarStyle::Plain && (!analysis.plain || text.is_empty() && is_simple_key) {
        style = ScalarStyle::Single;
    }
    if style == ScalarStyle::Single && !analysis.single {
        style = ScalarStyle::Double;
    }
    if style == ScalarStyle::Literal && (!analysis.block || is_simple_key) {
        style = ScalarStyle::Double;
    }
    style
}

/// Analyses a string.
pub fn analyze(text: &str, version: GoYaml) -> Analysis {
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
        if version == GoYaml::V3 && c == '\t' {
            (state.plain, state.single) = (false, false);
        } else if !is_printable(c) {
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

/// Whether YAML 1.1 counts a character as a line break.
pub fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether go-yaml prints a character unescaped; it escapes everything beyond the basic plane.
pub fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

/// Whether a plain scalar of this text would not be read as a string.
fn is_other_type(text: &str, version: GoYaml) -> bool {
    let Some(first) = text.bytes().next() else { return true };
    match first {
        b'~' | b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => {
            text.len() <= 5 && !matches!(resolve(text), Value::Str(_))
        }
        b'.' => is_special_float(text) || is_go_float(text),
        b'+' | b'-' | b'0'..=b'9' => {
            is_sexagesimal(text)
                || timestamp(text).is_some()
                || is_number(text)
                || version == GoYaml::V3 && is_signed_octal(text)
        }
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

/// Whether `strconv.ParseFloat` accepts a text that starts with a point. Underscores stand between digits.
fn is_go_float(text: &str) -> bool {
    let is_digit = |at: Option<&u8>| at.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let is_separated = |(at, _)| is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1));
    text.match_indices('_').all(is_separated)
        && text.replace('_', "").parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a text is a signed octal number, which only version 3 reads as a number.
fn is_signed_octal(text: &str) -> bool {
    let digits = text.strip_prefix("-0o").unwrap_or_default();
    !digits.is_empty() && i64::from_str_radix(digits, 8).is_ok()
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

/// The string after a round trip through JSON read as YAML: `None` if YAML does not allow it. Line
/// breaks beyond ASCII are folded.
pub fn through_json(text: &str) -> Option<Cow<'_, str>> {
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
