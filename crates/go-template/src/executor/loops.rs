//! `range`.

use std::ops::Range;

use super::super::ast::{Branch, Module, NodeKind, Pipe};
use super::super::{Data, Type, UintType, Value, format};
use super::frame::{Frame, Operand};
use super::nodes::Flow;
use super::{Exec, Executor};
use crate::provenance::Taint;

impl Executor<'_> {
    /// The loop of a `range` whose pipeline gave `over`.
    pub(super) fn range(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        branch: &Branch,
        over: Operand,
    ) -> Exec<Flow> {
        let NodeKind::Pipe(pipe) = module.kind(branch.pipe) else { return Ok(Flow::Next) };
        let path = self.tracker.path();
        let mut looped = Loop { frame, module, branch, pipe, is_done: false, turns: 0, path };
        let value = over.value;
        let taint = value.taint();
        match value.data() {
            Data::Int(_, n) => self.count(&mut looped, 0..*n, &value)?,
            Data::Uint(_, n) => {
                self.count(&mut looped, 0..i64::try_from(*n).unwrap_or(i64::MAX), &value)?;
            }
            Data::List(list) => {
                let slot = list.go_type().element();
                let shape = self.tracker.join(list.shape(), taint);
                for (i, item) in list.items().iter().enumerate() {
                    let index = Value::int(i as i64).with_taint(shape);
                    self.item(&mut looped, Operand::from(index), (item.clone(), slot), taint)?;
                }
            }
            Data::Map(map) => {
                let slot = map.go_type().element();
                for (key, value) in map.entries() {
                    let observed = value.observed(&mut self.tracker);
                    let observed = self.tracker.join(observed, taint);
                    let key = Value::from(&*key).with_taint(observed);
                    self.item(&mut looped, Operand::from(key), (value, slot), taint)?;
                }
            }
            Data::Bytes(text) => {
                for (i, byte) in text.as_bytes().iter().enumerate() {
                    let index = Operand::from(Value::int(i as i64));
                    let byte = Value::new(Data::Uint(UintType::Uint8, (*byte).into()), taint);
                    self.item(&mut looped, index, (byte, &Type::UINT8), taint)?;
                }
            }
            Data::Nil | Data::NilInterface => {}
            data => {
                let text = match data {
                    Data::Object(object) => format::sprint_fields(&mut self.tracker, &**object),
                    _ => format::sprint(&mut self.tracker, &value),
                };
                let text = text.unwrap_or_else(|_| "".into());
                let message = format!("range can't iterate over {}", text.to_str());
                return Err(looped.frame.fail(message));
            }
        }
        if looped.turns > 0 {
            return Ok(Flow::Next);
        }
        let Loop { frame, .. } = looped;
        self.mark_absent(module, branch.pipe, branch.otherwise);
        match branch.otherwise {
            Some(otherwise) => self.walk(frame, module, dot, otherwise),
            None => Ok(Flow::Next),
        }
    }

    fn count(&mut self, looped: &mut Loop<'_, '_>, range: Range<i64>, n: &Value) -> Exec<()> {
        if looped.module.declared(looped.pipe).len() > 1 {
            let n = format::sprint(&mut self.tracker, n).unwrap_or_else(|_| "".into());
            let n = n.to_str();
            let message = format!("can't use {n} to iterate over more than one variable");
            return Err(looped.frame.fail(message));
        }
        let go_type = n.go_type().unwrap_or(&Type::INT);
        for i in range {
            if looped.is_done {
                break;
            }
            let data = match n.data() {
                Data::Int(int, _) => Data::Int(*int, i),
                Data::Uint(uint, _) => Data::Uint(*uint, i as u64),
                _ => break,
            };
            let item = Value::new(data, n.taint());
            self.item(looped, Operand::from(Value::NIL), (item, go_type), Taint::NONE)?;
        }
        Ok(())
    }

    /// One iteration.
    fn item(
        &mut self,
        looped: &mut Loop<'_, '_>,
        index: Operand,
        (mut item, slot): (Value, &Type),
        taint: Taint,
    ) -> Exec<()> {
        if looped.is_done {
            return Ok(());
        }
        looped.turns += 1;
        self.tracker.enter_turn(looped.path, looped.turns);
        item.add_taint(&mut self.tracker, taint);
        let item = Operand::from_slot(item, slot);
        let Loop { frame, module, branch, pipe, .. } = looped;
        match (pipe.is_assignment, module.declared(pipe)) {
            (_, []) => {}
            (true, [only]) => *frame.variable(*only)?.0 = item.clone(),
            (true, [first, second, ..]) => {
                *frame.variable(*first)?.0 = index;
                *frame.variable(*second)?.0 = item.clone();
            }
            (false, declares) => {
                frame.set_top(1, item.clone());
                if declares.len() > 1 {
                    frame.set_top(2, index);
                }
            }
        }
        let mark = frame.mark();
        let flow = self.walk(frame, module, &item, branch.body)?;
        frame.pop_to(mark);
        looped.is_done = flow == Flow::Break;
        Ok(())
    }
}

struct Loop<'l, 't> {
    frame: &'l mut Frame<'t>,
    module: &'l Module,
    branch: &'l Branch,
    pipe: &'l Pipe,
    /// A `break` was executed.
    is_done: bool,
    /// Turns begun.
    turns: u64,
    /// The [`Tracker::path`](super::super::Tracker) around the loop.
    path: u64,
}
