//! What a branch changes, or would have changed, outside of itself.
//!
//! A variable assigned in a branch depends on the branch's condition whether the branch was taken
//! or not; so does a map that a function changes in place, and what follows a `break`.

use super::super::ast::{Branch, BranchKind, Effect, Module, NodeId, NodeKind, names};
use super::super::{Data, Map};
use super::frame::{Frame, Operand};
use super::{Exec, Executor};
use crate::provenance::{InputSet, Taint};

impl Executor<'_> {
    /// Ends a branch: goes back to the conditions around it and marks what it may have changed.
    pub(super) fn settle(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        branch: &Branch,
        (outer, condition): (InputSet, InputSet),
    ) -> Exec<()> {
        let inner = self.tracker.replace_control(outer);
        let (from, to) = branch.effects;
        let taint = Taint { data: InputSet::EMPTY, control: condition };
        for effect in &module.effects[from as usize..to as usize] {
            match effect {
                // What happens after a `break` depends on all conditions on the way to it. The
                // loop around restores its own.
                Effect::Escape if branch.kind != BranchKind::Range => {
                    self.tracker.replace_control(inner);
                }
                _ if condition.is_empty() => {}
                Effect::Escape => {}
                Effect::Assign(name) => {
                    // Declared inside the branch, then assigned: gone by now.
                    if let Some(variable) = frame.peek_variable(*name) {
                        variable.value.add_taint(&mut self.tracker, taint);
                    }
                }
                Effect::Mutate { target, key } => {
                    if let Some(map) = self.peek_map(frame, module, dot, *target) {
                        map.condition(&mut self.tracker, key.as_deref(), condition);
                    }
                }
            }
        }
        self.charge(frame, u64::from(to - from))
    }

    /// The map an operand stands for, if finding out has no effect and cannot fail.
    fn peek_map(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
    ) -> Option<Map> {
        let (start, fields) = match module.kind(node) {
            NodeKind::Dot => (dot.value.clone(), ""),
            NodeKind::Field(fields) => (dot.value.clone(), module.fields(*fields)),
            NodeKind::Variable(name, fields) => {
                (frame.peek_variable(*name)?.value.clone(), module.fields(*fields))
            }
            _ => return None,
        };
        let step = |value: super::super::Value, field: &str| value.as_map()?.get(field);
        match names(fields).try_fold(start, step)?.into_data() {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }
}
