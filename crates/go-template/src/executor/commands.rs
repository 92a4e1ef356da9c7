//! Evaluates pipelines and their commands.

use super::super::Value;
use super::super::ast::{FunctionId, Module, NodeId, NodeKind};
use super::super::number::Number;
use super::frame::{Frame, Operand};
use super::{Exec, Executor};
use crate::provenance::{InputSet, Taint};

/// The words of a command: the first names what is called. Empty where an argument stands alone.
pub(super) type Words<'w> = &'w [NodeId];

impl Executor<'_> {
    /// The value of a pipeline; declares or assigns its variables.
    pub(super) fn pipeline(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
    ) -> Exec<Operand> {
        frame.at = node;
        self.charge(frame, 1)?;
        let NodeKind::Pipe(pipe) = module.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let mut last = None;
        for command in module.list(pipe.commands) {
            last = Some(self.command(frame, module, dot, *command, last)?.unboxed());
        }
        let value = last.unwrap_or_else(|| Operand::from(Value::NIL));
        for name in module.declared(pipe) {
            if pipe.is_assignment {
                let mut value = value.clone();
                let taint = Taint { data: InputSet::EMPTY, control: self.tracker.control() };
                value.value.add_taint(&mut self.tracker, taint);
                *frame.variable(*name)?.0 = value;
            } else {
                frame.push(*name, value.clone());
            }
        }
        Ok(value)
    }

    /// The value of a command, given that of the command before it.
    fn command(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let NodeKind::Command(words) = module.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let words = module.list(*words);
        let first = words[0];
        match module.kind(first) {
            NodeKind::Field(fields) => {
                frame.at = first;
                let fields = module.fields(*fields);
                self.field_chain(frame, module, dot, dot.clone(), (first, fields), words, last)
            }
            NodeKind::Chain(..) => self.chain(frame, module, dot, first, words, last),
            NodeKind::Function(id) => {
                frame.at = first;
                self.function(frame, module, dot, (*id, node), words, last)
            }
            NodeKind::Pipe(_) => {
                self.not_a_function(frame, module, words, last.as_ref())?;
                self.pipeline(frame, module, dot, first)
            }
            NodeKind::Variable(..) => self.variable(frame, module, dot, first, words, last),
            _ => {
                frame.at = first;
                self.not_a_function(frame, module, words, last.as_ref())?;
                self.constant(frame, module, dot, first)
            }
        }
    }

    /// A word that can be a command but not take arguments.
    fn constant(
        &mut self,
        frame: &Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
    ) -> Exec<Operand> {
        match module.kind(node) {
            NodeKind::Dot => Ok(dot.clone()),
            NodeKind::Nil => Err(frame.fail("nil is not a command")),
            NodeKind::Bool(_) | NodeKind::Number(_) | NodeKind::String(_) => {
                self.literal(frame, module, node).map(Operand::from)
            }
            _ => Err(frame.fail(format!("can't evaluate command {:?}", module.print(node)))),
        }
    }

    /// A literal under the type its syntax gives it.
    pub(super) fn literal(
        &mut self,
        frame: &Frame<'_>,
        module: &Module,
        node: NodeId,
    ) -> Exec<Value> {
        match module.kind(node) {
            NodeKind::Bool(value) => Ok(Value::from(*value)),
            NodeKind::String(text) => {
                let mut inside = module.position(node);
                inside.start += 1;
                inside.end -= 1;
                let is_verbatim = text.len() == (inside.end - inside.start) as usize;
                let place = self.tracker.place(inside, is_verbatim);
                let taint = self.tracker.written(inside);
                Ok(Value::from(super::Text::at(text.clone(), place)).with_taint(taint))
            }
            NodeKind::Number(number) => match **number {
                Number { is_float: true, float: Some(float), .. } => Ok(Value::from(float)),
                Number { int: Some(int), .. } => Ok(Value::int(int)),
                _ => Err(frame.fail(format!("{} overflows int", module.print(node)))),
            },
            _ => Ok(Value::NIL),
        }
    }

    fn not_a_function(
        &self,
        frame: &Frame<'_>,
        module: &Module,
        words: Words<'_>,
        last: Option<&Operand>,
    ) -> Exec<()> {
        if words.len() < 2 && last.is_none() {
            return Ok(());
        }
        let first = words.first().map(|first| module.print(*first)).unwrap_or_default();
        Err(frame.fail(format!("can't give argument to non-function {first}")))
    }

    pub(super) fn chain(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        frame.at = node;
        let NodeKind::Chain(inner, fields) = module.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let receiver = match module.kind(*inner) {
            NodeKind::Nil => {
                let chain = module.print(node);
                return Err(frame.fail(format!("indirection through explicit nil in {chain}")));
            }
            NodeKind::Pipe(_) => {
                frame.at = *inner;
                self.pipeline(frame, module, dot, *inner)?
            }
            NodeKind::Function(id) => {
                frame.at = *inner;
                self.function(frame, module, dot, (*id, *inner), &[], None)?
            }
            _ => Operand::from(Value::NIL),
        };
        let fields = module.fields(*fields);
        self.field_chain(frame, module, dot, receiver, (node, fields), words, last)
    }

    pub(super) fn variable(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        frame.at = node;
        let NodeKind::Variable(name, fields) = module.kind(node) else {
            return Ok(Operand::from(Value::NIL));
        };
        let (value, cost) = frame.variable(*name)?;
        let value = value.clone();
        self.charge(frame, cost as u64 / 64)?;
        if fields.is_empty() {
            self.not_a_function(frame, module, words, last.as_ref())?;
            return Ok(value);
        }
        let fields = module.fields(*fields);
        self.field_chain(frame, module, dot, value, (node, fields), words, last)
    }

    /// Calls a function; `node` is where its errors are reported.
    pub(super) fn function(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        (id, node): (FunctionId, NodeId),
        words: Words<'_>,
        last: Option<Operand>,
    ) -> Exec<Operand> {
        let spec = module.functions[id.0 as usize];
        self.call_function(frame, module, dot, (spec, node), words, last)
    }
}
