//! Conversions between types.

use crate::text;
use crate::value::{Inner, Opaque, Timestamp, Value};

use super::{Answer, Call, Failure, Function, time};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("bool", to_bool),
    ("bytes", to_bytes),
    ("double", to_double),
    ("dyn", |call| call.arguments.first().cloned().ok_or(Failure::NoOverload)),
    ("duration", to_duration),
    ("int", to_int),
    ("string", to_string),
    ("timestamp", to_timestamp),
    ("type", to_type),
    ("uint", to_uint),
];

fn failed(to: &str) -> Failure {
    Failure::Error(format!("type conversion error from 'string' to '{to}'"))
}

fn to_bool(call: &mut Call) -> Answer {
    match call.arguments {
        [value @ Value::Bool(_)] => Ok(value.clone()),
        [Value::String(text)] => match &**text {
            "1" | "t" | "T" | "TRUE" | "true" | "True" => Ok(Value::Bool(true)),
            "0" | "f" | "F" | "FALSE" | "false" | "False" => Ok(Value::Bool(false)),
            _ => Err(failed("bool")),
        },
        _ => Err(Failure::NoOverload),
    }
}

fn to_bytes(call: &mut Call) -> Answer {
    match call.arguments {
        [value @ Value::Bytes(_)] => Ok(value.clone()),
        [Value::String(text)] => Ok(Value::Bytes(text.as_bytes().into())),
        _ => Err(Failure::NoOverload),
    }
}

#[expect(clippy::cast_precision_loss, reason = "the conversion rounds")]
fn to_double(call: &mut Call) -> Answer {
    match call.arguments {
        [value @ Value::Double(_)] => Ok(value.clone()),
        [Value::Int(value)] => Ok(Value::Double(*value as f64)),
        [Value::Uint(value)] => Ok(Value::Double(*value as f64)),
        [Value::String(text)] => {
            text::double(text).map(Value::Double).ok_or_else(|| failed("double"))
        }
        _ => Err(Failure::NoOverload),
    }
}

fn to_duration(call: &mut Call) -> Answer {
    match call.arguments {
        [value @ Value::Duration(_)] => Ok(value.clone()),
        // Declared, but cel-go does not convert integers.
        [Value::Int(_)] => {
            Err("type conversion error from 'int' to 'google.protobuf.Duration'".into())
        }
        [Value::String(text)] => time::duration(text)
            .map(Value::Duration)
            .ok_or_else(|| failed("google.protobuf.Duration")),
        _ => Err(Failure::NoOverload),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the range is checked"
)]
fn to_int(call: &mut Call) -> Answer {
    match call.arguments {
        [value @ Value::Int(_)] => Ok(value.clone()),
        [Value::Uint(value)] => {
            i64::try_from(*value).map(Value::Int).map_err(|_| "integer overflow".into())
        }
        [Value::Double(value)] if *value > i64::MIN as f64 && *value < i64::MAX as f64 => {
            Ok(Value::Int(*value as i64))
        }
        [Value::Double(_)] => Err("integer overflow".into()),
        [Value::Duration(nanoseconds)] => Ok(Value::Int(*nanoseconds)),
        [Value::Timestamp(point)] => Ok(Value::Int(point.seconds)),
        [Value::String(text)] => text::integer(text).map(Value::Int).ok_or_else(|| failed("int")),
        _ => Err(Failure::NoOverload),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the range is checked"
)]
fn to_uint(call: &mut Call) -> Answer {
    match call.arguments {
        [value @ Value::Uint(_)] => Ok(value.clone()),
        [Value::Int(value)] => {
            u64::try_from(*value).map(Value::Uint).map_err(|_| "unsigned integer overflow".into())
        }
        [Value::Double(value)] if *value >= 0.0 && *value < u64::MAX as f64 => {
            Ok(Value::Uint(*value as u64))
        }
        [Value::Double(_)] => Err("unsigned integer overflow".into()),
        [Value::String(text)] if text.starts_with('+') => Err(failed("uint")),
        [Value::String(text)] => text.parse().map(Value::Uint).map_err(|_| failed("uint")),
        _ => Err(Failure::NoOverload),
    }
}

fn to_string(call: &mut Call) -> Answer {
    match call.arguments {
        [Value::Opaque(Opaque(Inner::Ip(address)))] => Ok(address.to_string().into()),
        [Value::Opaque(Opaque(Inner::Cidr(network)))] => Ok(network.to_string().into()),
        [value] => text_of(value).map(Value::from),
        _ => Err(Failure::NoOverload),
    }
}

/// What `string(…)` makes of a value of the standard library.
pub(crate) fn text_of(value: &Value) -> Result<String, Failure> {
    Ok(match value {
        Value::String(text) => text.to_string(),
        Value::Bool(value) => value.to_string(),
        Value::Int(value) => value.to_string(),
        Value::Uint(value) => value.to_string(),
        Value::Double(value) => text::general(*value),
        Value::Bytes(bytes) => std::str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|_| Failure::from("invalid UTF-8 in bytes, cannot convert to string"))?,
        Value::Duration(nanoseconds) => time::display_duration(*nanoseconds),
        Value::Timestamp(point) => time::display_timestamp(*point),
        Value::Type(name) => name.to_string(),
        _ => return Err(Failure::NoOverload),
    })
}

fn to_timestamp(call: &mut Call) -> Answer {
    match call.arguments {
        [value @ Value::Timestamp(_)] => Ok(value.clone()),
        [Value::Int(seconds)] => {
            time::at(Timestamp { seconds: *seconds, nanoseconds: 0, offset: 0 })
        }
        [Value::String(text)] => match time::timestamp(text) {
            Some(point) => time::at(point),
            None => Err(failed("google.protobuf.Timestamp")),
        },
        _ => Err(Failure::NoOverload),
    }
}

fn to_type(call: &mut Call) -> Answer {
    let [value] = call.arguments else { return Err(Failure::NoOverload) };
    Ok(Value::Type(value.type_name().into()))
}
