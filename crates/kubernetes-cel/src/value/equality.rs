//! Equality and order across types, as cel-go defines them.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::value::cost::Meter;
use crate::value::functions::Failure;
use crate::value::{Key, Value};

/// Whether two values are equal. Numbers of different types can be; other values of different types are not.
pub(crate) fn equal(left: &Value, right: &Value, meter: &mut Meter) -> Result<bool, Failure> {
    meter.work(1)?;
    Ok(match (left, right) {
        (Value::Unknown { names, .. }, _) | (_, Value::Unknown { names, .. }) => {
            return Err(Failure::Unknown(names.clone()));
        }
        (Value::Null, Value::Null) => true,
        (Value::Bool(left), Value::Bool(right)) => left == right,
        (Value::String(left), Value::String(right)) => left == right,
        (Value::Bytes(left), Value::Bytes(right)) => left == right,
        (Value::Duration(left), Value::Duration(right)) => left == right,
        (Value::Timestamp(left), Value::Timestamp(right)) => left.cmp(right).is_eq(),
        (Value::Type(left), Value::Type(right)) => left == right,
        (Value::Optional(left), Value::Optional(right)) => match (left, right) {
            (Some(left), Some(right)) => equal(left, right, meter)?,
            (left, right) => left.is_none() && right.is_none(),
        },
        (Value::List(left), Value::List(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for (left, right) in left.iter().zip(&**right) {
                if !equal(left, right, meter)? {
                    return Ok(false);
                }
            }
            true
        }
        (Value::Map(left), Value::Map(right)) => {
            if left.len() != right.len() {
                return Ok(false);
            }
            for (key, value) in &**left {
                match lookup(right, &Value::from(key)) {
                    Some((_, other)) if equal(value, other, meter)? => {}
                    _ => return Ok(false),
                }
            }
            true
        }
        (Value::Opaque(left), Value::Opaque(right)) => {
            return left.equal(right).ok_or_else(|| "no such overload".into());
        }
        (Value::Opaque(_), _) => return Err("no such overload".into()),
        _ => numbers(left, right).is_some_and(|ordering| ordering == Some(Ordering::Equal)),
    })
}

/// The order of two numbers; `Some(None)` with NaN.
fn numbers(left: &Value, right: &Value) -> Option<Option<Ordering>> {
    Some(match (left, right) {
        (Value::Int(left), Value::Int(right)) => Some(left.cmp(right)),
        (Value::Uint(left), Value::Uint(right)) => Some(left.cmp(right)),
        (Value::Int(left), Value::Uint(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Uint(left), Value::Int(right)) => Some(i128::from(*left).cmp(&i128::from(*right))),
        (Value::Double(left), Value::Double(right)) => left.partial_cmp(right),
        (Value::Double(left), Value::Int(right)) => double(*left, i128::from(*right)),
        (Value::Double(left), Value::Uint(right)) => double(*left, i128::from(*right)),
        (Value::Int(left), Value::Double(right)) => {
            double(*right, i128::from(*left)).map(Ordering::reverse)
        }
        (Value::Uint(left), Value::Double(right)) => {
            double(*right, i128::from(*left)).map(Ordering::reverse)
        }
        _ => return None,
    })
}

/// The order of a double and an integer. cel-go rounds the integer to a double.
#[expect(clippy::cast_precision_loss, reason = "as cel-go does")]
fn double(left: f64, right: i128) -> Option<Ordering> {
    left.partial_cmp(&(right as f64))
}

/// The order of two values that have one.
pub(crate) fn compare(left: &Value, right: &Value) -> Result<Ordering, Failure> {
    if let Some(ordering) = numbers(left, right) {
        return ordering.ok_or_else(|| "NaN values cannot be ordered".into());
    }
    Ok(match (left, right) {
        (Value::Unknown { names, .. }, _) | (_, Value::Unknown { names, .. }) => {
            return Err(Failure::Unknown(names.clone()));
        }
        (Value::Bool(left), Value::Bool(right)) => left.cmp(right),
        (Value::String(left), Value::String(right)) => left.cmp(right),
        (Value::Bytes(left), Value::Bytes(right)) => left.cmp(right),
        (Value::Duration(left), Value::Duration(right)) => left.cmp(right),
        (Value::Timestamp(left), Value::Timestamp(right)) => left.cmp(right),
        _ => return Err(Failure::NoOverload),
    })
}

/// The entry of a map with this key. Keys that are equal numbers are one key.
pub(crate) fn lookup<'m>(
    entries: &'m BTreeMap<Key, Value>,
    key: &Value,
) -> Option<(&'m Key, &'m Value)> {
    match key {
        Value::Bool(value) => entries.get_key_value(&Key::Bool(*value)),
        Value::String(text) => entries.get_key_value(&Key::String(text.clone())),
        Value::Int(value) => integer(entries, Some(*value), u64::try_from(*value).ok()),
        Value::Uint(value) => integer(entries, i64::try_from(*value).ok(), Some(*value)),
        Value::Double(value) if value.fract() == 0.0 => {
            #[expect(clippy::cast_possible_truncation, reason = "what is out of range is no key")]
            let whole = *value as i128;
            integer(entries, i64::try_from(whole).ok(), u64::try_from(whole).ok())
        }
        _ => None,
    }
}

fn integer(
    entries: &BTreeMap<Key, Value>,
    int: Option<i64>,
    uint: Option<u64>,
) -> Option<(&Key, &Value)> {
    let int = int.and_then(|int| entries.get_key_value(&Key::Int(int)));
    int.or_else(|| uint.and_then(|uint| entries.get_key_value(&Key::Uint(uint))))
}

/// The key that a value is.
pub(crate) fn as_key(value: &Value) -> Result<Key, Failure> {
    match value {
        Value::Bool(value) => Ok(Key::Bool(*value)),
        Value::Int(value) => Ok(Key::Int(*value)),
        Value::Uint(value) => Ok(Key::Uint(*value)),
        Value::String(text) => Ok(Key::String(text.clone())),
        other => Err(Failure::Error(format!("unsupported key type: {}", other.type_name()))),
    }
}
