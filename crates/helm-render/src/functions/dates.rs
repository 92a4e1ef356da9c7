//! Sprig's `date.go` and Helm 4's duration functions. The local time zone is UTC.

use go_template::{
    Data, Executor, FuncError, FunctionSpec, IntType, Type, Value, format::format_float,
    quote::quote,
};

use super::{
    args::{ANY, FLOAT, INT64, Outcome, STRING, str},
    host::{Host, host, root_taint},
};
use crate::{
    cast::parse_float,
    go_objects,
    time::{Time, format_duration, parse, parse_duration},
};

const TIME: &Type = &go_objects::TIME;
const DURATION: &Type = &go_objects::DURATION;

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("ago", &[ANY], STRING, ago),
    FunctionSpec::new("date", &[STRING, ANY], STRING, |c, a| format_in(c, &a[0], &a[1], "Local")),
    FunctionSpec::new("date_in_zone", &[STRING, ANY, STRING], STRING, date_in_zone),
    FunctionSpec::new("dateInZone", &[STRING, ANY, STRING], STRING, date_in_zone),
    FunctionSpec::new("date_modify", &[STRING, TIME], TIME, date_modify),
    FunctionSpec::new("dateModify", &[STRING, TIME], TIME, date_modify),
    FunctionSpec::new("must_date_modify", &[STRING, TIME], TIME, must_date_modify),
    FunctionSpec::new("mustDateModify", &[STRING, TIME], TIME, must_date_modify),
    FunctionSpec::new("duration", &[ANY], STRING, duration),
    FunctionSpec::new("durationRound", &[ANY], STRING, duration_round),
    FunctionSpec::new("htmlDate", &[ANY], STRING, |c, a| {
        format_in(c, &Value::from("2006-01-02"), &a[0], "Local")
    }),
    FunctionSpec::new("htmlDateInZone", &[ANY, STRING], STRING, |c, a| {
        format_in(c, &Value::from("2006-01-02"), &a[0], &str(&a[1]))
    }),
    FunctionSpec::new("mustToDate", &[STRING, STRING], TIME, must_to_date),
    FunctionSpec::new("now", &[], TIME, now).own_taint(),
    FunctionSpec::new("toDate", &[STRING, STRING], TIME, to_date),
    FunctionSpec::new("unixEpoch", &[TIME], STRING, |_, a| {
        Ok(Value::from(go_objects::as_time(&a[0]).unix().to_string()))
    }),
];

pub(super) const V4_SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("mustToDuration", &[ANY], DURATION, must_to_duration),
    FunctionSpec::new("durationSeconds", &[ANY], FLOAT, |_, a| Ok(in_units(&a[0], 1_000_000_000))),
    FunctionSpec::new("durationMilliseconds", &[ANY], INT64, |_, a| Ok(whole(&a[0], 1_000_000))),
    FunctionSpec::new("durationMicroseconds", &[ANY], INT64, |_, a| Ok(whole(&a[0], 1_000))),
    FunctionSpec::new("durationNanoseconds", &[ANY], INT64, |_, a| Ok(whole(&a[0], 1))),
    FunctionSpec::new("durationMinutes", &[ANY], FLOAT, |_, a| Ok(in_units(&a[0], 60 * SECOND))),
    FunctionSpec::new("durationHours", &[ANY], FLOAT, |_, a| Ok(Value::from(hours(&a[0])))),
    FunctionSpec::new("durationDays", &[ANY], FLOAT, |_, a| Ok(Value::from(hours(&a[0]) / 24.0))),
    FunctionSpec::new("durationWeeks", &[ANY], FLOAT, |_, a| {
        Ok(Value::from(hours(&a[0]) / 24.0 / 7.0))
    }),
    FunctionSpec::new("durationRoundTo", &[ANY, ANY], DURATION, |_, a| Ok(multiple(a, round))),
    FunctionSpec::new("durationTruncateTo", &[ANY, ANY], DURATION, |_, a| {
        Ok(multiple(
            a,
            |duration, unit| if unit <= 0 { duration } else { duration - duration % unit },
        ))
    }),
];

const SECOND: i64 = 1_000_000_000;

