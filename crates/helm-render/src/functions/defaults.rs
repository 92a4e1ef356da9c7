//! Sprig's `defaults.go` without its JSON functions: emptiness and choice.

use go_template::{Executor, FunctionSpec, Value, provenance::Taint};

use super::args::{ANY, BOOL, Outcome, decision};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("default", &[ANY], ANY, default).variadic(ANY).own_taint(),
    FunctionSpec::new("empty", &[ANY], BOOL, empty).own_taint(),
    FunctionSpec::new("coalesce", &[], ANY, coalesce).variadic(ANY).own_taint(),
    FunctionSpec::new("all", &[], BOOL, all).variadic(ANY).own_taint(),
    FunctionSpec::new("any", &[], BOOL, any).variadic(ANY).own_taint(),
    FunctionSpec::new("ternary", &[ANY, ANY, BOOL], ANY, ternary).own_taint(),
];

/// Whether a value is missing or the zero value of its type. Structs are never empty.
pub(super) fn is_empty(value: &Value) -> bool {
    !value.truth()
}

fn default(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [fallback, given @ ..] = arguments else { return Ok(Value::NIL) };
    let Some(given) = given.first() else { return Ok(fallback.clone()) };
    let mut chosen = given;
    if is_empty(given) {
        given.pass_over(&mut context.tracker);
        chosen = fallback;
    }
    Ok(chosen.clone().decided_by(&mut context.tracker, given))
}

fn empty(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let taint = arguments[0].observed(&mut context.tracker);
    Ok(Value::from(is_empty(&arguments[0])).with_taint(taint))
}

fn coalesce(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let mut decided = Taint::NONE;
    for value in arguments {
        let own = decision(&mut context.tracker, value);
        decided = context.tracker.join(decided, own);
        if !is_empty(value) {
            let mut chosen = value.clone();
            chosen.add_taint(&mut context.tracker, decided);
            return Ok(chosen);
        }
        value.pass_over(&mut context.tracker);
    }
    Ok(Value::NIL.with_taint(decided))
}

fn all(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    Ok(test(context, arguments, !arguments.iter().any(is_empty)))
}

fn any(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    Ok(test(context, arguments, !arguments.iter().all(is_empty)))
}

/// The result of a test that depends only on whether its arguments are empty.
fn test(context: &mut Executor<'_>, arguments: &[Value], result: bool) -> Value {
    let mut value = Value::from(result);
    for argument in arguments {
        let taint = argument.observed(&mut context.tracker);
        value.add_taint(&mut context.tracker, taint);
    }
    value
}

fn ternary(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [yes, no, condition] = arguments else { return Ok(Value::NIL) };
    let chosen = if condition.truth() { yes } else { no };
    Ok(chosen.clone().decided_by(&mut context.tracker, condition))
}
