//! What a branch changes, or would have changed, outside of itself.
//!
//! Whether a branch is taken or not, its condition decides the value of every variable that it assigns,
//! the content of every map that its function calls change in place, and everything after its `break`.

use super::frame::{Frame, Scope};
use super::{Exec, Executor};
use crate::ast::{Branch, BranchKind, Effect, NodeId, NodeKind, names};
use crate::provenance::{InputSet, Taint};
use crate::value::{Data, Map, Value};

impl Executor<'_> {
    /// Ends a branch: restores the conditions around it and marks what it may have changed.
    pub(super) fn settle(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        branch: &Branch,
        (outer, condition): (InputSet, InputSet),
    ) -> Exec<()> {
        let inner = self.tracker.replace_control(outer);
        let (from, to) = branch.effects;
        let taint = Taint::control(condition);
        for effect in &scope.source.effects[from as usize..to as usize] {
            match effect {
                // Everything after a `break` depends on all conditions around it. The enclosing loop
                // restores its own.
                Effect::Escape if branch.kind != BranchKind::Range => {
                    self.tracker.replace_control(inner);
                }
                _ if condition.is_empty() => {}
                Effect::Escape => {}
                Effect::Assign(name) => {
                    // A variable that was declared inside the branch is out of scope by now.
                    if let Some(variable) = frame.peek_variable(*name) {
                        variable.value.add_taint(&mut self.tracker, taint);
                    }
                }
                Effect::Mutate { target, key } => {
                    if let Some(map) = self.peek_map(frame, scope, *target) {
                        self.would_change(&map);
                        map.add_condition(&mut self.tracker, key.as_deref(), condition);
                    }
                }
            }
        }
        self.charge(frame, u64::from(to - from))
    }

    /// The map that an operand stands for, if evaluating the operand has no effect and cannot fail.
    fn peek_map(&mut self, frame: &mut Frame<'_>, scope: Scope<'_>, node: NodeId) -> Option<Map> {
        let (start, fields) = match scope.source.kind(node) {
            NodeKind::Dot => (scope.dot.value.clone(), ""),
            NodeKind::Field(fields) => (scope.dot.value.clone(), scope.source.fields(*fields)),
            NodeKind::Variable(name, fields) => {
                (frame.peek_variable(*name)?.value.clone(), scope.source.fields(*fields))
            }
            _ => return None,
        };
        let step = |value: Value, field: &str| value.as_map()?.get(field);
        match names(fields).try_fold(start, step)?.into_data() {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }
}
