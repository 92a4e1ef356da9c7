//! The functions that `text/template` provides.

mod compare;
mod escape;
mod index;

use crate::error::FuncError;
use crate::executor::{Executor, FunctionSpec, Functions, Special};
use crate::format;
use crate::types::Type;
use crate::value::{Data, Value};

const ANY: &Type = &Type::INTERFACE;
const REFLECT: &Type = &Type::REFLECT;

impl Functions {
    /// The functions of `text/template`.
    pub fn builtin() -> Self {
        Self::of(SPECS)
    }
}

const SPECS: &[FunctionSpec] = &[
    special("and", Special::And),
    special("or", Special::Or),
    special("call", Special::Call),
    FunctionSpec::new("html", &[], &Type::STRING, escape::html).variadic(ANY).own_taint(),
    FunctionSpec::new("js", &[], &Type::STRING, escape::js).variadic(ANY).own_taint(),
    FunctionSpec::new("urlquery", &[], &Type::STRING, escape::urlquery).variadic(ANY).own_taint(),
    FunctionSpec::new("index", &[REFLECT], REFLECT, index::index).variadic(REFLECT).own_taint(),
    FunctionSpec::new("slice", &[REFLECT], REFLECT, index::slice).variadic(REFLECT).own_taint(),
    FunctionSpec::new("len", &[REFLECT], &Type::INT, index::len).own_taint(),
    FunctionSpec::new("not", &[REFLECT], &Type::BOOL, not).own_taint(),
    FunctionSpec::new("print", &[], &Type::STRING, print).variadic(ANY).own_taint(),
    FunctionSpec::new("printf", &[&Type::STRING], &Type::STRING, printf).variadic(ANY).own_taint(),
    FunctionSpec::new("println", &[], &Type::STRING, println).variadic(ANY).own_taint(),
    FunctionSpec::new("eq", &[REFLECT], &Type::BOOL, compare::eq).variadic(REFLECT),
    FunctionSpec::new("ne", &[REFLECT, REFLECT], &Type::BOOL, compare::ne),
    FunctionSpec::new("lt", &[REFLECT, REFLECT], &Type::BOOL, compare::lt),
    FunctionSpec::new("le", &[REFLECT, REFLECT], &Type::BOOL, compare::le),
    FunctionSpec::new("gt", &[REFLECT, REFLECT], &Type::BOOL, compare::gt),
    FunctionSpec::new("ge", &[REFLECT, REFLECT], &Type::BOOL, compare::ge),
];

/// A function that the executor evaluates itself, at least in part.
const fn special(name: &'static str, special: Special) -> FunctionSpec {
    FunctionSpec::new(name, &[REFLECT], REFLECT, call).variadic(REFLECT).special(special)
}

/// `call`, which always fails, because there are no function values. The executor passes the text of the
/// callee as the first argument.
fn call(_: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [name, callee, ..] = arguments else { return Err(FuncError::new("call of nil")) };
    let Some(go_type) = callee.go_type() else { return Err(FuncError::new("call of nil")) };
    let name = String::from_utf8_lossy(name.bytes());
    Err(FuncError::new(format!("non-function {name} of type {}", go_type.name)))
}

fn not(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [argument] = arguments else { return Ok(Value::NIL) };
    let taint = argument.observed(&mut context.tracker);
    Ok(Value::from(!argument.truth()).with_taint(taint))
}

fn print(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    format::sprint_all(&mut context.tracker, arguments)
}

fn println(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    format::sprintln(&mut context.tracker, arguments)
}

fn printf(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    let [format, operands @ ..] = arguments else { return Ok(Value::NIL) };
    format::sprintf(&mut context.tracker, format, operands)
}

/// Whether a value is nil: one of the two untyped nils, or a nil slice or map.
fn is_nil(value: &Value) -> bool {
    match value.data() {
        Data::Nil | Data::NilInterface => true,
        Data::List(list) => list.is_nil(),
        Data::Map(map) => map.is_nil(),
        _ => false,
    }
}
