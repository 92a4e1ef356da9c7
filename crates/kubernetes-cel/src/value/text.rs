//! Texts of values, as Go prints and reads them.

use crate::value::functions::time;
use crate::value::{Key, Value};

/// A double as Go's `%g` prints it.
pub(crate) fn general(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').expect("this is how Rust prints exponents");
    let exponent: i32 = exponent.parse().expect("an exponent is a number");
    if value != 0.0 && !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    format!("{value}")
}

/// A double as Go's `strconv.ParseFloat` reads it: decimal numbers, infinity and NaN.
pub(crate) fn double(text: &str) -> Option<f64> {
    let value: f64 = text.parse().ok()?;
    let is_number = text.bytes().any(|byte| byte.is_ascii_digit());
    (value.is_finite() || !is_number).then_some(value)
}

/// An integer as Go's `strconv.ParseInt` reads it.
pub(crate) fn integer(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// A value as messages show it.
pub(crate) fn display(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => general(*value),
        Value::String(text) => text.to_string(),
        Value::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        Value::Duration(nanoseconds) => time::display_duration(*nanoseconds),
        Value::Timestamp(point) => time::display_timestamp(*point),
        other => other.type_name().to_owned(),
    }
}

/// A key as messages show it.
pub(crate) fn display_key(key: &Key) -> String {
    display(&Value::from(key))
}

/// The escape of a character in quotes, if it has a short one.
pub(crate) fn escape(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{7}' => "\\a",
        '\u{8}' => "\\b",
        '\u{c}' => "\\f",
        '\n' => "\\n",
        '\r' => "\\r",
        '\t' => "\\t",
        '\u{b}' => "\\v",
        '\\' => "\\\\",
        '"' => "\\\"",
        _ => return None,
    })
}

/// A text in quotes, as Go's `%q` prints it.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match escape(character) {
            Some(escaped) => quoted.push_str(escaped),
            None if character.is_ascii_control() => {
                quoted.push_str(&format!("\\x{:02x}", character as u32))
            }
            None => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}
