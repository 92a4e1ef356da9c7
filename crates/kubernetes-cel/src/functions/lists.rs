//! Lists: Kubernetes' library, and cel-go's extension, version 3.

use std::cmp::Ordering;

use crate::cost::Meter;
use crate::equality::{compare, equal};
use crate::value::Value;

use super::{Answer, Call, Failure, Function, operators, optional};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("isSorted", is_sorted),
    ("sum", sum),
    ("min", |call| extreme(call, "min", Ordering::Less)),
    ("max", |call| extreme(call, "max", Ordering::Greater)),
    ("slice", slice),
    ("flatten", flatten),
    ("sort", |call| list(call).and_then(|items| sorted(items, items))),
    ("lists.range", range),
    ("reverse", |call| list(call).map(|items| Value::list(items.iter().rev().cloned()))),
    ("distinct", distinct),
    ("first", |call| list(call).map(|items| optional::of(items.first().cloned()))),
    ("last", |call| list(call).map(|items| optional::of(items.last().cloned()))),
];

fn list<'c>(call: &Call<'c>) -> Result<&'c [Value], Failure> {
    match call.arguments {
        [Value::List(items)] => Ok(items),
        _ => Err(Failure::NoOverload),
    }
}

/// The index of the first item that is equal, or -1.
pub(super) fn position(items: &[Value], item: &Value, meter: &mut Meter) -> Answer {
    for (index, own) in items.iter().enumerate() {
        if equal(own, item, meter)? {
            return Ok(Value::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        }
    }
    Ok(Value::Int(-1))
}

/// The index of the last item that is equal, or -1.
pub(super) fn last_position(items: &[Value], item: &Value, meter: &mut Meter) -> Answer {
    for (index, own) in items.iter().enumerate().rev() {
        if equal(own, item, meter)? {
            return Ok(Value::Int(i64::try_from(index).unwrap_or(i64::MAX)));
        }
    }
    Ok(Value::Int(-1))
}

fn is_sorted(call: &mut Call) -> Answer {
    for pair in list(call)?.windows(2) {
        if compare(&pair[0], &pair[1])?.is_gt() {
            return Ok(Value::Bool(false));
        }
    }
    Ok(Value::Bool(true))
}

fn sum(call: &mut Call) -> Answer {
    let items = list(call)?;
    let mut sum = match items.first() {
        None | Some(Value::Int(_)) => Value::Int(0),
        Some(Value::Uint(_)) => Value::Uint(0),
        Some(Value::Double(_)) => Value::Double(0.0),
        Some(Value::Duration(_)) => Value::Duration(0),
        Some(_) => return Err(Failure::NoOverload),
    };
    for item in items {
        let arguments = [sum, item.clone()];
        sum = operators::plus(&arguments, call.meter)?;
    }
    Ok(sum)
}

fn extreme(call: &mut Call, name: &str, wanted: Ordering) -> Answer {
    let mut items = list(call)?.iter();
    let mut found =
        items.next().ok_or_else(|| Failure::Error(format!("{name} called on empty list")))?;
    for item in items {
        if compare(item, found)? == wanted {
            found = item;
        }
    }
    Ok(found.clone())
}

fn slice(call: &mut Call) -> Answer {
    let [Value::List(items), Value::Int(start), Value::Int(end)] = call.arguments else {
        return Err(Failure::NoOverload);
    };
    let failed = |why: String| Err(Failure::Error(format!("cannot slice({start}, {end}), {why}")));
    let (Ok(from), Ok(to)) = (usize::try_from(*start), usize::try_from(*end)) else {
        return failed("negative indexes not supported".to_owned());
    };
    if from > to {
        return failed("start index must be less than or equal to end index".to_owned());
    }
    match items.get(from..to) {
        Some(part) => Ok(Value::List(part.into())),
        None => failed(format!("list is length {}", items.len())),
    }
}

fn flatten(call: &mut Call) -> Answer {
    let (items, depth) = match call.arguments {
        [Value::List(items)] => (items, 1),
        [Value::List(_), Value::Int(depth)] if *depth < 0 => {
            return Err("level must be non-negative".into());
        }
        [Value::List(items), Value::Int(depth)] => (items, *depth),
        _ => return Err(Failure::NoOverload),
    };
    let mut flat = Vec::new();
    // The items to come, with the levels that they may still lose; the next one last.
    let mut open: Vec<_> = items.iter().rev().map(|item| (item, depth)).collect();
    while let Some((item, depth)) = open.pop() {
        call.meter.allocate(1)?;
        match item {
            Value::List(inner) if depth > 0 => {
                open.extend(inner.iter().rev().map(|item| (item, depth - 1)))
            }
            item => flat.push(item.clone()),
        }
    }
    Ok(Value::list(flat))
}

/// The items in the order of their keys.
pub(crate) fn sorted(items: &[Value], keys: &[Value]) -> Answer {
    let Some(first) = keys.first() else { return Ok(Value::List(items.into())) };
    if compare(first, first).is_err_and(|failure| matches!(failure, Failure::NoOverload)) {
        return Err("list elements must be comparable".into());
    }
    if keys.iter().any(|key| key.type_name() != first.type_name()) {
        return Err("list elements must have the same type".into());
    }
    let mut pairs: Vec<_> = keys.iter().zip(items).collect();
    pairs.sort_by(|(left, _), (right, _)| compare(left, right).unwrap_or(Ordering::Equal));
    Ok(Value::list(pairs.into_iter().map(|(_, item)| item.clone())))
}

fn range(call: &mut Call) -> Answer {
    let [Value::Int(end)] = call.arguments else { return Err(Failure::NoOverload) };
    call.meter.allocate(usize::try_from(*end).unwrap_or(0))?;
    Ok(Value::list((0..*end).map(Value::Int)))
}

fn distinct(call: &mut Call) -> Answer {
    let mut found: Vec<Value> = Vec::new();
    for item in list(call)? {
        let mut seen = false;
        for own in &found {
            seen = seen || equal(item, own, call.meter)?;
        }
        if !seen {
            found.push(item.clone());
        }
    }
    Ok(Value::list(found))
}
