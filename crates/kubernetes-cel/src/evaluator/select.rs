//! Fields of maps and items of lists.

use crate::ast::{Id, Kind, Mode};
use crate::evaluated::Step;
use crate::trace;
use crate::value::equality::lookup;
use crate::value::functions::Failure;
use crate::value::text;
use crate::value::{Key, Value};

use super::{Evaluation, Evaluator, Frame, Traced, known};

impl Frame<'_> {
    pub(super) fn select(
        &mut self,
        operand: Id,
        field: &str,
        mode: Mode,
        state: &mut Evaluator,
    ) -> Evaluation {
        if self.is_definitions(operand, state) {
            return match mode {
                Mode::Plain => self.definition(field, state),
                Mode::Has => Ok(Value::Bool(state.variables.defines(field)).into()),
                Mode::Optional => Ok(optional(self.definition(field, state)?)),
            };
        }
        let traced = self.operand(operand, state)?;
        let (traced, is_optional) = match unwrapped(traced) {
            Ok(unwrapped) => unwrapped,
            Err(none) => return Ok(absent(none, mode, state)),
        };
        let key = Value::from(field);
        part(traced, &key, mode, is_optional, state)
    }

    /// What a part is taken of. It costs a unit if it is no part and no variable itself.
    fn operand(&mut self, id: Id, state: &mut Evaluator) -> Evaluation {
        let traced = self.evaluate(id, state)?;
        let is_attribute = match &self.program.ast.nodes[id].kind {
            Kind::Name(_) | Kind::Select { .. } => true,
            Kind::Call { function, .. } => matches!(&**function, "_[_]" | "_[?_]"),
            _ => false,
        };
        if !is_attribute {
            state.meter.spend(1)?;
        }
        Ok(traced)
    }

    /// Whether the expression is `variables` of a policy.
    fn is_definitions(&self, id: Id, state: &Evaluator) -> bool {
        let is_name =
            matches!(&self.program.ast.nodes[id].kind, Kind::Name(name) if name == "variables");
        is_name
            && !self.locals.iter().any(|(own, _)| *own == "variables")
            && state.variables.has_definitions()
    }

    pub(super) fn index(
        &mut self,
        operand: Id,
        index: Id,
        optional: bool,
        state: &mut Evaluator,
    ) -> Evaluation {
        let traced = self.operand(operand, state)?;
        let index = self.read(index, state)?;
        let mode = if optional { Mode::Optional } else { Mode::Plain };
        let (traced, is_optional) = match unwrapped(traced) {
            Ok(unwrapped) => unwrapped,
            Err(none) => return Ok(absent(none, mode, state)),
        };
        part(traced, &index, mode, is_optional, state)
    }
}

/// What an optional value holds, and whether the value was optional. An empty one is the error.
fn unwrapped(traced: Traced) -> Result<(Traced, bool), Traced> {
    match traced.value {
        Value::Optional(Some(value)) => {
            Ok((Traced { value: (*value).clone(), path: traced.path }, true))
        }
        Value::Optional(None) => Err(traced),
        _ => Ok((traced, false)),
    }
}

fn optional(traced: Traced) -> Traced {
    Traced { value: crate::value::functions::optional_of(traced.value), path: traced.path }
}

/// The result of a selection from something that has no value.
fn absent(traced: Traced, mode: Mode, state: &mut Evaluator) -> Traced {
    match mode {
        Mode::Has => {
            state.reads.add(traced.path.as_ref());
            Value::Bool(false).into()
        }
        Mode::Plain | Mode::Optional => Traced { value: Value::Optional(None), path: traced.path },
    }
}

/// A part of a map or list.
fn part(
    traced: Traced,
    key: &Value,
    mode: Mode,
    is_optional: bool,
    state: &mut Evaluator,
) -> Evaluation {
    let (found, missing) = match &traced.value {
        Value::Map(entries) => {
            let found = lookup(entries, key).map(|(_, value)| value.clone());
            (found, format!("no such key: {}", text::display(key)))
        }
        Value::List(items) => {
            let index = position(key)?;
            let found = usize::try_from(index).ok().and_then(|index| items.get(index)).cloned();
            (found, format!("index out of bounds: {}", text::display(key)))
        }
        _ => (None, format!("no such key: {}", text::display(key))),
    };
    // What may be absent and is costs nothing.
    if found.is_some() && mode != Mode::Has || mode == Mode::Plain && !is_optional {
        state.meter.spend(1)?;
    }
    let path = trace::below(traced.path.as_ref(), step(key), found.is_some());
    match (found, mode) {
        (Some(value), Mode::Has) => {
            state.reads.add(path.as_ref());
            match value {
                Value::Unknown { names, is_present: false } => Err(Failure::Unknown(names)),
                _ => Ok(Value::Bool(true).into()),
            }
        }
        (None, Mode::Has) => Ok(absent(Traced { value: Value::Optional(None), path }, mode, state)),
        (Some(value), Mode::Plain) if !is_optional => known(Traced { value, path }, state),
        (Some(value), _) => known(Traced { value, path }, state).map(optional),
        (None, Mode::Plain) if !is_optional => {
            state.reads.add(path.as_ref());
            Err(Failure::Error(missing))
        }
        (None, _) => Ok(Traced { value: Value::Optional(None), path }),
    }
}

/// The index that a value stands for.
fn position(key: &Value) -> Result<i64, Failure> {
    let unsupported =
        || Failure::Error(format!("unsupported index value {} in list", text::display(key)));
    match key {
        Value::Int(index) => Ok(*index),
        Value::Uint(index) => i64::try_from(*index).map_err(|_| unsupported()),
        Value::Double(index) if index.fract() == 0.0 && index.abs() < 1e15 => {
            #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
            let index = *index as i64;
            Ok(index)
        }
        Value::Double(_) => Err(unsupported()),
        other => {
            Err(Failure::Error(format!("unsupported index type '{}' in list", other.type_name())))
        }
    }
}

fn step(key: &Value) -> Step {
    match key {
        Value::Int(index) => {
            usize::try_from(*index).map_or_else(|_| Step::Field(index.to_string()), Step::Index)
        }
        other => Step::Field(text::display(other)),
    }
}

/// The step to a key of a map.
pub(super) fn step_to(key: &Key) -> Step {
    Step::Field(text::display_key(key))
}
