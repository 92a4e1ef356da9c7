//! What a plain scalar means: go-yaml's resolution, as `sigs.k8s.io/yaml` uses it.
//!
//! Checked against `kubectl` (see `testdata/yaml`): YAML 1.1 booleans, octal with `0` or `0o`,
//! underscores in numbers, no sexagesimal numbers, timestamps stay strings.

use super::Value;

/// Resolves the text of a plain scalar without a tag.
pub fn resolve(text: &str) -> Value {
    let Some(first) = text.bytes().next() else { return Value::Null };
    match first {
        b'+' | b'-' | b'.' | b'0'..=b'9' => number(text),
        b'~' | b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' => word(text),
        _ => None,
    }
    .unwrap_or_else(|| Value::Str(text.into()))
}

fn word(text: &str) -> Option<Value> {
    match text {
        "~" | "null" | "Null" | "NULL" => Some(Value::Null),
        "y" | "Y" | "yes" | "Yes" | "YES" | "true" | "True" | "TRUE" | "on" | "On" | "ON" => {
            Some(Value::Bool(true))
        }
        "n" | "N" | "no" | "No" | "NO" | "false" | "False" | "FALSE" | "off" | "Off" | "OFF" => {
            Some(Value::Bool(false))
        }
        _ => None,
    }
}

fn number(text: &str) -> Option<Value> {
    if let Some(special) = special_float(text) {
        return Some(Value::Float(special));
    }
    let plain: String = text.chars().filter(|&c| c != '_').collect();
    integer(&plain).or_else(|| is_float(&plain).then(|| plain.parse().ok().map(Value::Float))?)
}

fn special_float(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Go's `strconv.ParseInt(text, 0, 64)`, then `ParseUint`.
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

/// go-yaml's float pattern: `[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?`.
fn is_float(text: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let whole = digits(unsigned);
    let mut rest = &unsigned[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if whole + length == 0 {
            return false;
        }
        rest = &fraction[length..];
    } else if whole == 0 {
        return false;
    }
    let Some(exponent) = rest.strip_prefix(['e', 'E']) else { return rest.is_empty() };
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    !exponent.is_empty() && digits(exponent) == exponent.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expectations from kubectl 1.32 (`facts/rust-dependencies.md`).
    #[test]
    fn resolves_like_kubectl() {
        let json = |text: &str| match resolve(text) {
            Value::Null => "null".into(),
            Value::Bool(flag) => flag.to_string(),
            Value::Int(number) => number.to_string(),
            Value::Uint(number) => number.to_string(),
            Value::Float(number) => format!("{number:?}"),
            Value::Str(text) => format!("{text:?}"),
            Value::Seq(_) | Value::Map(_) => unreachable!("a scalar"),
        };
        for (text, expected) in [
            ("y", "true"),
            ("ON", "true"),
            ("yEs", "\"yEs\""),
            ("", "null"),
            ("nULL", "\"nULL\""),
            ("010", "8"),
            ("0o755", "493"),
            ("-0755", "-493"),
            ("0X1f", "31"),
            ("0b101", "5"),
            ("1__0", "10"),
            ("1_", "1"),
            ("+1", "1"),
            ("08", "8.0"),
            ("_1", "\"_1\""),
            ("0b2", "\"0b2\""),
            ("0x", "\"0x\""),
            ("12:30:45", "\"12:30:45\""),
            ("1e3", "1000.0"),
            (".5", "0.5"),
            ("5.", "5.0"),
            ("0x1p4", "\"0x1p4\""),
            ("18446744073709551615", "18446744073709551615"),
            ("2024-01-01", "\"2024-01-01\""),
            ("-", "\"-\""),
            (".", "\".\""),
        ] {
            assert_eq!(json(text), expected, "{text}");
        }
    }
}
