//! The order in which go-yaml prints the keys of a map.

use std::sync::LazyLock;

use regex::Regex;

use super::GoYaml;

/// Sorts entries by their keys like go-yaml's `keyList`: digits compare as numbers, and letters come last.
/// Version 3 differs after digits.
///
/// Keys whose neighbours are in order stay as they are, as in Go, whose sorts check for that first.
pub fn sort_by_key<T>(entries: &mut Vec<T>, key: impl Fn(&T) -> &str, version: GoYaml) {
    let is_less = |a: &T, b: &T| less(key(a), key(b), version);
    if !entries.windows(2).all(|pair| !is_less(&pair[1], &pair[0])) {
        merge_sort(entries, &is_less);
    }
}

/// A merge sort, because the relation is not always transitive and the sorts of the standard
/// library may then panic.
fn merge_sort<T>(entries: &mut Vec<T>, is_less: &impl Fn(&T, &T) -> bool) {
    if entries.len() < 2 {
        return;
    }
    let mut right = entries.split_off(entries.len() / 2);
    let mut left = std::mem::take(entries);
    merge_sort(&mut left, is_less);
    merge_sort(&mut right, is_less);
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if is_less(b, a) { right.next() } else { left.next() };
        entries.extend(next);
    }
    entries.extend(left);
    entries.extend(right);
}

fn less(a: &str, b: &str, version: GoYaml) -> bool {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut after_digit = false;
    for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
        if x == y {
            after_digit = is_digit(x);
            continue;
        }
        let (x_letter, y_letter) = (is_letter(x), is_letter(y));
        if x_letter && y_letter {
            return x < y;
        }
        if x_letter || y_letter {
            return if version == GoYaml::V3 && after_digit { x_letter } else { y_letter };
        }
        return less_numbers(&a, &b, i);
    }
    a.len() < b.len()
}

/// Compares two keys that are equal before `i` and have no letter there.
fn less_numbers(a: &[char], b: &[char], i: usize) -> bool {
    let (mut x, mut y) = (0_i64, 0_i64);
    if a[i] == '0' || b[i] == '0' {
        let digits = a[..i].iter().rev().take_while(|c| is_digit(**c));
        if digits.into_iter().any(|&c| c != '0') {
            (x, y) = (1, 1);
        }
    }
    let number = |text: &[char], mut value: i64| {
        let mut end = i;
        while end < text.len() && is_digit(text[end]) {
            value = value.wrapping_mul(10).wrapping_add(i64::from(u32::from(text[end])) - 48);
            end += 1;
        }
        (value, end)
    };
    let ((x, x_end), (y, y_end)) = (number(a, x), number(b, y));
    if x != y {
        return x < y;
    }
    if x_end != y_end { x_end < y_end } else { a[i] < b[i] }
}

/// `unicode.IsLetter` of Go.
pub fn is_letter(c: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"\p{L}"));
    if c.is_ascii() { c.is_ascii_alphabetic() } else { matches(&CLASS, c) }
}

/// `unicode.IsDigit` of Go.
pub fn is_digit(c: char) -> bool {
    static CLASS: LazyLock<Regex> = LazyLock::new(|| class(r"\p{Nd}"));
    if c.is_ascii() { c.is_ascii_digit() } else { matches(&CLASS, c) }
}

fn class(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the pattern is a constant")
}

fn matches(class: &Regex, c: char) -> bool {
    class.is_match(c.encode_utf8(&mut [0; 4]))
}
