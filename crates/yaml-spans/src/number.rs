//! Numbers as Go reads and writes them.

use crate::Value;

/// Resolves a plain scalar that starts like a number; `None` when it is a string.
pub(crate) fn parse(text: &str) -> Option<Value> {
    if text.starts_with('.') {
        return fraction(text).map(Value::Float);
    }
    let plain: String = text.chars().filter(|&c| c != '_').collect();
    integer(&plain).or_else(|| decimal(&plain).map(Value::Float)).or_else(|| signed_binary(&plain))
}

/// A float as Kubernetes holds it. go-yaml's result goes through JSON, which writes a number without a fraction as an
/// integer.
pub(crate) fn normal(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9_223_372_036_854_775_808.0 {
        Value::Int(number as i64)
    } else {
        Value::Float(number)
    }
}

/// The mapping key that `sigs.k8s.io/yaml` makes of a float: Go's `strconv.FormatFloat(key, 'g', -1, 32)`.
pub(crate) fn key(number: f64) -> String {
    let narrow = number as f32;
    if narrow.is_nan() {
        return ".nan".into();
    }
    if narrow.is_infinite() {
        return if narrow > 0.0 { ".inf".into() } else { "-.inf".into() };
    }
    let short = format!("{narrow:e}");
    let (digits, exponent) = short.split_once('e').expect("`{:e}` writes an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    // `%g` switches to an exponent where the precision ends; for the shortest form that is 6 digits.
    if (-4..6).contains(&exponent) {
        return narrow.to_string();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

/// An integer as Go's `strconv.ParseInt(text, 0, 64)` reads it, then `ParseUint`.
fn integer(text: &str) -> Option<Value> {
    let (negative, digits) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'o' | b'O', ..] => (8, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let magnitude = u64::from_str_radix(digits, radix).ok()?;
    match (negative, i64::try_from(magnitude)) {
        (false, Ok(number)) => Some(Value::Int(number)),
        (true, Ok(number)) => Some(Value::Int(-number)),
        (true, Err(_)) if magnitude == i64::MIN.unsigned_abs() => Some(Value::Int(i64::MIN)),
        (false, Err(_)) if !text.starts_with('+') => Some(Value::Uint(magnitude)),
        _ => None,
    }
}

/// go-yaml accepts a sign after `0b`.
fn signed_binary(text: &str) -> Option<Value> {
    let digits = text.strip_prefix("0b").filter(|digits| digits.starts_with(['-', '+']))?;
    i64::from_str_radix(digits, 2).ok().map(Value::Int)
}

/// A float by go-yaml's pattern `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`. One that overflows stays a
/// string.
fn decimal(text: &str) -> Option<f64> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits(unsigned);
    let mut rest = &unsigned[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if whole + length == 0 {
            return None;
        }
        rest = &fraction[length..];
    } else if whole == 0 {
        return None;
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        if exponent.is_empty() || digits(exponent) != exponent.len() {
            return None;
        }
    } else if !rest.is_empty() {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

/// A float that starts with a dot. go-yaml passes it straight to Go's `strconv.ParseFloat`, which accepts underscores
/// only between digits.
fn fraction(text: &str) -> Option<f64> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let separates = |at: usize| at > 0 && digit(at - 1) && digit(at + 1);
    if !bytes.iter().enumerate().all(|(at, byte)| *byte != b'_' || separates(at)) {
        return None;
    }
    decimal(&text.replace('_', ""))
}
