//! Timestamps and durations.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::value::{Timestamp, Value};

use super::{Answer, Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("getFullYear", |call| part(call, |civil| civil.year, None)),
    ("getMonth", |call| part(call, |civil| civil.month - 1, None)),
    ("getDayOfYear", |call| part(call, |civil| civil.day_of_year, None)),
    ("getDayOfMonth", |call| part(call, |civil| civil.day - 1, None)),
    ("getDate", |call| part(call, |civil| civil.day, None)),
    ("getDayOfWeek", |call| part(call, |civil| civil.day_of_week, None)),
    ("getHours", |call| part(call, |civil| civil.second / 3600, Some(3600 * SECOND))),
    ("getMinutes", |call| part(call, |civil| civil.second / 60 % 60, Some(60 * SECOND))),
    ("getSeconds", |call| part(call, |civil| civil.second % 60, Some(SECOND))),
    ("getMilliseconds", |call| part(call, |civil| civil.millisecond, Some(SECOND / 1000))),
];

/// Nanoseconds.
const SECOND: i64 = 1_000_000_000;

const DAY: i64 = 24 * 60 * 60;

/// The first and the last second of the years 1 to 9999.
const RANGE: std::ops::RangeInclusive<i64> = -62_135_596_800..=253_402_300_799;

/// The parts of a point in time, in some zone.
struct Civil {
    year: i64,
    month: i64,
    day: i64,
    day_of_year: i64,
    day_of_week: i64,
    /// Since the day began.
    second: i64,
    millisecond: i64,
}

/// A point in time, if it is in the range of timestamps.
pub(crate) fn at(point: Timestamp) -> Answer {
    if !RANGE.contains(&point.seconds) {
        return Err("timestamp overflow".into());
    }
    Ok(Value::Timestamp(point))
}

fn overflow() -> Failure {
    "integer overflow".into()
}

pub(super) fn add(left: &Value, right: &Value) -> Answer {
    match (left, right) {
        (Value::Duration(left), Value::Duration(right)) => {
            left.checked_add(*right).map(Value::Duration).ok_or_else(overflow)
        }
        (Value::Duration(by), Value::Timestamp(point))
        | (Value::Timestamp(point), Value::Duration(by)) => moved(*point, i128::from(*by)),
        _ => Err(Failure::NoOverload),
    }
}

pub(super) fn subtract(left: &Value, right: &Value) -> Answer {
    match (left, right) {
        (Value::Duration(left), Value::Duration(right)) => {
            left.checked_sub(*right).map(Value::Duration).ok_or_else(overflow)
        }
        (Value::Timestamp(point), Value::Duration(by)) => moved(*point, -i128::from(*by)),
        (Value::Timestamp(left), Value::Timestamp(right)) => {
            i64::try_from(nanoseconds(*left) - nanoseconds(*right))
                .map(Value::Duration)
                .map_err(|_| overflow())
        }
        _ => Err(Failure::NoOverload),
    }
}

fn nanoseconds(point: Timestamp) -> i128 {
    i128::from(point.seconds) * i128::from(SECOND) + i128::from(point.nanoseconds)
}

fn moved(point: Timestamp, by: i128) -> Answer {
    let second = i128::from(SECOND);
    let moved = nanoseconds(point) + by;
    let seconds =
        i64::try_from(moved.div_euclid(second)).map_err(|_| Failure::from("timestamp overflow"))?;
    let nanoseconds = u32::try_from(moved.rem_euclid(second)).expect("less than a second");
    at(Timestamp { seconds, nanoseconds, offset: point.offset })
}

/// A part of a timestamp; of a duration, the whole units in it.
fn part(call: &mut Call, of: fn(&Civil) -> i64, unit: Option<i64>) -> Answer {
    let (point, offset) = match (call.arguments, unit) {
        ([Value::Duration(nanoseconds)], Some(unit)) => return Ok(Value::Int(nanoseconds / unit)),
        ([Value::Timestamp(point)], _) => (point, 0),
        ([Value::Timestamp(point), Value::String(zone)], _) => (point, zone_offset(zone)?),
        _ => return Err(Failure::NoOverload),
    };
    Ok(Value::Int(of(&civil(point.seconds + offset, point.nanoseconds))))
}

/// The seconds of a zone east of UTC. Names of zones need a database that the API server has and this crate has not.
fn zone_offset(zone: &str) -> Result<i64, Failure> {
    let Some((hours, minutes)) = zone.split_once(':') else {
        if matches!(zone, "" | "UTC") {
            return Ok(0);
        }
        return Err(Failure::Unknown(Arc::new(BTreeSet::from([format!("the time zone {zone}")]))));
    };
    let number = |text: &str| {
        let failed = || Failure::Error(format!("strconv.Atoi: parsing {text:?}: invalid syntax"));
        text.parse::<i64>().ok().filter(|number| number.abs() < 1_000_000).ok_or_else(failed)
    };
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    let minutes = if zone.starts_with('-') { hours * 60 - minutes } else { hours * 60 + minutes };
    Ok(minutes * 60)
}

