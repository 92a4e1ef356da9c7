//! Runes: Go's view of bytes as UTF-8, and its character classes.

use std::sync::LazyLock;

use regex::Regex;

/// The first rune and its length in bytes (`utf8.DecodeRune`): U+FFFD and 1 for a byte that is not
/// UTF-8, `None` at the end.
pub fn decode(bytes: &[u8]) -> Option<(char, usize)> {
    let &first = bytes.first()?;
    if first < 0x80 {
        return Some((char::from(first), 1));
    }
    let head = &bytes[..bytes.len().min(4)];
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&head[..error.valid_up_to()]).unwrap_or_default(),
    };
    Some(valid.chars().next().map_or((char::REPLACEMENT_CHARACTER, 1), |c| (c, c.len_utf8())))
}

/// The runes of a byte string, each as offset, rune, and length in bytes.
pub fn runes(bytes: &[u8]) -> impl Iterator<Item = (usize, char, usize)> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (rune, len) = decode(&bytes[at..])?;
        at += len;
        Some((at - len, rune, len))
    })
}

/// The number of runes (`utf8.RuneCount`).
pub(crate) fn count(bytes: &[u8]) -> usize {
    runes(bytes).count()
}

/// Whether a rune can be part of an identifier: `unicode.IsLetter`, `unicode.IsDigit`, or an
/// underscore.
pub(crate) fn is_alphanumeric(rune: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"[\p{L}\p{Nd}]"));
    rune == '_'
        || if rune.is_ascii() { rune.is_ascii_alphanumeric() } else { matches(&CLASS, rune) }
}

/// Whether a rune is printable (`strconv.IsPrint`). The standard library decides most runes, because
/// building the regex takes longer than reading a Helm chart.
pub fn is_print(rune: char) -> bool {
    if rune.is_ascii() {
        return (' '..='~').contains(&rune);
    }
    rune.is_alphanumeric() || rune.escape_debug().len() == 1 || is_in_printed_class(rune)
}

fn is_in_printed_class(rune: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"[\p{L}\p{M}\p{N}\p{P}\p{S}]"));
    matches(&CLASS, rune)
}

fn class(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

fn matches(class: &Regex, rune: char) -> bool {
    class.is_match(rune.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_utf8_decodes_as_the_replacement_character() {
        let runes: Vec<_> = runes(b"a\xff\xc3\xa9\xe2\x82").collect();
        let bad = char::REPLACEMENT_CHARACTER;
        assert_eq!(runes, [(0, 'a', 1), (1, bad, 1), (2, 'é', 2), (4, bad, 1), (5, bad, 1)]);
    }

    #[test]
    fn classes_are_those_of_go() {
        assert!(is_print('é') && is_print('日') && !is_print('\u{ad}') && !is_print('\u{a0}'));
        // The standard library may know a newer version of Unicode than the regex crate.
        let is_new = class(r"\p{Cn}");
        let differs = |rune: &char| is_print(*rune) != is_in_printed_class(*rune);
        let others = ('\u{80}'..=char::MAX).filter(differs).filter(|rune| !matches(&is_new, *rune));
        assert_eq!(others.collect::<String>(), "");
        assert!(is_alphanumeric('ß') && is_alphanumeric('٣') && !is_alphanumeric('Ⅷ'));
    }
}
