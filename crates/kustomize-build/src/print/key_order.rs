//! The order in which go-yaml prints the keys of a map.

use crate::node::Entry;

/// Sorts entries like go-yaml's `keyList`: digits compare as numbers, and letters come last.
///
/// Keys whose neighbours are in order stay as they are, as in Go, whose sorts check for that first.
pub(super) fn sort(entries: &mut Vec<&Entry>) {
    let is_sorted = entries.windows(2).all(|pair| !less(&pair[1].key, &pair[0].key));
    if !is_sorted {
        merge_sort(entries);
    }
}

/// A merge sort, because the relation is not always transitive and the sorts of the standard
/// library may then panic.
fn merge_sort(entries: &mut Vec<&Entry>) {
    if entries.len() < 2 {
        return;
    }
    let mut right = entries.split_off(entries.len() / 2);
    let mut left = std::mem::take(entries);
    merge_sort(&mut left);
    merge_sort(&mut right);
    let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        let next = if less(&b.key, &a.key) { right.next() } else { left.next() };
        entries.extend(next);
    }
    entries.extend(left);
    entries.extend(right);
}

fn less(a: &str, b: &str) -> bool {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    for (i, (&x, &y)) in a.iter().zip(&b).enumerate() {
        if x == y {
            continue;
        }
        let (x_letter, y_letter) = (is_letter(x), is_letter(y));
        if x_letter && y_letter {
            return x < y;
        }
        if x_letter || y_letter {
            return y_letter;
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

fn is_letter(c: char) -> bool {
    c.is_alphabetic()
}

fn is_digit(c: char) -> bool {
    if c.is_ascii() { c.is_ascii_digit() } else { c.is_numeric() }
}
