//! Rejects what the parser accepts and go-yaml does not. `whitespace` does the same for tabs and line breaks.

use std::ops::Range;

use crate::{ErrorKind, ParseError, Span, Style, tree::Builder};

/// Where in the raw scalar the error is, and the reason.
type Rejected = (Range<usize>, &'static str);

/// Checks how a scalar is written. `last` is where the event before it ends.
pub(crate) fn check_scalar(
    text: &str,
    span: Span,
    style: Style,
    tree: &Builder<'_>,
    last: usize,
) -> Result<(), ParseError> {
    let (start, raw) = (span.start as usize, &text[span.range()]);
    let in_brackets = tree.bracket().is_some();
    let is_key = in_brackets && tree.expects_key();
    let rejected = match style {
        Style::DoubleQuoted | Style::SingleQuoted | Style::Plain
            if is_key && raw.contains('\n') && !text[..start].trim_end().ends_with('?') =>
        {
            Some((0..raw.len(), "a key must stand on one line"))
        }
        Style::DoubleQuoted => bad_escape(raw),
        Style::Plain if in_brackets => bad_plain_text(raw),
        // The first line sets the indentation of a block scalar, unless its header states it.
        Style::Literal | Style::Folded
            if raw.starts_with('\t') && !states_indentation(&text[last.min(start)..start]) =>
        {
            return Err(ParseError::tab(Span::new(start, start + 1)));
        }
        _ => None,
    };
    match rejected {
        Some((at, reason)) => {
            Err(ParseError::new(Span::new(start + at.start, start + at.end), reason))
        }
        None => Ok(()),
    }
}

/// The first escape that YAML 1.2 has and YAML 1.1 lacks: `\/`, and half a surrogate pair.
fn bad_escape(raw: &str) -> Option<Rejected> {
    let bytes = raw.as_bytes();
    let mut at = 0;
    loop {
        at += memchr::memchr(b'\\', bytes.get(at..)?)?;
        match bytes.get(at + 1..(at + 4).min(bytes.len()))? {
            [b'/', ..] => {
                return Some((at..at + 2, "no such escape; write `/` without a backslash"));
            }
            [b'u', b'd' | b'D', b'8'..=b'9' | b'a'..=b'f' | b'A'..=b'F'] => {
                let reason =
                    "half a surrogate pair is no character in YAML; write `\\U` and 8 digits";
                return Some((at..(at + 6).min(bytes.len()), reason));
            }
            _ => at += 2,
        }
    }
}

/// What go-yaml does not accept in a plain scalar between brackets.
fn bad_plain_text(raw: &str) -> Option<Rejected> {
    if raw.starts_with(':') {
        return Some((0..1, "between brackets a text cannot start with `:`; quote it"));
    }
    memchr::memchr(b'?', raw.as_bytes())
        .map(|at| (at..at + 1, "between brackets a `?` ends the text; quote it"))
}

/// Whether the header of a block scalar has an indentation indicator, as in `|2`.
fn states_indentation(before: &str) -> bool {
    before.split(['|', '>']).nth(1).is_some_and(|header| {
        header.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit())
    })
}

/// Checks the name of an anchor.
pub(crate) fn check_anchor(name: &str, span: Span) -> Result<(), ParseError> {
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        return Ok(());
    }
    Err(ParseError::new(span, "an anchor's name is made of letters, digits, `_` and `-`"))
}

/// Checks a document for characters that YAML 1.1 forbids everywhere, quoted or not.
pub(crate) fn check_characters(text: &str, document: Span) -> Result<(), ParseError> {
    let is_allowed = |c: char| {
        matches!(
            c,
            '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{A0}'..='\u{FFFD}' | '\u{10000}'..
        )
    };
    let bytes = &text.as_bytes()[document.range()];
    // Most documents are clean, so the first pass is one that the compiler vectorises. Forbidden characters above
    // U+007F begin with C2 (U+0080 to U+009F) or EF (U+FFFE, U+FFFF).
    let is_suspect = |chunk: &[u8]| {
        let suspect = |byte: u8| {
            byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')
                || matches!(byte, 0x7F | 0xC2 | 0xEF)
        };
        chunk.iter().fold(false, |any, &byte| any | suspect(byte))
    };
    if !bytes.chunks(4096).any(is_suspect) {
        return Ok(());
    }
    match text[document.range()].char_indices().find(|&(_, c)| !is_allowed(c)) {
        None => Ok(()),
        Some((at, found)) => {
            let at = document.start as usize + at;
            let reason =
                format!("the control character U+{:04X} cannot stand in YAML", found as u32);
            let span = Span::new(at, at + found.len_utf8());
            Err(ParseError::new(span, reason).with_kind(ErrorKind::ControlCharacter))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The characters that the readers of libyaml and go-yaml reject as control characters.
    #[test]
    fn every_control_character_is_found_and_no_other() {
        let is_rejected = |c: char| {
            check_characters(&format!("a: {c}\n"), Span::new(0, 4 + c.len_utf8())).is_err()
        };
        let rejected: Vec<u32> =
            ('\0'..=char::MAX).filter(|c| is_rejected(*c)).map(u32::from).collect();
        let expected =
            (0..=8).chain([0xB, 0xC]).chain(0xE..=0x1F).chain(0x7F..=0x84).chain(0x86..=0x9F);
        assert_eq!(rejected, expected.chain([0xFFFE, 0xFFFF]).collect::<Vec<_>>());
    }
}
