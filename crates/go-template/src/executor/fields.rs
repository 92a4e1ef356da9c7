//! Fields, map entries and methods.

use super::commands::Words;
use super::frame::{Frame, Operand, Scope};
use super::functions::Method;
use super::{Exec, Executor, MissingKey};
use crate::ast::{NodeId, names};
use crate::quote::quote;
use crate::value::{Data, Map, Value};

impl Executor<'_> {
    /// `.A.B.C` of a receiver. The last field takes the arguments; it must then be a method.
    pub(super) fn field_chain(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        mut receiver: Operand,
        (node, fields): (NodeId, &str),
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let Some((inner, final_field)) = fields.rsplit_once('.') else { return Ok(receiver) };
        for field in names(inner) {
            receiver = self.field(frame, scope, (&receiver, field), node, &[], None)?;
        }
        self.field(frame, scope, (&receiver, final_field), node, words, last)
    }

    fn field(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        (receiver, name): (&Operand, &str),
        node: NodeId,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        if receiver.is_invalid() {
            if self.options.missing_key == MissingKey::Error {
                let key = quote(name.as_bytes());
                return Err(frame.fail(format!("nil data; no entry for key {key}")));
            }
            return Ok(receiver.clone());
        }
        if receiver.is_nil_interface() {
            let message = format!("nil pointer evaluating {}.{name}", receiver.type_name());
            return Err(frame.fail(message));
        }
        if let Some(method) =
            receiver.value.go_type().and_then(|go_type| self.functions.method(go_type, name))
        {
            let call = BoundMethod { method, receiver: &receiver.value };
            return self.call_method(frame, scope, (call, node), words, last);
        }
        let has_arguments = words.len() > 1 || last.is_some();
        match receiver.value.data() {
            Data::Object(object) => {
                if let Some(value) = object.field(name) {
                    if has_arguments {
                        let problem = "has arguments but cannot be invoked as function";
                        return Err(frame.fail(format!("{name} {problem}")));
                    }
                    return Ok(self.inherit(value, &receiver.value));
                }
            }
            Data::Map(map) => {
                if has_arguments {
                    let message = format!("{name} is not a method but has arguments");
                    return Err(frame.fail(message));
                }
                return self.entry(frame, map, &receiver.value, name);
            }
            _ => {}
        }
        let message = format!("can't evaluate field {name} in type {}", receiver.type_name());
        Err(frame.fail(message))
    }

    /// The entry `key` of the map in the value `holder`.
    fn entry(&mut self, frame: &Frame<'_>, map: &Map, holder: &Value, key: &str) -> Exec<Operand> {
        let slot = map.go_type().element();
        if let Some(mut value) = map.get(key) {
            value.add_taint(&mut self.tracker, holder.taint());
            return Ok(Operand::from_slot(value, slot));
        }
        let taint = map.absence(&mut self.tracker, key);
        let taint = self.tracker.join(taint, holder.taint());
        match self.options.missing_key {
            MissingKey::Invalid => Ok(Operand::from(Value::NIL.with_taint(taint))),
            MissingKey::Zero => Ok(Operand::from_slot(Value::zero(slot).with_taint(taint), slot)),
            MissingKey::Error => {
                let key = quote(key.as_bytes());
                Err(frame.fail(format!("map has no entry for key {key}")))
            }
        }
    }

    /// A part of `holder`, with the inputs of the whole.
    fn inherit(&mut self, mut value: Value, holder: &Value) -> Operand {
        value.add_taint(&mut self.tracker, holder.taint());
        Operand::from(value)
    }
}

/// A method with its receiver.
#[derive(Clone, Copy)]
pub(super) struct BoundMethod<'v> {
    pub(super) method: &'static Method,
    pub(super) receiver: &'v Value,
}
