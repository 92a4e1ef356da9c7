//! Sprig's `reflect.go`, and `reflect.DeepEqual`.

use go_template::{Data, Executor, FuncError, FunctionSpec, Value, provenance::Taint};

use super::args::{ANY, BOOL, Outcome, STRING, str};
use crate::go_objects;

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("typeOf", &[ANY], STRING, |context, a| {
        Ok(shallow(context, &a[0], a[0].type_name()))
    })
    .own_taint(),
    FunctionSpec::new("typeIs", &[STRING, ANY], BOOL, type_is).own_taint(),
    FunctionSpec::new("typeIsLike", &[STRING, ANY], BOOL, type_is_like).own_taint(),
    FunctionSpec::new("kindOf", &[ANY], STRING, |context, a| {
        Ok(shallow(context, &a[0], kind(&a[0])))
    })
    .own_taint(),
    FunctionSpec::new("kindIs", &[STRING, ANY], BOOL, kind_is).own_taint(),
    FunctionSpec::new("deepEqual", &[ANY, ANY], BOOL, |context, a| {
        Ok(Value::from(deep_equal(context, &a[0], &a[1])?))
    }),
];

/// The inputs that determine the type of a value, without those of its content.
fn outline(context: &mut Executor<'_>, value: &Value) -> Taint {
    match value.data() {
        Data::List(_) | Data::Map(_) => value.observed(&mut context.tracker),
        _ => value.taint(),
    }
}

fn shallow(context: &mut Executor<'_>, value: &Value, name: &str) -> Value {
    let taint = outline(context, value);
    Value::from(name).with_taint(taint)
}

fn test(context: &mut Executor<'_>, name: &Value, value: &Value, result: bool) -> Value {
    let observed = name.observed(&mut context.tracker);
    let outline = outline(context, value);
    let taint = context.tracker.join(observed, outline);
    Value::from(result).with_taint(taint)
}

fn kind(value: &Value) -> &'static str {
    go_objects::kind(value).unwrap_or_else(|| value.kind_name())
}

fn type_is(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [name, value] = arguments else { return Ok(Value::NIL) };
    let result = *str(name) == *value.type_name();
    Ok(test(context, name, value, result))
}

fn type_is_like(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [name, value] = arguments else { return Ok(Value::NIL) };
    let (wanted, got) = (str(name), value.type_name());
    let result = *wanted == *got || got.strip_prefix('*') == Some(&wanted);
    Ok(test(context, name, value, result))
}

fn kind_is(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [name, value] = arguments else { return Ok(Value::NIL) };
    let result = *str(name) == *kind(value);
    Ok(test(context, name, value, result))
}

/// `reflect.DeepEqual`: the types must be equal too.
pub(super) fn deep_equal(
    context: &mut Executor<'_>,
    a: &Value,
    b: &Value,
) -> Result<bool, FuncError> {
    context.check_stack()?;
    context.spend(1)?;
    if a.type_name() != b.type_name() {
        return Ok(false);
    }
    Ok(match (a.data(), b.data()) {
        (Data::Nil | Data::NilInterface, Data::Nil | Data::NilInterface) => true,
        (Data::Bool(a), Data::Bool(b)) => a == b,
        (Data::Int(_, a), Data::Int(_, b)) => a == b,
        (Data::Uint(_, a), Data::Uint(_, b)) => a == b,
        (Data::Float(a), Data::Float(b)) => a == b,
        (Data::String(a), Data::String(b)) | (Data::Bytes(a), Data::Bytes(b)) => {
            context.spend(a.len().min(b.len()) as u64 / 64)?;
            a == b
        }
        (Data::List(a), Data::List(b)) => {
            if a.len() != b.len() || a.is_nil() != b.is_nil() {
                return Ok(false);
            }
            if a.is_same(b) {
                return Ok(true);
            }
            for (a, b) in a.items().iter().zip(b.items()) {
                if !deep_equal(context, a, b)? {
                    return Ok(false);
                }
            }
            true
        }
        (Data::Map(a), Data::Map(b)) => {
            if a.len() != b.len() || a.is_nil() != b.is_nil() {
                return Ok(false);
            }
            if a.is_same(b) {
                return Ok(true);
            }
            context.spend(a.len() as u64)?;
            for ((key, a), (other, b)) in a.entries().iter().zip(b.entries().iter()) {
                if key != other || !deep_equal(context, a, b)? {
                    return Ok(false);
                }
            }
            true
        }
        (Data::Object(x), Data::Object(y)) => {
            x.equals(&**y).unwrap_or(false) || go_objects::deep_equal(a, b)
        }
        _ => false,
    })
}
