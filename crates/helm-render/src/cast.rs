//! Conversions of spf13/cast 1.7: any value to a number; 0 for what cannot be converted.

use go_template::{Data, Value};

/// `cast.ToInt64`, and `cast.ToInt`, which is the same on 64-bit platforms.
pub(crate) fn to_int(value: &Value) -> i64 {
    match value.data() {
        Data::Bool(flag) => i64::from(*flag),
        Data::Int(_, number) => *number,
        Data::Uint(_, number) => *number as i64,
        Data::Float(number) => float_to_int(*number),
        Data::String(text) => {
            text.as_str().and_then(|text| parse_int(without_zero_fraction(text))).unwrap_or(0)
        }
        _ => crate::go_objects::integer(value).unwrap_or(0),
    }
}

/// `cast.ToFloat64`.
pub(crate) fn to_float(value: &Value) -> f64 {
    match value.data() {
        Data::Bool(flag) => f64::from(u8::from(*flag)),
        Data::Int(_, number) => *number as f64,
        Data::Uint(_, number) => *number as f64,
        Data::Float(number) => *number,
        Data::String(text) => text.as_str().and_then(parse_float).unwrap_or(0.0),
        _ => crate::go_objects::integer(value).map_or(0.0, |number| number as f64),
    }
}

/// Go's conversion on amd64: everything out of range becomes the smallest integer.
pub(crate) fn float_to_int(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) { number as i64 } else { i64::MIN }
}

fn without_zero_fraction(text: &str) -> &str {
    match text.trim_end_matches('0') {
        trimmed if trimmed.len() < text.len() => trimmed.strip_suffix('.').unwrap_or(text),
        _ => text,
    }
}

/// `strconv.ParseInt(text, 0, 64)`.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned.starts_with(['-', '+']) || !underscores_separate(unsigned) {
        return None;
    }
    let digits: String = unsigned.chars().filter(|&c| c != '_').collect();
    let lower = digits.to_ascii_lowercase();
    let (radix, digits) = match lower.get(..2) {
        Some("0x") => (16, &lower[2..]),
        Some("0o") => (8, &lower[2..]),
        Some("0b") => (2, &lower[2..]),
        Some(_) if lower.starts_with('0') => (8, &lower[1..]),
        _ => (10, &lower[..]),
    };
    if !digits.bytes().all(|b| b.is_ascii_alphanumeric()) {
        return None;
    }
    let magnitude = i128::from(u64::from_str_radix(digits, radix).ok()?);
    i64::try_from(if text.starts_with('-') { -magnitude } else { magnitude }).ok()
}

/// Go's rule for `_` in numbers: between digits, or right after a prefix such as `0x`.
fn underscores_separate(text: &str) -> bool {
    if !text.contains('_') {
        return true;
    }
    let bytes = text.as_bytes();
    let has_prefix = bytes.first() == Some(&b'0')
        && matches!(bytes.get(1), Some(b'b' | b'B' | b'o' | b'O' | b'x' | b'X'));
    let is_hex = has_prefix && matches!(bytes[1], b'x' | b'X');
    let is_digit = |b: u8| b.is_ascii_digit() || is_hex && b.is_ascii_hexdigit();
    let (mut last, start) = if has_prefix { (b'0', 2) } else { (b'!', 0) };
    if !has_prefix && bytes.first() == Some(&b'0') && bytes.len() > 1 {
        last = b'0';
    }
    for &byte in &bytes[start..] {
        if is_digit(byte) {
            last = b'0';
        } else if byte == b'_' {
            if last != b'0' {
                return false;
            }
            last = b'_';
        } else {
            if last == b'_' {
                return false;
            }
            last = b'!';
        }
    }
    last != b'_'
}

/// `strconv.ParseFloat(text, 64)`.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if unsigned.len() > 1
        && unsigned.is_char_boundary(2)
        && unsigned[..2].eq_ignore_ascii_case("0x")
    {
        let magnitude = parse_hex_float(&unsigned[2..])?;
        return Some(if text.starts_with('-') { -magnitude } else { magnitude });
    }
    if !underscores_separate(unsigned) {
        return None;
    }
    let number: f64 = text.replace('_', "").parse().ok()?;
    let names_infinity = unsigned.starts_with(['i', 'I']);
    (number.is_finite() || number.is_nan() && unsigned == text || names_infinity).then_some(number)
}

/// The mantissa and the mandatory exponent of a hexadecimal float, without its prefix.
fn parse_hex_float(text: &str) -> Option<f64> {
    if !underscores_separate(&format!("0x{text}")) {
        return None;
    }
    let text = text.to_ascii_lowercase().replace('_', "");
    let (mantissa, exponent) = text.split_once('p')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    if digits.is_empty() || digits.len() > 13 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let exponent: i32 = exponent.strip_prefix('+').unwrap_or(exponent).parse().ok()?;
    let value = u64::from_str_radix(&digits, 16).ok()? as f64;
    let number = value * 2_f64.powi(exponent - 4 * fraction.len() as i32);
    number.is_finite().then_some(number)
}
