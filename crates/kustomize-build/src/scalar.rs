//! Scalars as go-yaml 3 resolves them, which kustomize reads and writes resources with.

use yaml_spans::{Value, resolve};

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Set by kustomize without a type: resolved when it is printed, unless quoted.
    Empty,
    Null,
    Bool,
    Int,
    Float,
    Str,
    Timestamp,
}

impl Tag {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Null => "!!null",
            Self::Bool => "!!bool",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Str => "!!str",
            Self::Timestamp => "!!timestamp",
        }
    }
}

/// The type of a plain scalar.
pub(crate) fn tag(text: &str) -> Tag {
    match text.bytes().next() {
        None => Tag::Null,
        Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => match text {
            "~" | "null" | "Null" | "NULL" => Tag::Null,
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Tag::Bool,
            _ => Tag::Str,
        },
        Some(b'.' | b'+' | b'-' | b'0'..=b'9') => number(text),
        Some(_) => Tag::Str,
    }
}

fn number(text: &str) -> Tag {
    match resolve(text) {
        Value::Int(_) | Value::Uint(_) => Tag::Int,
        Value::Float(_) => Tag::Float,
        _ if timestamp(text).is_some() => Tag::Timestamp,
        _ => Tag::Str,
    }
}

/// Whether YAML 1.1 reads a plain scalar as something other than a string.
pub(crate) fn is_other_in_1_1(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && !matches!(resolve(text), Value::Str(_))
}

/// The time of a timestamp in RFC 3339, as Go prints it in JSON.
pub(crate) fn timestamp(text: &str) -> Option<String> {
    let split = text.find(['T', 't', ' ']);
    let (date, time) = match split {
        Some(at) => (&text[..at], Some((&text[at..=at], &text[at + 1..]))),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = parts.next().filter(|year| year.len() == 4)?;
    let (month, day) = (part(parts.next()?, 1, 12)?, part(parts.next()?, 1, 31)?);
    if parts.next().is_some() || day > days(year.parse().ok()?, month) {
        return None;
    }
    let date = format!("{year}-{month:02}-{day:02}");
    let Some((mark, time)) = time else { return Some(format!("{date}T00:00:00Z")) };
    let (clock, zone) = match time.find(['Z', '+', '-']) {
        Some(at) if mark != " " => (&time[..at], &time[at..]),
        None if mark == " " => (time, "Z"),
        _ => return None,
    };
    Some(format!("{date}T{}{}", clock_of(clock)?, zone_of(zone)?))
}

fn part(text: &str, least: u32, most: u32) -> Option<u32> {
    let fits = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
    fits.then(|| text.parse().ok()).flatten().filter(|number| (least..=most).contains(number))
}

fn days(year: u32, month: u32) -> u32 {
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn clock_of(text: &str) -> Option<String> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let mut parts = clock.split(':');
    let (hour, minute, second) =
        (part(parts.next()?, 0, 23)?, part(parts.next()?, 0, 59)?, part(parts.next()?, 0, 59)?);
    let fraction = fraction.get(..9).unwrap_or(fraction).trim_end_matches('0');
    let fraction = if fraction.is_empty() { String::new() } else { format!(".{fraction}") };
    parts.next().is_none().then(|| format!("{hour:02}:{minute:02}:{second:02}{fraction}"))
}

fn zone_of(text: &str) -> Option<&str> {
    if text == "Z" || text == "+00:00" || text == "-00:00" {
        return Some("Z");
    }
    let (hours, minutes) = text.get(1..)?.split_once(':')?;
    let is_pair = |text: &str| text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
    (is_pair(hours) && is_pair(minutes)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with kustomize 5.8.1.
    #[test]
    fn types_of_plain_scalars() {
        for (text, expected) in [
            ("yes", Tag::Str),
            ("on", Tag::Str),
            ("true", Tag::Bool),
            ("~", Tag::Null),
            ("0644", Tag::Int),
            ("1_000", Tag::Int),
            ("0o17", Tag::Int),
            ("1e3", Tag::Float),
            (".5", Tag::Float),
            ("1:30", Tag::Str),
            ("2020-01-01", Tag::Timestamp),
            ("2020-02-30", Tag::Str),
        ] {
            assert_eq!(tag(text), expected, "{text}");
        }
    }

    #[test]
    fn times() {
        let time = |text: &str| timestamp(text).unwrap_or_default();
        assert_eq!(time("2001-12-14t21:59:43.10-05:00"), "2001-12-14T21:59:43.1-05:00");
        assert_eq!(time("2001-1-2 1:2:3"), "2001-01-02T01:02:03Z");
        assert_eq!(time("2001-1-2 1:2:3Z"), "");
    }
}