fn current(context: &mut Executor<'_>) -> Time {
    Time { monotonic: Some(1), ..Time::utc(host(context).now) }
}

fn now(context: &mut Executor<'_>, _: &[Value]) -> Outcome {
    let time = current(context);
    let taint = root_taint(&mut context.tracker, Host::TIME);
    Ok(go_objects::time(time).with_taint(taint))
}

/// The time that a value stands for: times and most integers as given, else the current time.
fn instant(context: &mut Executor<'_>, value: &Value, takes_i32: bool) -> Result<Time, Value> {
    match value.data() {
        Data::Object(_) if go_objects::is_time(value) => Ok(go_objects::as_time(value)),
        Data::Int(IntType::Int | IntType::Int64, seconds) => Ok(from_unix(*seconds)),
        Data::Int(IntType::Int32, seconds) if takes_i32 => Ok(from_unix(*seconds)),
        _ => {
            let taint = root_taint(&mut context.tracker, Host::TIME);
            Err(Value::from("").with_taint(taint))
        }
    }
}

fn from_unix(seconds: i64) -> Time {
    Time::utc(i128::from(seconds) * 1_000_000_000)
}

fn format_in(context: &mut Executor<'_>, layout: &Value, value: &Value, zone: &str) -> Outcome {
    let (time, taint) = match instant(context, value, true) {
        Ok(time) => (time, go_template::provenance::Taint::NONE),
        Err(now) => (current(context), now.taint()),
    };
    let time = time.in_zone(zone).unwrap_or_else(|| Time::utc(time.nanos));
    Ok(Value::from(time.format(&str(layout))).with_taint(taint))
}

fn date_in_zone(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [layout, value, zone] = arguments else { return Ok(Value::NIL) };
    format_in(context, layout, value, &str(zone))
}

fn date_modify(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let time = go_objects::as_time(&arguments[1]);
    Ok(go_objects::time(match parse_duration(&str(&arguments[0])) {
        Ok(duration) => time.plus(duration),
        Err(_) => time,
    }))
}

fn must_date_modify(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let duration = parse_duration(&str(&arguments[0])).map_err(FuncError::new)?;
    Ok(go_objects::time(go_objects::as_time(&arguments[1]).plus(duration)))
}

/// `ago`, rounded to seconds.
fn ago(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let now = current(context);
    let taint = root_taint(&mut context.tracker, Host::TIME);
    let time = instant(context, &arguments[0], false).unwrap_or_else(|_| now.clone());
    let since = since(&now, &time);
    Ok(Value::from(format_duration(round(since, SECOND))).with_taint(taint))
}

fn since(now: &Time, time: &Time) -> i64 {
    let nanos = now.nanos - time.nanos;
    nanos.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// `Duration.Round`: half away from zero.
fn round(duration: i64, unit: i64) -> i64 {
    if unit <= 0 {
        return duration;
    }
    let rest = duration % unit;
    if rest.unsigned_abs() * 2 < unit.unsigned_abs() {
        return duration - rest;
    }
    let (step, limit) = if duration < 0 { (-unit, i64::MIN) } else { (unit, i64::MAX) };
    (duration - rest).checked_add(step).unwrap_or(limit)
}

/// `duration`, for strings and `int64` only.
fn duration(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let seconds = match arguments[0].data() {
        Data::String(text) => saturating(&text.to_str()),
        Data::Int(IntType::Int64, seconds) => *seconds,
        _ => 0,
    };
    Ok(Value::from(format_duration(seconds.wrapping_mul(SECOND))))
}

/// `strconv.ParseInt(text, 10, 64)`, ignoring its error.
fn saturating(text: &str) -> i64 {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return 0;
    }
    text.parse().unwrap_or(if text.starts_with('-') { i64::MIN } else { i64::MAX })
}

