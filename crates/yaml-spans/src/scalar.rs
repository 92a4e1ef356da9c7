//! Resolves scalars as go-yaml does for `sigs.k8s.io/yaml`.
//!
//! YAML 1.1 booleans, octals with `0` or `0o`, underscores in numbers, no sexagesimal numbers; timestamps stay strings.
//! Compared with `kubectl` in `testdata/kubectl.json`.

use std::{error::Error, fmt};

use crate::{ErrorKind, Value, number, timestamp::timestamp};

/// The namespace of `!!int` and the other core tags.
pub(crate) const CORE: &str = "tag:yaml.org,2002:";

/// Why a scalar does not have the type of its tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TagError {
    /// The value of a core tag such as `int` is of another type.
    Mismatch { text: String, tag: &'static str },
    /// A `!!binary` value is not base64.
    NotBase64,
}

impl fmt::Display for TagError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mismatch { text, tag } => {
                write!(f, "`{text}` is not what its tag `!!{tag}` says")
            }
            Self::NotBase64 => f.write_str("a `!!binary` value must be base64"),
        }
    }
}

impl Error for TagError {}

impl From<TagError> for ErrorKind {
    fn from(error: TagError) -> Self {
        match error {
            TagError::Mismatch { text, tag } => Self::TagMismatch { text, tag },
            TagError::NotBase64 => Self::NotBase64,
        }
    }
}

/// The value of a scalar, given whether it is plain (unquoted) and its full tag.
pub(crate) fn value(text: &str, plain: bool, tag: Option<&str>) -> Result<Value, TagError> {
    let Some(tag) = tag else {
        return Ok(if plain { resolve(text) } else { Value::Str(text.into()) });
    };
    let Some(name) = tag.strip_prefix(CORE) else { return Ok(Value::Str(text.into())) };
    let value = resolve(text);
    let (tag, fits) = match name {
        "binary" => return binary(text),
        "int" => ("int", matches!(value, Value::Int(_) | Value::Uint(_))),
        "float" => ("float", matches!(value, Value::Int(_) | Value::Float(_))),
        "bool" => ("bool", matches!(value, Value::Bool(_))),
        "null" => ("null", matches!(value, Value::Null)),
        "timestamp" => ("timestamp", matches!(value, Value::Str(_)) && timestamp(text).is_some()),
        _ => return Ok(Value::Str(text.into())),
    };
    match value {
        Value::Int(number) if tag == "float" => Ok(Value::Float(number as f64)),
        value if fits => Ok(value),
        _ => Err(TagError::Mismatch { text: text.into(), tag }),
    }
}

/// Resolves the text of a plain (unquoted) scalar without a tag. Never a collection.
pub fn resolve(text: &str) -> Value {
    let Some(first) = text.bytes().next() else { return Value::Null };
    match first {
        b'+' | b'-' | b'.' | b'0'..=b'9' => {
            special_float(text).map(Value::Float).or_else(|| number::parse(text))
        }
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

fn special_float(text: &str) -> Option<f64> {
    match text {
        ".nan" | ".NaN" | ".NAN" => Some(f64::NAN),
        ".inf" | ".Inf" | ".INF" | "+.inf" | "+.Inf" | "+.INF" => Some(f64::INFINITY),
        "-.inf" | "-.Inf" | "-.INF" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// A `!!binary` value. Bytes that are not UTF-8 become U+FFFD.
fn binary(text: &str) -> Result<Value, TagError> {
    let bytes: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b'\n' | b'\r')).collect();
    let decoded = base64(&bytes).ok_or(TagError::NotBase64)?;
    Ok(Value::Str(String::from_utf8_lossy(&decoded).into()))
}

/// Decodes as Go's `base64.StdEncoding`: padding is required. The caller has removed line breaks.
fn base64(bytes: &[u8]) -> Option<Vec<u8>> {
    let digit = |byte: u8| match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    if !bytes.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(bytes.len() / 4 * 3);
    for group in bytes[..bytes.len() - padding].chunks(4) {
        let mut bits = 0_u32;
        for &byte in group {
            bits = bits << 6 | u32::from(digit(byte)?);
        }
        bits <<= 6 * (4 - group.len());
        out.extend(&bits.to_be_bytes()[1..group.len()]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// kubectl 5: observed with kubectl 1.32.
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
