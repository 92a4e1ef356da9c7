//! Optional values.

use std::sync::Arc;

use crate::value::Value;

use super::{Answer, Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("optional.of", |call| {
        call.arguments.first().map(|value| of(Some(value.clone()))).ok_or(Failure::NoOverload)
    }),
    ("optional.ofNonZeroValue", |call| {
        let [value] = call.arguments else { return Err(Failure::NoOverload) };
        Ok(of(Some(value.clone()).filter(|value| !is_zero(value))))
    }),
    ("optional.none", |_| Ok(of(None))),
    ("optional.unwrap", unwrap),
    ("unwrapOpt", unwrap),
    ("value", |call| match call.arguments {
        [Value::Optional(Some(value))] => Ok((**value).clone()),
        [Value::Optional(None)] => Err("optional.none() dereference".into()),
        _ => Err(Failure::NoOverload),
    }),
    ("hasValue", |call| match call.arguments {
        [Value::Optional(value)] => Ok(Value::Bool(value.is_some())),
        _ => Err(Failure::NoOverload),
    }),
];

/// An optional value.
pub(crate) fn of(value: Option<Value>) -> Value {
    Value::Optional(value.map(Arc::new))
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(0) | Value::Uint(0) | Value::Duration(0) => {
            true
        }
        Value::Optional(value) => value.is_none(),
        Value::Double(value) => *value == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Bytes(bytes) => bytes.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    }
}

fn unwrap(call: &mut Call) -> Answer {
    let [Value::List(items)] = call.arguments else { return Err(Failure::NoOverload) };
    let values = items.iter().filter_map(|item| match item {
        Value::Optional(value) => value.as_ref().map(|value| (**value).clone()),
        other => Some(other.clone()),
    });
    Ok(Value::list(values))
}
