//! `index`, `slice`, `len`.

use crate::error::FuncError;
use crate::executor::Executor;
use crate::text::Text;
use crate::text_builder::TextBuilder;
use crate::types::{GoKind, Type};
use crate::value::{Data, List, Map, UintType, Value};

/// The message of Go's reflection for `len` of no value at all.
const LEN_OF_NOTHING: &str = "reflect: call of reflect.Value.Type on zero Value";

pub(super) fn len(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [item] = arguments else { return Ok(Value::NIL) };
    let len = match item.data() {
        Data::NilInterface => return Err(FuncError::new("len of nil pointer")),
        Data::Nil => return Err(FuncError::new(LEN_OF_NOTHING)),
        Data::String(text) | Data::Bytes(text) => text.len(),
        Data::List(list) => list.len(),
        Data::Map(map) => map.len(),
        _ => return Err(FuncError::new(format!("len of type {}", item.pointee_name()))),
    };
    let taint = item.observed(&mut context.tracker);
    Ok(Value::int(len as i64).with_taint(taint))
}

/// `index x 1 "a"`: `x[1]["a"]`. The inputs of the indexes become control.
pub(super) fn index(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [item, indexes @ ..] = arguments else { return Ok(Value::NIL) };
    if item.is_nil() {
        return Err(FuncError::new("index of untyped nil"));
    }
    let mut item = item.clone();
    for index in indexes {
        let taint = item.taint();
        let mut next = match item.data() {
            Data::Nil | Data::NilInterface => return Err(FuncError::new("index of nil pointer")),
            Data::String(text) => byte_at(text, index, "string")?,
            Data::Bytes(text) => byte_at(text, index, "slice")?,
            Data::List(list) => item_at(list, index)?,
            Data::Map(map) => entry_at(context, map, index)?,
            _ => {
                let message = format!("can't index item of type {}", item.pointee_name());
                return Err(FuncError::new(message));
            }
        };
        let observed = item.as_text().map_or(taint, |_| item.observed(&mut context.tracker));
        next.add_taint(&mut context.tracker, observed);
        item = next.decided_by(&mut context.tracker, index);
    }
    Ok(item)
}

/// The content of a slot of type `slot`, which keeps nil distinguishable from no value.
fn from_slot(value: Value, slot: &Type) -> Value {
    if slot.kind == GoKind::Interface && value.is_nil() {
        return Value::new(Data::NilInterface, value.taint());
    }
    value
}

fn byte_at(text: &Text, index: &Value, what: &str) -> Result<Value, FuncError> {
    let at = position(index, text.len())?;
    let Some(byte) = text.as_bytes().get(at) else {
        return Err(FuncError::new(format!("reflect: {what} index out of range")));
    };
    Ok(Value::from(Data::Uint(UintType::Uint8, (*byte).into())))
}

fn item_at(list: &List, index: &Value) -> Result<Value, FuncError> {
    let at = position(index, list.len())?;
    let Some(item) = list.items().get(at) else {
        return Err(FuncError::new("reflect: slice index out of range"));
    };
    Ok(from_slot(item.clone(), list.go_type().element()))
}

fn entry_at(context: &mut Executor<'_>, map: &Map, key: &Value) -> Result<Value, FuncError> {
    let slot = map.go_type().element();
    let Some(text) = key.as_text() else {
        let message = match key.go_type() {
            None => "value is nil; should be of type string".into(),
            Some(go_type) => format!("value has type {}; should be string", go_type.name),
        };
        return Err(FuncError::new(message));
    };
    let key = text.to_str();
    let value = map.get(&key).unwrap_or_else(|| {
        let taint = map.absence(&mut context.tracker, &key);
        Value::zero(slot).with_taint(taint)
    });
    Ok(from_slot(value, slot))
}

/// An index as a number from 0 to `len`. Go leaves `len` itself to the next check.
fn position(index: &Value, len: usize) -> Result<usize, FuncError> {
    let number = match index.data() {
        Data::Int(_, number) => *number,
        Data::Uint(_, number) => *number as i64,
        Data::Nil | Data::NilInterface => {
            return Err(FuncError::new("cannot index slice/array with nil"));
        }
        _ => {
            let go_type = index.type_name();
            return Err(FuncError::new(format!("cannot index slice/array with type {go_type}")));
        }
    };
    match usize::try_from(number) {
        Ok(at) if at <= len => Ok(at),
        _ => Err(FuncError::new(format!("index out of range: {number}"))),
    }
}

pub(super) fn slice(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [item, indexes @ ..] = arguments else { return Ok(Value::NIL) };
    if item.is_nil() {
        return Err(FuncError::new("slice of untyped nil"));
    }
    if indexes.len() > 3 {
        return Err(FuncError::new(format!("too many slice indexes: {}", indexes.len())));
    }
    let len = match item.data() {
        Data::String(_) if indexes.len() == 3 => {
            return Err(FuncError::new("cannot 3-index slice a string"));
        }
        Data::String(text) | Data::Bytes(text) => text.len(),
        Data::List(list) => list.len(),
        _ => {
            let message = format!("can't slice item of type {}", item.pointee_name());
            return Err(FuncError::new(message));
        }
    };
    let mut bounds = [0, len, len];
    for (bound, index) in bounds.iter_mut().zip(indexes) {
        *bound = position(index, len)?;
    }
    let [from, to, cap] = bounds;
    if from > to {
        return Err(FuncError::new(format!("invalid slice index: {from} > {to}")));
    }
    if indexes.len() == 3 && to > cap {
        return Err(FuncError::new(format!("invalid slice index: {to} > {cap}")));
    }
    let mut result = cut(context, item, from..to);
    for index in indexes {
        result = result.decided_by(&mut context.tracker, index);
    }
    Ok(result)
}

fn cut(context: &mut Executor<'_>, item: &Value, range: std::ops::Range<usize>) -> Value {
    match item.data() {
        Data::List(list) => {
            let items = list.items()[range].to_vec();
            let list = List::of(list.go_type(), items).shaped_by(list.shape());
            Value::from(list).with_taint(item.taint())
        }
        Data::Bytes(text) => {
            Value::from(Data::Bytes(Text::new(&text.as_bytes()[range]))).with_taint(item.taint())
        }
        _ => {
            let mut text = TextBuilder::new();
            text.push_slice(&mut context.tracker, item, range);
            text.finish()
        }
    }
}
