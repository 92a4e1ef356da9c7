//! Calls functions and methods.

use super::commands::Words;
use super::fields::BoundMethod;
use super::frame::{Frame, Operand, Scope};
use super::functions::{FunctionSpec, Params, Special, TaintRule};
use super::{Exec, Executor};
use crate::ast::NodeId;
use crate::provenance::{Run, Taint};
use crate::text::Text;
use crate::types::{GoKind, Type};
use crate::value::{Data, Value};

/// Steps that stand for the time of a call, whatever it reads and makes.
const CALL_STEPS: u64 = 20;

impl Executor<'_> {
    /// Evaluates the arguments and calls a function.
    pub(super) fn call_function(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        (spec, node): (&FunctionSpec, NodeId),
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let words = words.get(1..).unwrap_or_default();
        count_arguments(frame, spec.name, spec.params, words.len(), last.is_some())?;
        if matches!(spec.special, Special::And | Special::Or) {
            let is_or = spec.special == Special::Or;
            return self.short_circuit(frame, scope, is_or, words, last);
        }
        let mut arguments = self.arguments(frame, scope, spec.params, words, last)?;
        if spec.special == Special::Call {
            arguments.insert(0, text_of_callee(scope, words, arguments.first()));
        }
        self.charge_arguments(frame, &arguments)?;
        self.wanted = scope.wanted.map(Box::from);
        let called = (spec.call)(self, &arguments);
        self.wanted = None;
        let mut result = match called {
            Ok(result) => result,
            Err(error) => {
                frame.at = node;
                return Err(frame.fail_in(spec.name, error));
            }
        };
        self.taint_result(spec, &arguments, &mut result);
        self.charge_result(frame, &result)?;
        let is_interface = spec.result.kind == GoKind::Interface;
        if is_interface || matches!(result.data(), Data::NilInterface) {
            return Ok(Operand::from_slot(result, &Type::INTERFACE));
        }
        Ok(Operand::from(result))
    }

    /// Evaluates the arguments and calls a method.
    pub(super) fn call_method(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        (bound, node): (BoundMethod<'_>, NodeId),
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let BoundMethod { method, receiver } = bound;
        let words = words.get(1..).unwrap_or_default();
        count_arguments(frame, method.name, method.params, words.len(), last.is_some())?;
        let arguments = self.arguments(frame, scope, method.params, words, last)?;
        self.charge_arguments(frame, &arguments)?;
        match (method.call)(self, receiver, &arguments) {
            Ok(result) => {
                self.charge_result(frame, &result)?;
                Ok(Operand::from(result))
            }
            Err(error) => {
                frame.at = node;
                Err(frame.fail_in(method.name, error))
            }
        }
    }

    /// A call costs more than a node; most functions read their arguments once.
    fn charge_arguments(&mut self, frame: &Frame<'_>, arguments: &[Value]) -> Exec<()> {
        let size = |argument: &Value| match argument.data() {
            Data::String(text) | Data::Bytes(text) => text.len() as u64,
            Data::List(list) => list.len() as u64,
            _ => 0,
        };
        let read: u64 = arguments.iter().map(size).sum();
        self.charge(frame, CALL_STEPS + read / 16)
    }

    fn charge_result(&mut self, frame: &Frame<'_>, result: &Value) -> Exec<()> {
        match result.data() {
            Data::String(text) | Data::Bytes(text) => {
                let runs = text.spans().map_or(0, |spans| spans.runs().len());
                self.charge(frame, text.len() as u64 / 16)?;
                self.charge_bytes(frame, text.len() + runs * size_of::<Run>())
            }
            Data::List(list) => self.charge(frame, list.len() as u64 / 16),
            _ => Ok(()),
        }
    }

    fn taint_result(&mut self, spec: &FunctionSpec, arguments: &[Value], result: &mut Value) {
        if !self.tracker.is_on() {
            return;
        }
        if spec.taint == TaintRule::Arguments {
            for argument in arguments {
                let taint = argument.observed_deep(&mut self.tracker);
                result.add_taint(&mut self.tracker, taint);
            }
        }
        let control = self.tracker.control();
        if let (true, Some(Data::Map(map)), false) =
            (spec.mutates, arguments.first().map(Value::data), control.is_empty())
        {
            let key = arguments.get(1).and_then(Value::as_text).map(Text::to_str);
            map.add_condition(&mut self.tracker, key.as_deref(), control);
        }
    }

    /// `and` and `or`: the first argument that decides, or the last one. The arguments before it decide
    /// which one that is.
    fn short_circuit(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        is_or: bool,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let mut decided = Taint::NONE;
        let mut result = Operand::from(Value::NIL);
        let (mut words, mut last) = (words.iter(), last);
        loop {
            let operand = match words.next() {
                Some(word) => self.argument(frame, scope, &Type::REFLECT, *word)?,
                None => match last.take() {
                    Some(last) => self.convert(frame, last, &Type::REFLECT)?,
                    None => break,
                },
            };
            let observed = operand.observed(&mut self.tracker);
            result = Operand::from(operand);
            result.is_boxed = result.is_nil_interface();
            result.value.add_taint(&mut self.tracker, decided);
            if result.value.truth() == is_or {
                break;
            }
            let control = self.tracker.decide(observed);
            decided = self.tracker.join(decided, control);
        }
        Ok(result)
    }
}

/// The callee of the built-in function `call` as its error messages show it.
fn text_of_callee(scope: Scope<'_>, words: Words<'_>, first: Option<&Value>) -> Value {
    match (words.first(), first) {
        (Some(word), _) => Value::from(scope.source.print(*word)),
        (None, Some(last)) if last.as_text().is_some() => last.clone(),
        (None, last) => Value::from(format!("<{} Value>", last.map_or("nil", Value::type_name))),
    }
}

fn count_arguments(
    frame: &Frame<'_>,
    name: &str,
    params: Params,
    given: usize,
    has_last: bool,
) -> Exec<()> {
    let want = params.fixed.len();
    let total = given + usize::from(has_last);
    if params.rest.is_some() {
        if total < want {
            let message =
                format!("wrong number of args for {name}: want at least {want} got {given}");
            return Err(frame.fail(message));
        }
    } else if total != want {
        let message = format!("wrong number of args for {name}: want {want} got {total}");
        return Err(frame.fail(message));
    }
    Ok(())
}
