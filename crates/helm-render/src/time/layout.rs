//! Layouts by the reference time `Mon Jan 2 15:04:05 MST 2006`, and formatting.

use super::Time;

/// An element of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    LongMonth,
    Month,
    NumMonth,
    ZeroMonth,
    LongWeekday,
    Weekday,
    Day,
    UnderDay,
    ZeroDay,
    UnderYearDay,
    ZeroYearDay,
    Hour,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperPm,
    LowerPm,
    ZoneName,
    /// A numeric zone; `z` prints UTC as `Z`.
    Zone {
        z: bool,
        form: ZoneForm,
    },
    /// A fraction with a number of digits; trailing zeros are kept or trimmed.
    Fraction {
        digits: usize,
        trimmed: bool,
        separator: u8,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ZoneForm {
    Short,
    Minutes,
    ColonMinutes,
    Seconds,
    ColonSeconds,
}

/// The first element of a layout, with the text before and after it.
pub(super) fn next(layout: &str) -> (&str, Option<Element>, &str) {
    let bytes = layout.as_bytes();
    for at in 0..bytes.len() {
        if let Some((element, start, end)) = element_at(bytes, at) {
            return (&layout[..start], Some(element), &layout[end..]);
        }
    }
    (layout, None, "")
}

const NUMBERED: [Element; 6] = [
    Element::ZeroMonth,
    Element::ZeroDay,
    Element::ZeroHour12,
    Element::ZeroMinute,
    Element::ZeroSecond,
    Element::Year,
];

const ZONES: [(&[u8], ZoneForm); 5] = [
    (b"070000", ZoneForm::Seconds),
    (b"07:00:00", ZoneForm::ColonSeconds),
    (b"0700", ZoneForm::Minutes),
    (b"07:00", ZoneForm::ColonMinutes),
    (b"07", ZoneForm::Short),
];

/// The element that starts at `at`, with its range.
fn element_at(layout: &[u8], at: usize) -> Option<(Element, usize, usize)> {
    let rest = &layout[at..];
    let found = |element, len: usize| Some((element, at, at + len));
    let before_lower = |len: usize| rest.get(len).is_some_and(u8::is_ascii_lowercase);
    match rest[0] {
        b'J' if rest.starts_with(b"January") => found(Element::LongMonth, 7),
        b'J' if rest.starts_with(b"Jan") && !before_lower(3) => found(Element::Month, 3),
        b'M' if rest.starts_with(b"Monday") => found(Element::LongWeekday, 6),
        b'M' if rest.starts_with(b"Mon") && !before_lower(3) => found(Element::Weekday, 3),
        b'M' if rest.starts_with(b"MST") => found(Element::ZoneName, 3),
        b'0' if rest.starts_with(b"002") => found(Element::ZeroYearDay, 3),
        b'0' => match rest.get(1) {
            Some(digit @ b'1'..=b'6') => found(NUMBERED[usize::from(digit - b'1')], 2),
            _ => None,
        },
        b'1' if rest.starts_with(b"15") => found(Element::Hour, 2),
        b'1' => found(Element::NumMonth, 1),
        b'2' if rest.starts_with(b"2006") => found(Element::LongYear, 4),
        b'2' => found(Element::Day, 1),
        b'_' if rest.starts_with(b"_2006") => Some((Element::LongYear, at + 1, at + 5)),
        b'_' if rest.starts_with(b"_2") => found(Element::UnderDay, 2),
        b'_' if rest.starts_with(b"__2") => found(Element::UnderYearDay, 3),
        b'3' => found(Element::Hour12, 1),
        b'4' => found(Element::Minute, 1),
        b'5' => found(Element::Second, 1),
        b'P' if rest.starts_with(b"PM") => found(Element::UpperPm, 2),
        b'p' if rest.starts_with(b"pm") => found(Element::LowerPm, 2),
        sign @ (b'-' | b'Z') => {
            let (text, form) = ZONES.iter().find(|(text, _)| rest[1..].starts_with(text))?;
            found(Element::Zone { z: sign == b'Z', form: *form }, text.len() + 1)
        }
        separator @ (b'.' | b',') => {
            let &digit = rest.get(1).filter(|digit| matches!(digit, b'0' | b'9'))?;
            let digits = rest[1..].iter().take_while(|&&b| b == digit).count();
            if rest.get(1 + digits).is_some_and(u8::is_ascii_digit) {
                return None;
            }
            let trimmed = digit == b'9';
            found(Element::Fraction { digits, trimmed, separator }, digits + 1)
        }
        _ => None,
    }
}

pub(super) fn format(time: &Time, layout: &str) -> String {
    let mut text = String::new();
    let mut rest = layout;
    while !rest.is_empty() {
        let (prefix, element, suffix) = next(rest);
        text.push_str(prefix);
        let Some(element) = element else { break };
        text.push_str(&shown(time, element));
        rest = suffix;
    }
    text
}

fn shown(time: &Time, element: Element) -> String {
    let civil = time.civil();
    let hour12 = (civil.hour + 11) % 12 + 1;
    match element {
        Element::LongMonth => civil.month_name().into(),
        Element::Month => civil.month_name()[..3].into(),
        Element::NumMonth => civil.month.to_string(),
        Element::ZeroMonth => format!("{:02}", civil.month),
        Element::LongWeekday => civil.weekday_name().into(),
        Element::Weekday => civil.weekday_name()[..3].into(),
        Element::Day => civil.day.to_string(),
        Element::UnderDay => format!("{:2}", civil.day),
        Element::ZeroDay => format!("{:02}", civil.day),
        Element::UnderYearDay => format!("{:3}", civil.year_day),
        Element::ZeroYearDay => format!("{:03}", civil.year_day),
        Element::Hour => format!("{:02}", civil.hour),
        Element::Hour12 => hour12.to_string(),
        Element::ZeroHour12 => format!("{hour12:02}"),
        Element::Minute => civil.minute.to_string(),
        Element::ZeroMinute => format!("{:02}", civil.minute),
        Element::Second => civil.second.to_string(),
        Element::ZeroSecond => format!("{:02}", civil.second),
        Element::LongYear if civil.year < 0 => format!("-{:04}", -civil.year),
        Element::LongYear => format!("{:04}", civil.year),
        Element::Year => format!("{:02}", civil.year.rem_euclid(100)),
        Element::UpperPm => if civil.hour >= 12 { "PM" } else { "AM" }.into(),
        Element::LowerPm => if civil.hour >= 12 { "pm" } else { "am" }.into(),
        Element::ZoneName if time.zone.is_empty() => zone(time.offset, ZoneForm::Minutes),
        Element::ZoneName => time.zone.to_string(),
        Element::Zone { z: true, .. } if time.offset == 0 => "Z".into(),
        Element::Zone { form, .. } => zone(time.offset, form),
        Element::Fraction { digits, trimmed, separator } => {
            fraction(civil.nano, digits, trimmed, separator)
        }
    }
}

fn zone(offset: i32, form: ZoneForm) -> String {
    let sign = if offset < 0 { '-' } else { '+' };
    let offset = offset.unsigned_abs();
    let (hours, minutes, seconds) = (offset / 3600, offset / 60 % 60, offset % 60);
    match form {
        ZoneForm::Short => format!("{sign}{hours:02}"),
        ZoneForm::Minutes => format!("{sign}{hours:02}{minutes:02}"),
        ZoneForm::ColonMinutes => format!("{sign}{hours:02}:{minutes:02}"),
        ZoneForm::Seconds => format!("{sign}{hours:02}{minutes:02}{seconds:02}"),
        ZoneForm::ColonSeconds => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
    }
}

fn fraction(nano: u32, digits: usize, trimmed: bool, separator: u8) -> String {
    let all = format!("{nano:09}");
    let shown = &all[..digits.min(9)];
    let shown = if trimmed { shown.trim_end_matches('0') } else { shown };
    if shown.is_empty() { String::new() } else { format!("{}{shown}", char::from(separator)) }
}
