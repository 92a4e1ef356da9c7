//! Evaluates arguments and converts them to the types of parameters.

use super::commands::Words;
use super::frame::{Frame, Operand, Scope};
use super::functions::Params;
use super::{Exec, Executor};
use crate::ast::{NodeId, NodeKind};
use crate::types::{GoKind, Type};
use crate::value::{Data, IntType, UintType, Value};

impl Executor<'_> {
    /// The arguments of a call. Their number has been checked.
    pub(super) fn arguments(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        params: Params,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Vec<Value>> {
        let mut arguments = Vec::with_capacity(words.len() + 1);
        for (i, word) in words.iter().enumerate() {
            arguments.push(self.argument(frame, scope, params.at(i), *word)?);
        }
        if let Some(last) = last {
            arguments.push(self.convert(frame, last, params.at(words.len()))?);
        }
        Ok(arguments)
    }

    /// One argument, converted to the parameter type `target`.
    pub(super) fn argument(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        target: &'static Type,
        node: NodeId,
    ) -> Exec<Value> {
        frame.at = node;
        let scope = Scope { wanted: None, ..scope };
        let operand = match scope.source.kind(node) {
            NodeKind::Dot => scope.dot.clone(),
            NodeKind::Nil if target.can_be_nil() => return Ok(Value::zero(target)),
            NodeKind::Nil => {
                return Err(frame.fail(format!("cannot assign nil to {}", target.name)));
            }
            NodeKind::Field(fields) => {
                let fields = scope.source.fields(*fields);
                self.field_chain(frame, scope, scope.dot.clone(), (node, fields), &[], None)?
            }
            NodeKind::Variable(..) => self.variable(frame, scope, node, &[], None)?,
            NodeKind::Pipe(_) => self.pipeline(frame, scope, node)?,
            NodeKind::Function(id) => self.function(frame, scope, (*id, node), &[], None)?,
            NodeKind::Chain(..) => self.chain(frame, scope, node, &[], None)?,
            _ => return self.literal_as(frame, scope, target, node),
        };
        self.convert(frame, operand, target)
    }

    /// A literal as the parameter type `target`: numbers adapt to it.
    fn literal_as(
        &mut self,
        frame: &Frame<'_>,
        scope: Scope<'_>,
        target: &'static Type,
        node: NodeId,
    ) -> Exec<Value> {
        let kind = scope.source.kind(node);
        let (expected, data) = match (target.kind, kind) {
            (GoKind::Interface, _) => return self.literal(frame, scope, node),
            _ if target.is(&Type::REFLECT) => return self.literal(frame, scope, node),
            (GoKind::Bool, NodeKind::Bool(_)) | (GoKind::String, NodeKind::String(_)) => {
                return self.literal(frame, scope, node);
            }
            (GoKind::Bool, _) => ("bool", None),
            (GoKind::String, _) => ("string", None),
            (GoKind::Int, NodeKind::Number(number)) => {
                ("integer", number.int.map(|int| int_data(target, int)))
            }
            (GoKind::Int, _) => ("integer", None),
            (GoKind::Uint, NodeKind::Number(number)) => {
                ("unsigned integer", number.uint.map(|uint| uint_data(target, uint)))
            }
            (GoKind::Uint, _) => ("unsigned integer", None),
            (GoKind::Float, NodeKind::Number(number)) => ("float", number.float.map(Data::Float)),
            (GoKind::Float, _) => ("float", None),
            _ => {
                let (node, name) = (scope.source.print(node), target.name);
                return Err(frame.fail(format!("can't handle {node} for arg of type {name}")));
            }
        };
        match data {
            Some(data) => Ok(Value::from(data)),
            None => {
                Err(frame.fail(format!("expected {expected}; found {}", scope.source.print(node))))
            }
        }
    }

    /// The value as the type `target`, or an error: Go's `validateType`.
    pub(super) fn convert(
        &mut self,
        frame: &Frame<'_>,
        operand: Operand,
        target: &'static Type,
    ) -> Exec<Value> {
        if operand.is_invalid() {
            if target.can_be_nil() {
                return Ok(Value::zero(target).with_taint(operand.value.taint()));
            }
            return Err(frame.fail(format!("invalid value; expected {}", target.name)));
        }
        if target.is(&Type::REFLECT) {
            return Ok(operand.value);
        }
        if target.kind == GoKind::Interface {
            return Ok(operand.unboxed().value);
        }
        let go_type = operand.value.go_type();
        if go_type.is_some_and(|go_type| go_type.is_assignable_to(target)) {
            // Assigned to the parameter, a named map becomes a plain one.
            return Ok(match operand.value.data() {
                Data::Map(map) if !map.go_type().is(target) => {
                    Value::from(map.converted(target)).with_taint(operand.value.taint())
                }
                _ => operand.value,
            });
        }
        let got = go_type.map_or(Type::INTERFACE.name, |go_type| go_type.name);
        let expected = target.name;
        Err(frame.fail(format!("wrong type for value; expected {expected}; got {got}")))
    }
}

fn int_data(target: &Type, value: i64) -> Data {
    match target.name {
        "int8" => Data::Int(IntType::Int8, (value as i8).into()),
        "int16" => Data::Int(IntType::Int16, (value as i16).into()),
        "int32" => Data::Int(IntType::Int32, (value as i32).into()),
        "int64" => Data::Int(IntType::Int64, value),
        _ => Data::Int(IntType::Int, value),
    }
}

fn uint_data(target: &Type, value: u64) -> Data {
    match target.name {
        "uint8" => Data::Uint(UintType::Uint8, (value as u8).into()),
        "uint16" => Data::Uint(UintType::Uint16, (value as u16).into()),
        "uint32" => Data::Uint(UintType::Uint32, (value as u32).into()),
        "uint64" => Data::Uint(UintType::Uint64, value),
        _ => Data::Uint(UintType::Uint, value),
    }
}
