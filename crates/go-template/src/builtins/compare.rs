//! `eq`, `ne`, `lt`, `le`, `gt`, `ge`.

use std::cmp::Ordering;

use super::is_nil;
use crate::error::FuncError;
use crate::executor::Executor;
use crate::format::sprintf;
use crate::value::{Data, Value};

const BAD_TYPE: &str = "invalid type for comparison";

pub(super) fn eq(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [first, others @ ..] = arguments else { return Ok(Value::from(false)) };
    if others.is_empty() {
        return Err(FuncError::new("missing argument for comparison"));
    }
    for other in others {
        if equals(context, first, other)? {
            return Ok(Value::from(true));
        }
    }
    Ok(Value::from(false))
}

pub(super) fn ne(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [a, b] = arguments else { return Ok(Value::from(false)) };
    Ok(Value::from(!equals(context, a, b)?))
}

pub(super) fn lt(_: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [a, b] = arguments else { return Ok(Value::from(false)) };
    Ok(Value::from(less(a, b)?))
}

pub(super) fn le(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [a, b] = arguments else { return Ok(Value::from(false)) };
    Ok(Value::from(less_or_equal(context, a, b)?))
}

pub(super) fn gt(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [a, b] = arguments else { return Ok(Value::from(false)) };
    Ok(Value::from(!less_or_equal(context, a, b)?))
}

pub(super) fn ge(_: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [a, b] = arguments else { return Ok(Value::from(false)) };
    Ok(Value::from(!less(a, b)?))
}

/// A value by Go's basic kinds.
enum Basic<'v> {
    Bool(bool),
    Int(i64),
    Uint(u64),
    Float(f64),
    String(&'v [u8]),
    /// Nil and everything structured.
    None,
}

fn basic(value: &Value) -> Basic<'_> {
    match value.data() {
        Data::Bool(value) => Basic::Bool(*value),
        Data::Int(_, value) => Basic::Int(*value),
        Data::Uint(_, value) => Basic::Uint(*value),
        Data::Float(value) => Basic::Float(*value),
        Data::String(text) => Basic::String(text.as_bytes()),
        _ => Basic::None,
    }
}

fn equals(context: &mut Executor<'_>, a: &Value, b: &Value) -> Result<bool, FuncError> {
    match (basic(a), basic(b)) {
        (Basic::Bool(a), Basic::Bool(b)) => Ok(a == b),
        (Basic::Int(a), Basic::Int(b)) => Ok(a == b),
        (Basic::Uint(a), Basic::Uint(b)) => Ok(a == b),
        (Basic::Int(a), Basic::Uint(b)) | (Basic::Uint(b), Basic::Int(a)) => {
            Ok(u64::try_from(a) == Ok(b))
        }
        (Basic::Float(a), Basic::Float(b)) => Ok(a == b),
        (Basic::String(a), Basic::String(b)) => Ok(a == b),
        (Basic::None, Basic::None) => equals_structured(context, a, b),
        _ if a.is_nil() || b.is_nil() => Ok(false),
        _ => Err(incompatible(a, b)),
    }
}

fn equals_structured(context: &mut Executor<'_>, a: &Value, b: &Value) -> Result<bool, FuncError> {
    let comparable = a.is_nil() || b.is_nil() || a.kind_name() == b.kind_name();
    if !comparable {
        let (shown_a, type_a) = (show(context, "%s", a)?, a.type_name());
        let (shown_b, type_b) = (show(context, "%v", b)?, b.type_name());
        let message = format!("non-comparable types {shown_a}: {type_a}, {type_b}: {shown_b}");
        return Err(FuncError::new(message));
    }
    if is_nil(a) || is_nil(b) {
        return Ok(is_nil(a) == is_nil(b));
    }
    let equal = match (a.data(), b.data()) {
        (Data::Object(a), Data::Object(b)) => a.equals(&**b),
        _ => None,
    };
    let Some(equal) = equal else {
        let (shown, go_type) = (show(context, "%s", b)?, b.type_name());
        return Err(FuncError::new(format!("non-comparable type {shown}: {go_type}")));
    };
    Ok(equal)
}

fn show(context: &mut Executor<'_>, verb: &str, value: &Value) -> Result<String, FuncError> {
    let text = sprintf(&mut context.tracker, &Value::from(verb), std::slice::from_ref(value))?;
    Ok(String::from_utf8_lossy(text.bytes()).into_owned())
}

fn less(a: &Value, b: &Value) -> Result<bool, FuncError> {
    Ok(match (basic(a), basic(b)) {
        (Basic::None, _) | (_, Basic::None) | (Basic::Bool(_), Basic::Bool(_)) => {
            return Err(FuncError::new(BAD_TYPE));
        }
        (Basic::Int(a), Basic::Int(b)) => a < b,
        (Basic::Uint(a), Basic::Uint(b)) => a < b,
        (Basic::Int(a), Basic::Uint(b)) => u64::try_from(a).map_or(true, |a| a < b),
        (Basic::Uint(a), Basic::Int(b)) => u64::try_from(b).is_ok_and(|b| a < b),
        (Basic::Float(a), Basic::Float(b)) => a < b,
        (Basic::String(a), Basic::String(b)) => a.cmp(b) == Ordering::Less,
        _ => return Err(incompatible(a, b)),
    })
}

fn less_or_equal(context: &mut Executor<'_>, a: &Value, b: &Value) -> Result<bool, FuncError> {
    Ok(less(a, b)? || equals(context, a, b)?)
}

fn incompatible(a: &Value, b: &Value) -> FuncError {
    let (a, b) = (a.type_name(), b.type_name());
    FuncError::new(format!("incompatible types for comparison: {a} and {b}"))
}
