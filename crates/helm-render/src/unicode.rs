//! Go's `unicode` package: character classes and simple case mappings.

use std::sync::LazyLock;

use regex::Regex;
pub(crate) use yaml_spans::emit::{is_digit, is_letter};

fn class(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

fn matches(class: &Regex, c: char) -> bool {
    class.is_match(c.encode_utf8(&mut [0; 4]))
}

pub(crate) fn is_number(c: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"\p{N}"));
    if c.is_ascii() { c.is_ascii_digit() } else { matches(&CLASS, c) }
}

pub(crate) fn is_upper(c: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"\p{Lu}"));
    if c.is_ascii() { c.is_ascii_uppercase() } else { matches(&CLASS, c) }
}

pub(crate) fn is_lower(c: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"\p{Ll}"));
    if c.is_ascii() { c.is_ascii_lowercase() } else { matches(&CLASS, c) }
}

/// `unicode.IsTitle`.
pub(crate) fn is_title(c: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"\p{Lt}"));
    !c.is_ascii() && matches(&CLASS, c)
}

pub(crate) fn is_space(c: char) -> bool {
    matches!(c, '\t'..='\r' | ' ' | '\u{85}' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}')
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

pub(crate) fn to_upper(c: char) -> char {
    // These characters have a one-to-one mapping besides their longer one.
    let code = u32::from(c);
    match c {
        '\u{1f80}'..='\u{1faf}' if code & 8 == 0 => char::from_u32(code + 8).unwrap_or(c),
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => char::from_u32(code + 9).unwrap_or(c),
        _ => single(c.to_uppercase(), c),
    }
}

pub(crate) fn to_lower(c: char) -> char {
    if c == 'İ' { 'i' } else { single(c.to_lowercase(), c) }
}

pub(crate) fn to_title(c: char) -> char {
    match c {
        'Ǆ' | 'ǅ' | 'ǆ' => 'ǅ',
        'Ǉ' | 'ǈ' | 'ǉ' => 'ǈ',
        'Ǌ' | 'ǋ' | 'ǌ' => 'ǋ',
        'Ǳ' | 'ǲ' | 'ǳ' => 'ǲ',
        '\u{10d0}'..='\u{10fa}' | '\u{10fd}'..='\u{10ff}' => c,
        _ => to_upper(c),
    }
}

fn single(mut mapped: impl Iterator<Item = char>, c: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(mapped), None) => mapped,
        _ => c,
    }
}

pub(crate) fn is_punctuation(c: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"\p{P}"));
    matches(&CLASS, c)
}
