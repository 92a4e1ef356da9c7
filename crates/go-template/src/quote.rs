//! Go's string quoting: `strconv.Quote` and `strconv.Unquote`.

use std::fmt::Write as _;

use crate::runes;

/// Quotes a string (`strconv.Quote`).
pub fn quote(bytes: &[u8]) -> String {
    quote_with(bytes, '"', false)
}

/// `strconv.QuoteToASCII`.
pub(crate) fn quote_ascii(bytes: &[u8]) -> String {
    quote_with(bytes, '"', true)
}

/// `strconv.QuoteRune`, or `strconv.QuoteRuneToASCII`.
pub(crate) fn quote_rune(rune: char, ascii: bool) -> String {
    quote_with(rune.encode_utf8(&mut [0; 4]).as_bytes(), '\'', ascii)
}

/// Whether a string can be written in back quotes (`strconv.CanBackquote`).
pub fn can_backquote(bytes: &[u8]) -> bool {
    runes::runes(bytes).all(|(_, rune, len)| match rune {
        '\u{feff}' | '`' | '\u{7f}' => false,
        char::REPLACEMENT_CHARACTER => len > 1,
        rune => rune >= ' ' || rune == '\t',
    })
}

/// The escape sequence that a rune needs between double quotes, if any. `bytes` is its encoding.
pub(crate) fn escape(bytes: &[u8], rune: char, ascii: bool) -> Option<String> {
    if (rune.is_ascii() || !ascii)
        && rune != '"'
        && rune != '\\'
        && runes::is_print(rune)
        && bytes.len() == rune.len_utf8()
    {
        return None;
    }
    let quoted = quote_with(bytes, '"', ascii);
    Some(quoted[1..quoted.len() - 1].to_owned())
}

fn quote_with(bytes: &[u8], mark: char, ascii: bool) -> String {
    let mut quoted = String::with_capacity(bytes.len() + 2);
    quoted.push(mark);
    for (at, rune, len) in runes::runes(bytes) {
        if len == 1 && rune == char::REPLACEMENT_CHARACTER {
            write!(quoted, "\\x{:02x}", bytes[at]).expect("writing to a String");
        } else {
            push_escaped(&mut quoted, rune, mark, ascii);
        }
    }
    quoted.push(mark);
    quoted
}

fn push_escaped(out: &mut String, rune: char, mark: char, ascii: bool) {
    if rune == mark || rune == '\\' {
        out.push('\\');
        out.push(rune);
        return;
    }
    if (rune.is_ascii() || !ascii) && runes::is_print(rune) {
        out.push(rune);
        return;
    }
    if let Some((letter, _)) = ESCAPES.iter().find(|(_, escaped)| *escaped == rune) {
        out.push('\\');
        out.push(*letter);
        return;
    }
    match u32::from(rune) {
        code @ (0..0x20 | 0x7f) => write!(out, "\\x{code:02x}"),
        code @ ..0x10000 => write!(out, "\\u{code:04x}"),
        code => write!(out, "\\U{code:08x}"),
    }
    .expect("writing to a String");
}

const ESCAPES: [(char, char); 7] = [
    ('a', '\x07'),
    ('b', '\x08'),
    ('f', '\x0c'),
    ('n', '\n'),
    ('r', '\r'),
    ('t', '\t'),
    ('v', '\x0b'),
];

/// The meaning of an escape sequence or a plain rune.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unquoted {
    Byte(u8),
    Rune(char),
}

/// `strconv.Unquote` of a quoted or back-quoted string; `None` is Go's `invalid syntax`.
pub(crate) fn unquote(quoted: &[u8]) -> Option<Vec<u8>> {
    let [mark, inner @ .., last] = quoted else { return None };
    match (mark, last) {
        (b'`', b'`') if inner.contains(&b'`') => None,
        (b'`', b'`') => Some(inner.iter().copied().filter(|&byte| byte != b'\r').collect()),
        (b'"', b'"') => unquote_double(inner),
        _ => None,
    }
}

fn unquote_double(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let (unquoted, len) = unquote_char(rest, b'"')?;
        match unquoted {
            Unquoted::Byte(byte) => text.push(byte),
            Unquoted::Rune(rune) => {
                text.extend_from_slice(rune.encode_utf8(&mut [0; 4]).as_bytes());
            }
        }
        rest = &rest[len..];
    }
    Some(text)
}

/// `strconv.UnquoteChar`: the first character of a literal delimited by `mark`, and the number of
/// bytes it takes.
pub(crate) fn unquote_char(text: &[u8], mark: u8) -> Option<(Unquoted, usize)> {
    let &first = text.first()?;
    if first == mark || first == b'\n' {
        return None;
    }
    if first != b'\\' {
        let (rune, len) = runes::decode(text)?;
        return Some((Unquoted::Rune(rune), len));
    }
    let &letter = text.get(1)?;
    match letter {
        b'x' => Some((Unquoted::Byte(hex(text.get(2..4)?)? as u8), 4)),
        b'u' => Some((Unquoted::Rune(char::from_u32(hex(text.get(2..6)?)?)?), 6)),
        b'U' => Some((Unquoted::Rune(char::from_u32(hex(text.get(2..10)?)?)?), 10)),
        b'0'..=b'7' => Some((Unquoted::Byte(octal(text.get(1..4)?)?), 4)),
        b'\\' => Some((Unquoted::Rune('\\'), 2)),
        b'\'' | b'"' => (letter == mark).then(|| (Unquoted::Rune(char::from(letter)), 2)),
        _ => {
            let (_, rune) = ESCAPES.iter().find(|(name, _)| *name == char::from(letter))?;
            Some((Unquoted::Rune(*rune), 2))
        }
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, &digit| Some(value << 4 | char::from(digit).to_digit(16)?))
}

fn octal(digits: &[u8]) -> Option<u8> {
    let value =
        digits.iter().try_fold(0, |value, &d| Some(value << 3 | char::from(d).to_digit(8)?));
    u8::try_from(value?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_as_go_does() {
        assert_eq!(quote("a\"\\\n\té日".as_bytes()), r#""a\"\\\n\té日""#);
        assert_eq!(quote(b"\x00\xff\x7f"), r#""\x00\xff\x7f""#);
        assert_eq!(quote("\u{ad}\u{feff}\u{e0001}".as_bytes()), r#""\u00ad\ufeff\U000e0001""#);
        assert_eq!(quote_ascii("é".as_bytes()), r#""\u00e9""#);
        assert_eq!(quote_rune('\'', false), r"'\''");
    }

    #[test]
    fn unquotes_as_go_does() {
        assert_eq!(unquote(br#""a\n\x41\u00e9\101\\""#), Some(b"a\nA\xC3\xA9A\\".to_vec()));
        assert_eq!(unquote(b"`a\\\r\n`"), Some(b"a\\\n".to_vec()));
        for bad in [r#""\'""#, r#""\q""#, r#""\x4""#, r#""\ud800""#, r#""\400""#, "\"a\nb\""] {
            assert_eq!(unquote(bad.as_bytes()), None, "{bad}");
        }
    }
}