fn duration_round(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let value = &arguments[0];
    let mut taint = go_template::provenance::Taint::NONE;
    let nanos = match value.data() {
        Data::String(text) => parse_duration(&text.to_str()).unwrap_or(0),
        Data::Int(IntType::Int64, nanos) => *nanos,
        Data::Object(_) if go_objects::is_time(value) => {
            taint = root_taint(&mut context.tracker, Host::TIME);
            since(&current(context), &go_objects::as_time(value))
        }
        _ => 0,
    };
    const HOUR: u64 = 3_600_000_000_000;
    const UNITS: [(u64, &str); 6] = [
        (HOUR * 24 * 365, "y"),
        (HOUR * 24 * 30, "mo"),
        (HOUR * 24, "d"),
        (HOUR, "h"),
        (HOUR / 60, "m"),
        (HOUR / 3600, "s"),
    ];
    let size = nanos.unsigned_abs();
    let unit = UNITS.iter().find(|(unit, _)| size > *unit);
    let shown = unit.map_or("0s".into(), |(unit, name)| format!("{}{name}", size / unit));
    Ok(Value::from(shown).with_taint(taint))
}

fn to_date(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let parsed = parse(&str(&arguments[0]), &str(&arguments[1]), 0);
    Ok(go_objects::time(parsed.unwrap_or_else(|_| Time::zero())))
}

fn must_to_date(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let parsed = parse(&str(&arguments[0]), &str(&arguments[1]), 0);
    parsed.map(go_objects::time).map_err(|error| FuncError::new(error.to_string()))
}

/// Helm 4's `asDuration`: durations, their texts, and numbers of seconds.
fn as_duration(value: &Value) -> Result<i64, String> {
    match value.data() {
        Data::Nil | Data::NilInterface => Err("invalid duration".into()),
        Data::String(text) => {
            let whole = text.to_str();
            let text = whole.trim();
            if text.is_empty() {
                return Err("empty duration".into());
            }
            if let Ok(duration) = parse_duration(text) {
                return Ok(duration);
            }
            match parse_float(text) {
                Some(seconds) => from_float(seconds),
                None => Err(format!("could not parse duration {}", quote(whole.as_bytes()))),
            }
        }
        Data::Int(_, seconds) => seconds
            .checked_mul(SECOND)
            .ok_or_else(|| format!("duration seconds overflow: {seconds}")),
        Data::Uint(_, seconds) => i64::try_from(*seconds)
            .ok()
            .and_then(|seconds| seconds.checked_mul(SECOND))
            .ok_or_else(|| format!("duration seconds overflow: {seconds}")),
        Data::Float(seconds) => from_float(*seconds),
        _ => match go_objects::duration_nanos(value) {
            Some(nanos) => Ok(nanos),
            None => Err(format!("unsupported duration type {}", value.type_name())),
        },
    }
}

fn from_float(seconds: f64) -> Result<i64, String> {
    let shown = || format_float(seconds, b'g', None);
    if !seconds.is_finite() {
        return Err(format!("invalid duration seconds: {}", shown()));
    }
    if seconds.abs() > i64::MAX as f64 / 1e9 {
        return Err(format!("duration seconds overflow: {}", shown()));
    }
    Ok(crate::cast::float_to_int(seconds * 1e9))
}

fn must_to_duration(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    as_duration(&arguments[0]).map(go_objects::duration).map_err(FuncError::new)
}

/// The duration in units. Like Go, this separates whole units before it divides.
fn units(nanos: i64, unit: i64) -> f64 {
    (nanos / unit) as f64 + (nanos % unit) as f64 / unit as f64
}

fn in_units(value: &Value, unit: i64) -> Value {
    Value::from(as_duration(value).map_or(0.0, |nanos| units(nanos, unit)))
}

fn hours(value: &Value) -> f64 {
    as_duration(value).map_or(0.0, |nanos| units(nanos, 3600 * SECOND))
}

fn whole(value: &Value, unit: i64) -> Value {
    Value::int64(as_duration(value).map_or(0, |nanos| nanos / unit))
}

fn multiple(arguments: &[Value], adjust: fn(i64, i64) -> i64) -> Value {
    go_objects::duration(match (as_duration(&arguments[0]), as_duration(&arguments[1])) {
        (Ok(duration), Ok(unit)) => adjust(duration, unit),
        (Ok(duration), Err(_)) => duration,
        (Err(_), _) => 0,
    })
}
