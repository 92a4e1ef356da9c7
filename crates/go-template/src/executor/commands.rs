//! Evaluates pipelines and their commands.

use super::frame::{Frame, Operand, Scope};
use super::{Exec, Executor};
use crate::ast::{CalleeId, NodeId, NodeKind};
use crate::number::Number;
use crate::provenance::Taint;
use crate::quote::quote;
use crate::text::Text;
use crate::value::Value;

/// The words of a command; the first names what is called. Empty for an argument without words of its
/// own.
pub(super) type Words<'w> = &'w [NodeId];

impl Executor<'_> {
    /// The value of a pipeline; declares or assigns its variables.
    pub(super) fn pipeline(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
    ) -> Exec<Operand> {
        frame.at = node;
        self.charge(frame, 1)?;
        let NodeKind::Pipe(pipe) = scope.source.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let commands = scope.source.list(pipe.commands);
        let mut last = None;
        for (number, command) in commands.iter().enumerate() {
            let is_result = number + 1 == commands.len() && pipe.declares.is_empty();
            let wanted = scope.wanted.filter(|_| is_result);
            let scope = Scope { wanted, ..scope };
            last = Some(self.command(frame, scope, *command, last)?.unboxed());
        }
        let value = last.unwrap_or_else(|| Operand::from(Value::NIL));
        for name in scope.source.declared(pipe) {
            if pipe.is_assignment {
                let mut value = value.clone();
                let taint = Taint::control(self.tracker.control());
                value.value.add_taint(&mut self.tracker, taint);
                *frame.variable(*name)?.0 = value;
            } else {
                frame.push(*name, value.clone());
            }
        }
        Ok(value)
    }

    /// The value of a command; `last` is the value of the previous command of the pipeline.
    fn command(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let NodeKind::Command(words) = scope.source.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let words = scope.source.list(*words);
        let first = words[0];
        match scope.source.kind(first) {
            NodeKind::Field(fields) => {
                frame.at = first;
                let fields = scope.source.fields(*fields);
                self.field_chain(frame, scope, scope.dot.clone(), (first, fields), words, last)
            }
            NodeKind::Chain(..) => self.chain(frame, scope, first, words, last),
            NodeKind::Function(id) => {
                frame.at = first;
                self.function(frame, scope, (*id, node), words, last)
            }
            NodeKind::Pipe(_) => {
                self.not_a_function(frame, scope, words, last.as_ref())?;
                self.pipeline(frame, scope, first)
            }
            NodeKind::Variable(..) => self.variable(frame, scope, first, words, last),
            _ => {
                frame.at = first;
                self.not_a_function(frame, scope, words, last.as_ref())?;
                self.constant(frame, scope, first)
            }
        }
    }

    /// A word that is a command on its own and takes no arguments.
    fn constant(&mut self, frame: &Frame<'_>, scope: Scope<'_>, node: NodeId) -> Exec<Operand> {
        match scope.source.kind(node) {
            NodeKind::Dot => Ok(scope.dot.clone()),
            NodeKind::Nil => Err(frame.fail("nil is not a command")),
            NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::String(_) => {
                self.literal(frame, scope, node).map(Operand::from)
            }
            _ => Err(frame.fail(format!("can't evaluate command {:?}", scope.source.print(node)))),
        }
    }

    /// A literal, in the type that its syntax gives it.
    pub(super) fn literal(
        &mut self,
        frame: &Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
    ) -> Exec<Value> {
        match scope.source.kind(node) {
            NodeKind::Bool(value) => Ok(Value::from(*value)),
            NodeKind::String(text) => {
                let mut inside = scope.source.position(node);
                inside.start += 1;
                inside.end -= 1;
                let is_verbatim = text.len() == (inside.end - inside.start) as usize;
                let id = self.tracker.add_position(inside, is_verbatim);
                let taint = self.tracker.source_taint(inside);
                Ok(Value::from(Text::literal(text.clone(), id)).with_taint(taint))
            }
            NodeKind::Number(number) => match **number {
                Number { is_float: true, float: Some(float), .. } => Ok(Value::from(float)),
                Number { int: Some(int), .. } => Ok(Value::int(int)),
                _ => Err(frame.fail(format!("{} overflows int", scope.source.print(node)))),
            },
            _ => Ok(Value::NIL),
        }
    }

    /// Fails if a command whose first word is no function has arguments.
    fn not_a_function(
        &self,
        frame: &Frame<'_>,
        scope: Scope<'_>,
        words: Words<'_>,
        last: Option<&Operand>,
    ) -> Exec<()> {
        if words.len() < 2 && last.is_none() {
            return Ok(());
        }
        let first = words.first().map(|first| scope.source.print(*first)).unwrap_or_default();
        Err(frame.fail(format!("can't give argument to non-function {first}")))
    }

    /// Fields of a pipeline or function call: `(…).A.B`.
    pub(super) fn chain(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        frame.at = node;
        let NodeKind::Chain(inner, fields) = scope.source.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let fields = scope.source.fields(*fields);
        let receiver = match scope.source.kind(*inner) {
            NodeKind::Nil => {
                let chain = scope.source.print(node);
                return Err(frame.fail(format!("indirection through explicit nil in {chain}")));
            }
            NodeKind::Pipe(_) => {
                frame.at = *inner;
                self.pipeline(frame, Scope { wanted: Some(fields), ..scope }, *inner)?
            }
            NodeKind::Function(id) => {
                frame.at = *inner;
                self.function(frame, scope, (*id, *inner), &[], None)?
            }
            _ => Operand::from(Value::NIL),
        };
        self.field_chain(frame, scope, receiver, (node, fields), words, last)
    }

    /// A variable and the fields that follow it.
    pub(super) fn variable(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        frame.at = node;
        let NodeKind::Variable(name, fields) = scope.source.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let (value, cost) = frame.variable(*name)?;
        let value = value.clone();
        self.charge(frame, cost as u64 / 64)?;
        if fields.is_empty() {
            self.not_a_function(frame, scope, words, last.as_ref())?;
            return Ok(value);
        }
        let fields = scope.source.fields(*fields);
        self.field_chain(frame, scope, value, (node, fields), words, last)
    }

    /// Calls a function; `node` is the node that its errors name.
    pub(super) fn function(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        (id, node): (CalleeId, NodeId),
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let name = scope.source.callee(id).name;
        let Some(spec) = self.functions.find(name) else {
            let name = quote(name.as_bytes());
            return Err(frame.fail(format!("{name} is not a defined function")));
        };
        self.call_function(frame, scope, (spec, node), words, last)
    }
}
