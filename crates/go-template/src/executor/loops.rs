//! `range`.

use std::ops::Range;

use super::frame::{Frame, Operand, Scope};
use super::nodes::Flow;
use super::{Exec, Executor};
use crate::ast::{Branch, NodeKind, Pipe, Source};
use crate::format;
use crate::provenance::Taint;
use crate::types::Type;
use crate::value::{Data, List, Map, UintType, Value};

/// A loop being executed.
struct Loop<'l, 't> {
    frame: &'l mut Frame<'t>,
    source: &'l Source,
    branch: &'l Branch,
    pipe: &'l Pipe,
    /// Whether a `break` was executed.
    is_done: bool,
    /// The number of iterations begun.
    turns: u64,
    /// The [`Tracker::path`](crate::Tracker) around the loop.
    path: u64,
}

impl Executor<'_> {
    /// The loop of a `range` over the value of its pipeline.
    pub(super) fn range(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        branch: &Branch,
        over: Operand,
    ) -> Exec<Flow> {
        let source = scope.source;
        let NodeKind::Pipe(pipe) = source.kind(branch.pipe) else { return Ok(Flow::Next) };
        let path = self.tracker.path();
        let mut looped = Loop { frame, source, branch, pipe, is_done: false, turns: 0, path };
        self.iterate(&mut looped, &over.value)?;
        if looped.turns > 0 {
            return Ok(Flow::Next);
        }
        let Loop { frame, .. } = looped;
        self.mark_absent(scope, branch.pipe, branch.otherwise);
        match branch.otherwise {
            Some(otherwise) => self.walk(frame, scope, otherwise),
            None => Ok(Flow::Next),
        }
    }

    fn iterate(&mut self, looped: &mut Loop<'_, '_>, over: &Value) -> Exec<()> {
        let taint = over.taint();
        match over.data() {
            Data::Int(_, n) => self.count(looped, 0..*n, over),
            Data::Uint(_, n) => self.count(looped, 0..i64::try_from(*n).unwrap_or(i64::MAX), over),
            Data::List(list) => self.range_over_list(looped, list, taint),
            Data::Map(map) => self.range_over_map(looped, map, taint),
            Data::Bytes(text) => {
                for (i, byte) in text.as_bytes().iter().enumerate() {
                    let index = Operand::from(Value::int(i as i64));
                    let byte = Value::new(Data::Uint(UintType::Uint8, (*byte).into()), taint);
                    self.item(looped, index, (byte, &Type::UINT8), taint)?;
                }
                Ok(())
            }
            Data::Nil | Data::NilInterface => Ok(()),
            data => {
                let text = match data {
                    Data::Object(object) => format::sprint_fields(&mut self.tracker, &**object),
                    _ => format::sprint(&mut self.tracker, over),
                };
                let text = text.unwrap_or_else(|_| "".into());
                let message = format!("range can't iterate over {}", text.to_str());
                Err(looped.frame.fail(message))
            }
        }
    }

    fn range_over_list(
        &mut self,
        looped: &mut Loop<'_, '_>,
        list: &List,
        taint: Taint,
    ) -> Exec<()> {
        let slot = list.go_type().element();
        let shape = self.tracker.join(list.shape(), taint);
        self.charge(looped.frame, list.len() as u64 / 16)?;
        for (i, item) in list.items().iter().enumerate() {
            let index = Value::int(i as i64).with_taint(shape);
            self.item(looped, Operand::from(index), (item.clone(), slot), taint)?;
        }
        Ok(())
    }

    fn range_over_map(&mut self, looped: &mut Loop<'_, '_>, map: &Map, taint: Taint) -> Exec<()> {
        let slot = map.go_type().element();
        self.charge(looped.frame, map.len() as u64 / 16)?;
        for (key, value) in map.entries() {
            let observed = value.observed(&mut self.tracker);
            let observed = self.tracker.join(observed, taint);
            let key = Value::from(&*key).with_taint(observed);
            self.item(looped, Operand::from(key), (value, slot), taint)?;
        }
        Ok(())
    }

    fn count(&mut self, looped: &mut Loop<'_, '_>, range: Range<i64>, n: &Value) -> Exec<()> {
        if looped.source.declared(looped.pipe).len() > 1 {
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
        let Loop { frame, source, branch, pipe, .. } = looped;
        match (pipe.is_assignment, source.declared(pipe)) {
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
        let scope = Scope { source, dot: &item, wanted: None };
        let flow = self.walk(frame, scope, branch.body)?;
        frame.pop_to(mark);
        looped.is_done = flow == Flow::Break;
        Ok(())
    }
}
