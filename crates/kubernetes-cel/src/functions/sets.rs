//! Lists as sets.

use crate::cost::Meter;
use crate::equality::equal;
use crate::value::Value;

use super::{Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("sets.contains", |call| {
        let (left, right) = lists(call)?;
        contains(left, right, call.meter).map(Value::Bool)
    }),
    ("sets.equivalent", |call| {
        let (left, right) = lists(call)?;
        let both = contains(left, right, call.meter)? && contains(right, left, call.meter)?;
        Ok(Value::Bool(both))
    }),
    ("sets.intersects", |call| {
        let (left, right) = lists(call)?;
        for item in left {
            if contains(right, std::slice::from_ref(item), call.meter)? {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }),
];

fn lists<'c>(call: &Call<'c>) -> Result<(&'c [Value], &'c [Value]), Failure> {
    match call.arguments {
        [Value::List(left), Value::List(right)] => Ok((left, right)),
        _ => Err(Failure::NoOverload),
    }
}

/// Whether each item of the second list is in the first.
fn contains(list: &[Value], items: &[Value], meter: &mut Meter) -> Result<bool, Failure> {
    for item in items {
        let mut found = false;
        for own in list {
            found = found || equal(own, item, meter)?;
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}
