//! Arithmetic, comparison and membership.

use std::cmp::Ordering;

use crate::cost::Meter;
use crate::equality::{compare, equal, lookup};
use crate::value::Value;

use super::{Answer, Call, Failure, Function, time};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("!_", not),
    ("-_", negate),
    ("_+_", add),
    ("_-_", subtract),
    ("_*_", multiply),
    ("_/_", divide),
    ("_%_", modulo),
    ("_==_", |call| same(call).map(Value::Bool)),
    ("_!=_", |call| same(call).map(|equal| Value::Bool(!equal))),
    ("_<_", |call| ordered(call, Ordering::is_lt)),
    ("_<=_", |call| ordered(call, Ordering::is_le)),
    ("_>_", |call| ordered(call, Ordering::is_gt)),
    ("_>=_", |call| ordered(call, Ordering::is_ge)),
    ("@in", contains),
    ("size", size),
];

const INT: &str = "integer overflow";
const UINT: &str = "unsigned integer overflow";

fn checked<T>(value: Option<T>, message: &str, of: fn(T) -> Value) -> Answer {
    value.map(of).ok_or_else(|| message.into())
}

fn not(call: &mut Call) -> Answer {
    match call.arguments {
        [Value::Bool(value)] => Ok(Value::Bool(!value)),
        _ => Err(Failure::NoOverload),
    }
}

fn negate(call: &mut Call) -> Answer {
    match call.arguments {
        [Value::Int(value)] => checked(value.checked_neg(), INT, Value::Int),
        [Value::Double(value)] => Ok(Value::Double(-value)),
        [Value::Duration(value)] => checked(value.checked_neg(), INT, Value::Duration),
        _ => Err(Failure::NoOverload),
    }
}

fn add(call: &mut Call) -> Answer {
    plus(call.arguments, call.meter)
}

/// The sum of two values.
pub(super) fn plus(arguments: &[Value], meter: &mut Meter) -> Answer {
    match arguments {
        [Value::Int(left), Value::Int(right)] => checked(left.checked_add(*right), INT, Value::Int),
        [Value::Uint(left), Value::Uint(right)] => {
            checked(left.checked_add(*right), UINT, Value::Uint)
        }
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left + right)),
        [Value::String(left), Value::String(right)] => {
            Ok(Value::String(format!("{left}{right}").into()))
        }
        [Value::Bytes(left), Value::Bytes(right)] => {
            Ok(Value::Bytes([&**left, right].concat().into()))
        }
        [Value::List(left), Value::List(right)] => {
            meter.allocate(left.len() + right.len())?;
            Ok(Value::List(left.iter().chain(&**right).cloned().collect()))
        }
        [left, right] => time::add(left, right),
        _ => Err(Failure::NoOverload),
    }
}

fn subtract(call: &mut Call) -> Answer {
    match call.arguments {
        [Value::Int(left), Value::Int(right)] => checked(left.checked_sub(*right), INT, Value::Int),
        [Value::Uint(left), Value::Uint(right)] => {
            checked(left.checked_sub(*right), UINT, Value::Uint)
        }
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left - right)),
        [left, right] => time::subtract(left, right),
        _ => Err(Failure::NoOverload),
    }
}

fn multiply(call: &mut Call) -> Answer {
    match call.arguments {
        [Value::Int(left), Value::Int(right)] => checked(left.checked_mul(*right), INT, Value::Int),
        [Value::Uint(left), Value::Uint(right)] => {
            checked(left.checked_mul(*right), UINT, Value::Uint)
        }
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left * right)),
        _ => Err(Failure::NoOverload),
    }
}

fn divide(call: &mut Call) -> Answer {
    match call.arguments {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err("division by zero".into())
        }
        [Value::Int(left), Value::Int(right)] => checked(left.checked_div(*right), INT, Value::Int),
        [Value::Uint(left), Value::Uint(right)] => Ok(Value::Uint(left / right)),
        [Value::Double(left), Value::Double(right)] => Ok(Value::Double(left / right)),
        _ => Err(Failure::NoOverload),
    }
}

fn modulo(call: &mut Call) -> Answer {
    match call.arguments {
        [Value::Int(_), Value::Int(0)] | [Value::Uint(_), Value::Uint(0)] => {
            Err("modulus by zero".into())
        }
        [Value::Int(left), Value::Int(right)] => checked(left.checked_rem(*right), INT, Value::Int),
        [Value::Uint(left), Value::Uint(right)] => Ok(Value::Uint(left % right)),
        _ => Err(Failure::NoOverload),
    }
}

fn same(call: &mut Call) -> Result<bool, Failure> {
    let [left, right] = call.arguments else { return Err(Failure::NoOverload) };
    equal(left, right, call.meter)
}

fn ordered(call: &mut Call, is: fn(Ordering) -> bool) -> Answer {
    let [left, right] = call.arguments else { return Err(Failure::NoOverload) };
    compare(left, right).map(|ordering| Value::Bool(is(ordering)))
}

fn contains(call: &mut Call) -> Answer {
    let [needle, container] = call.arguments else { return Err(Failure::NoOverload) };
    match container {
        Value::List(items) => {
            for item in &**items {
                if equal(needle, item, call.meter)? {
                    return Ok(Value::Bool(true));
                }
            }
            Ok(Value::Bool(false))
        }
        Value::Map(entries) => Ok(Value::Bool(lookup(entries, needle).is_some())),
        _ => Err("no such overload".into()),
    }
}

fn size(call: &mut Call) -> Answer {
    let size = match call.arguments {
        [Value::String(text)] => text.chars().count(),
        [Value::Bytes(bytes)] => bytes.len(),
        [Value::List(items)] => items.len(),
        [Value::Map(entries)] => entries.len(),
        _ => return Err(Failure::NoOverload),
    };
    Ok(Value::Int(i64::try_from(size).unwrap_or(i64::MAX)))
}

/// The error of an operator whose arguments do not fit. cel-go names the operator only if the first argument
/// supports no such operation and receives no calls.
pub(super) fn no_overload(operator: &str, arguments: &[Value]) -> Option<String> {
    let first = arguments.first()?;
    let is_receiver = matches!(first, Value::String(_) | Value::Timestamp(_) | Value::Duration(_));
    let supports = match operator {
        "_+_" => !matches!(first, Value::Bool(_) | Value::Null | Value::Map(_)),
        "_-_" => !matches!(
            first,
            Value::Bool(_) | Value::Null | Value::Map(_) | Value::List(_) | Value::Bytes(_)
        ),
        "_*_" | "_/_" => matches!(first, Value::Int(_) | Value::Uint(_) | Value::Double(_)),
        "_%_" => matches!(first, Value::Int(_) | Value::Uint(_)),
        "_<_" | "_<=_" | "_>_" | "_>=_" => {
            !matches!(first, Value::Null | Value::Map(_) | Value::List(_))
        }
        "-_" => matches!(first, Value::Bool(_) | Value::Int(_) | Value::Double(_)),
        "!_" | "matches" | "contains" | "startsWith" | "endsWith" | "containsIP" => true,
        "size" => false,
        _ => return None,
    };
    Some(if supports || is_receiver {
        "no such overload".to_owned()
    } else {
        format!("no such overload: {operator}")
    })
}
