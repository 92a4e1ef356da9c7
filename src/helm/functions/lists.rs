//! Sprig's `list.go`.

use super::args::{ANY, LIST, Outcome};
use crate::template::{Executor, FunctionSpec, List, Value};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("list", &[], LIST, list).variadic(ANY).own_taint(),
    FunctionSpec::new("tuple", &[], LIST, list).variadic(ANY).own_taint(),
];

/// Of no arguments it is the nil slice.
fn list(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    if arguments.is_empty() {
        return Ok(Value::from(List::nil(LIST)));
    }
    Ok(Value::from(arguments.to_vec()))
}
