//! Calls functions and methods.

use super::super::ast::{Module, NodeId};
use super::super::function::{FunctionSpec, Params, Special, TaintRule};
use super::super::types::{GoKind, Type};
use super::super::{Data, Value};
use super::commands::Words;
use super::fields::Bound;
use super::frame::{Frame, Operand};
use super::{Exec, Executor};
use crate::provenance::Taint;

impl Executor<'_> {
    pub(super) fn call_function(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        (spec, node): (&FunctionSpec, NodeId),
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let words = words.get(1..).unwrap_or_default();
        count_arguments(frame, spec.name, spec.params, words.len(), last.is_some())?;
        if matches!(spec.special, Special::And | Special::Or) {
            let is_or = spec.special == Special::Or;
            return self.short_circuit(frame, module, dot, is_or, words, last);
        }
        let mut arguments = self.arguments(frame, module, dot, spec.params, words, last)?;
        if spec.special == Special::Call {
            let callee = match (words.first(), arguments.first()) {
                (Some(word), _) => Value::from(module.print(*word)),
                (None, Some(last)) if last.as_text().is_some() => last.clone(),
                (None, last) => {
                    Value::from(format!("<{} Value>", last.map_or("nil", Value::type_name)))
                }
            };
            arguments.insert(0, callee);
        }
        let mut result = match (spec.call)(self, &arguments) {
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

    pub(super) fn call_method(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        (bound, node): (Bound<'_>, NodeId),
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let Bound { method, receiver } = bound;
        let words = words.get(1..).unwrap_or_default();
        count_arguments(frame, method.name, method.params, words.len(), last.is_some())?;
        let arguments = self.arguments(frame, module, dot, method.params, words, last)?;
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

    fn charge_result(&mut self, frame: &Frame<'_>, result: &Value) -> Exec<()> {
        match result.data() {
            Data::String(text) | Data::Bytes(text) => self.charge_bytes(frame, text.len()),
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
            let key = arguments.get(1).and_then(Value::as_text).map(super::Text::to_str);
            map.condition(&mut self.tracker, key.as_deref(), control);
        }
    }

    /// `and` and `or`: the first argument that decides, or the last one. Which one it is depends
    /// on those before.
    fn short_circuit(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        is_or: bool,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let mut decided = Taint::NONE;
        let mut result = Operand::from(Value::NIL);
        let (mut words, mut last) = (words.iter(), last);
        loop {
            let operand = match words.next() {
                Some(word) => self.argument(frame, module, dot, &Type::REFLECT, *word)?,
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