fn civil(seconds: i64, nanoseconds: u32) -> Civil {
    let days = seconds.div_euclid(DAY);
    let (year, month, day) = date(days);
    Civil {
        year,
        month,
        day,
        day_of_year: days - days_since_epoch(year, 1, 1),
        day_of_week: (days + 4).rem_euclid(7),
        second: seconds.rem_euclid(DAY),
        millisecond: i64::from(nanoseconds) / 1_000_000,
    }
}

/// The date of a day since 1970 began, by Howard Hinnant's algorithm: years begin in March, 400 of them have 146,097
/// days.
fn date(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

fn days_since_epoch(year: i64, month: i64, day: i64) -> i64 {
    let year = year - i64::from(month <= 2);
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The point in time of `2006-01-02T15:04:05.999Z`.
pub(crate) fn timestamp(text: &str) -> Option<Timestamp> {
    let number = |range: std::ops::Range<usize>| -> Option<i64> {
        let digits = text.get(range)?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok())?
    };
    let marks = [(4, b'-'), (7, b'-'), (10, b'T'), (13, b':'), (16, b':')];
    if text.len() < 20 || !marks.iter().all(|(at, mark)| text.as_bytes()[*at] == *mark) {
        return None;
    }
    let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
    let (hour, minute, second) = (number(11..13)?, number(14..16)?, number(17..19)?);
    let is_date = (1..=12).contains(&month)
        && day >= 1
        && date(days_since_epoch(year, month, day)) == (year, month, day);
    if !is_date || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let mut rest = &text[19..];
    let mut nanoseconds = 0;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        let digits = fraction.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 {
            return None;
        }
        let nine: String = fraction[..digits].chars().chain("000000000".chars()).take(9).collect();
        nanoseconds = nine.parse().ok()?;
        rest = &fraction[digits..];
    }
    let offset = match rest.as_bytes() {
        b"Z" => 0,
        [sign @ (b'+' | b'-'), _, _, b':', _, _] => {
            let start = text.len() - 5;
            let (hours, minutes) = (number(start..start + 2)?, number(start + 3..start + 5)?);
            if hours > 24 || minutes > 60 {
                return None;
            }
            (hours * 60 + minutes) * if *sign == b'-' { -60 } else { 60 }
        }
        _ => return None,
    };
    let days = days_since_epoch(year, month, day);
    let seconds = days * DAY + hour * 3600 + minute * 60 + second - offset;
    Some(Timestamp { seconds, nanoseconds, offset: i32::try_from(offset).ok()? })
}

const UNITS: &[(&str, i128)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// The nanoseconds of `1h30m`, as Go's `time.ParseDuration` reads it.
pub(crate) fn duration(text: &str) -> Option<i64> {
    let negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Some(0);
    }
    if rest.is_empty() {
        return None;
    }
    let mut total: i128 = 0;
    while !rest.is_empty() {
        let whole = rest.bytes().take_while(u8::is_ascii_digit).count();
        let mut number = whole;
        let mut fraction = "";
        if rest[whole..].starts_with('.') {
            let digits = rest[whole + 1..].bytes().take_while(u8::is_ascii_digit).count();
            fraction = &rest[whole + 1..whole + 1 + digits];
            number += 1 + digits;
        }
        if whole == 0 && fraction.is_empty() {
            return None;
        }
        let after = &rest[number..];
        let unit_length =
            after.find(|character: char| character == '.' || character.is_ascii_digit());
        let unit = &after[..unit_length.unwrap_or(after.len())];
        let (_, scale) = UNITS.iter().find(|(name, _)| *name == unit)?;
        let integer: i128 = if whole == 0 { 0 } else { rest[..whole].parse::<i64>().ok()?.into() };
        total += integer * scale;
        let kept = &fraction[..fraction.len().min(18)];
        if !kept.is_empty() {
            total +=
                kept.parse::<i128>().ok()? * scale / 10_i128.pow(u32::try_from(kept.len()).ok()?);
        }
        if total > i128::from(i64::MAX) + i128::from(negative) {
            return None;
        }
        rest = &after[unit.len()..];
    }
    i64::try_from(if negative { -total } else { total }).ok()
}

/// `5400s`.
#[expect(clippy::cast_precision_loss, reason = "cel-go prints the seconds as a float, too")]
pub(crate) fn display_duration(nanoseconds: i64) -> String {
    let whole = (nanoseconds / SECOND) as f64;
    let rest = (nanoseconds % SECOND) as f64;
    format!("{}s", whole + rest / 1e9)
}

/// `2006-01-02T15:04:05.9Z`.
pub(crate) fn display_timestamp(point: Timestamp) -> String {
    let civil = civil(point.seconds + i64::from(point.offset), point.nanoseconds);
    let mut text = format!(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        civil.year,
        civil.month,
        civil.day,
        civil.second / 3600,
        civil.second / 60 % 60,
        civil.second % 60,
    );
    if point.nanoseconds > 0 {
        text += format!(".{:09}", point.nanoseconds).trim_end_matches('0');
    }
    let minutes = point.offset.abs() / 60;
    let sign = if point.offset < 0 { '-' } else { '+' };
    match point.offset {
        0 => text + "Z",
        _ => format!("{text}{sign}{:02}:{:02}", minutes / 60, minutes % 60),
    }
}
