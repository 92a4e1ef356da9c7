//! Tokens of an expression.

use std::ops::Range;

use crate::issue::Issue;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Identifier,
    Int,
    Uint,
    Float,
    String,
    Bytes,
    /// `in`, `true`, `false`, `null`, and punctuation, by their text.
    Symbol(&'static str),
    End,
}

pub(crate) struct Lexed {
    pub(crate) token: Token,
    pub(crate) range: Range<usize>,
}

const SYMBOLS: &[&str] = &[
    "==", "!=", "<=", ">=", "&&", "||", "<", ">", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!",
    "?", ":", "+", "*", "/", "%",
];

const WORDS: &[&str] = &["in", "true", "false", "null"];

/// All tokens of a text, the last of them [`Token::End`].
pub(crate) fn tokens(text: &str) -> Result<Vec<Lexed>, Issue> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += blank(&text[at..]);
        let rest = &text[at..];
        if rest.is_empty() {
            tokens.push(Lexed { token: Token::End, range: at..at });
            return Ok(tokens);
        }
        let Some((token, length)) = literal(rest).or_else(|| word(rest)).or_else(|| symbol(rest))
        else {
            return Err(unknown(rest, at));
        };
        tokens.push(Lexed { token, range: at..at + length });
        at += length;
    }
}

fn unknown(rest: &str, at: usize) -> Issue {
    let mut characters = rest.char_indices();
    let first = characters.next().map_or(' ', |(_, first)| first);
    let second = characters.next().map_or(rest.len(), |(at, second)| at + second.len_utf8());
    let end = match first {
        '"' | '\'' => bad_escape(rest).or_else(|| rest.find(['\n', '\r'])).unwrap_or(rest.len()),
        // These begin an operator of two characters.
        '=' | '&' | '|' => second,
        first => first.len_utf8(),
    };
    Issue::new(
        at..at + end,
        format!("Syntax error: token recognition error at: '{}'", &rest[..end]),
    )
}

/// The end of the first backslash in a text that escapes nothing, and of the character after it.
fn bad_escape(text: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(next) = text[at..].find('\\') {
        let after = &text[at + next + 1..];
        let first = after.chars().next()?;
        if !"abfnrtv\"'\\?`xXuU0123".contains(first) {
            return Some(at + next + 1 + first.len_utf8());
        }
        at += next + 2;
    }
    None
}

/// The length of white space and comments.
fn blank(text: &str) -> usize {
    let mut rest = text;
    loop {
        let next = rest.trim_start_matches(['\t', ' ', '\r', '\n', '\u{c}']);
        rest = match next.strip_prefix("//") {
            Some(comment) => comment.find('\n').map_or("", |end| &comment[end..]),
            None => return text.len() - next.len(),
        };
    }
}

fn literal(text: &str) -> Option<(Token, usize)> {
    number(text).or_else(|| quoted(text))
}

fn number(text: &str) -> Option<(Token, usize)> {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        bytes[from.min(bytes.len())..].iter().take_while(|b| b.is_ascii_digit()).count()
    };
    let unsigned = |end: usize| match bytes.get(end) {
        Some(b'u' | b'U') => (Token::Uint, end + 1),
        _ => (Token::Int, end),
    };
    if text.starts_with("0x") {
        let hex = bytes[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count();
        if hex > 0 {
            return Some(unsigned(2 + hex));
        }
    }
    let whole = digits(0);
    let mut end = whole;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    } else if whole == 0 {
        return None;
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent > 0 {
            return Some((Token::Float, end + 1 + sign + exponent));
        }
    }
    if end > whole { Some((Token::Float, end)) } else { Some(unsigned(whole)) }
}

fn quoted(text: &str) -> Option<(Token, usize)> {
    let bytes = text.as_bytes();
    let mut start = 0;
    let mut token = Token::String;
    if matches!(bytes.first(), Some(b'b' | b'B')) {
        (token, start) = (Token::Bytes, 1);
    }
    let raw = matches!(bytes.get(start), Some(b'r' | b'R'));
    start += usize::from(raw);
    let quote = *bytes.get(start).filter(|quote| matches!(quote, b'"' | b'\''))?;
    let triple = bytes[start..].starts_with(&[quote; 3]);
    let marks = if triple { 3 } else { 1 };
    let mut at = start + marks;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if !raw => {
                let escaped = *bytes.get(at + 1)?;
                if !b"abfnrtv\"'\\?`xXuU0123".contains(&escaped) {
                    return None;
                }
                at += 2;
            }
            b'\n' | b'\r' if !triple => return None,
            byte if byte == quote && (!triple || bytes[at..].starts_with(&[quote; 3])) => {
                return Some((token, at + marks));
            }
            _ => at += 1,
        }
    }
    None
}

fn word(text: &str) -> Option<(Token, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.bytes().take_while(is_part).count();
    if length == 0 || text.as_bytes()[0].is_ascii_digit() {
        return None;
    }
    let reserved = WORDS.iter().find(|word| **word == &text[..length]);
    Some((reserved.map_or(Token::Identifier, |word| Token::Symbol(word)), length))
}

fn symbol(text: &str) -> Option<(Token, usize)> {
    let symbol = SYMBOLS.iter().find(|symbol| text.starts_with(**symbol))?;
    Some((Token::Symbol(symbol), symbol.len()))
}
