//! Executes lists, actions, branches and template calls.

use super::frame::{Frame, Scope};
use super::{Exec, Executor};
use crate::ast::{Branch, BranchKind, NodeId, NodeKind};
use crate::error::FuncError;
use crate::format;
use crate::quote::quote;
use crate::text::Text;
use crate::text_builder::TextBuilder;
use crate::value::{Data, Value};

/// How execution continues after a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
}

/// Bytes that the origin of a printed piece takes, about.
const PIECE: usize = 32;

impl Executor<'_> {
    /// Executes a node. Its callees stay out of line, because nested blocks multiply the stack frame of
    /// this function.
    pub(super) fn walk(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
    ) -> Exec<Flow> {
        frame.at = node;
        self.charge(frame, 1)?;
        match scope.source.kind(node) {
            NodeKind::List(nodes) => {
                for node in scope.source.list(*nodes) {
                    let flow = self.walk(frame, scope, *node)?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
            }
            NodeKind::Text => self.print_text(frame, scope, node)?,
            NodeKind::Action(pipe) => self.action(frame, scope, node, *pipe)?,
            NodeKind::Branch(branch) => {
                return self.branch(frame, scope, node, scope.source.branch(*branch));
            }
            NodeKind::Template { name, pipe } => {
                self.template(frame, scope, (node, name), *pipe)?;
            }
            NodeKind::Break => return Ok(Flow::Break),
            NodeKind::Continue => return Ok(Flow::Continue),
            _ => return Err(frame.unknown()),
        }
        Ok(Flow::Next)
    }

    #[inline(never)]
    fn print_text(&mut self, frame: &mut Frame<'_>, scope: Scope<'_>, node: NodeId) -> Exec<()> {
        let bytes = scope.source.bytes(node);
        let position = scope.source.position(node);
        let id = self.tracker.add_position(position, true);
        let taint = self.tracker.around();
        match (self.tracker.mixed_source(), id) {
            (Some(spans), Some(id)) => {
                let literal = (bytes, position.start as usize);
                self.out.print_sourced_literal(&mut self.tracker, literal, &spans, id, taint);
            }
            (_, id) => self.out.print_literal(bytes, id, taint),
        }
        self.charge_bytes(frame, bytes.len() + PIECE)
    }

    #[inline(never)]
    fn action(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
        pipe: NodeId,
    ) -> Exec<()> {
        let outer = self.tracker.enter(scope.source.position(node));
        let value = self.pipeline(frame, scope, pipe)?.value;
        let NodeKind::Pipe(pipe) = scope.source.kind(pipe) else { return Ok(()) };
        if pipe.declares.is_empty() {
            frame.at = node;
            self.print(frame, &value)?;
        }
        self.tracker.leave(outer);
        Ok(())
    }

    fn print(&mut self, frame: &Frame<'_>, value: &Value) -> Exec<()> {
        let ambient = self.tracker.ambient();
        let taint = self.tracker.join(value.taint(), ambient);
        let before = self.out.len();
        match value.data() {
            Data::String(text) => self.out.print_text(&mut self.tracker, text, taint),
            Data::Nil | Data::NilInterface => {
                self.out.push(&mut self.tracker, "<no value>", taint);
            }
            data => match self.sprint(data, value) {
                Ok(text) => self.out.print_text(&mut self.tracker, &text, ambient),
                Err(error) => return Err(frame.fail(error.to_string())),
            },
        }
        self.charge_bytes(frame, self.out.len() - before + PIECE)
    }

    fn sprint(&mut self, data: &Data, value: &Value) -> Result<Text, FuncError> {
        if let Data::Object(object) = data
            && let Some(text) = object.pointer_string()
        {
            let taint = value.observed_deep(&mut self.tracker);
            let mut out = TextBuilder::new();
            out.push(&mut self.tracker, text, taint);
            return Ok(out.finish_text());
        }
        format::sprint(&mut self.tracker, value)
    }

    #[inline(never)]
    fn branch(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        node: NodeId,
        branch: &Branch,
    ) -> Exec<Flow> {
        let mark = frame.mark();
        let state = self.tracker.enter(scope.source.position(node));
        let value = self.pipeline(frame, scope, branch.pipe)?;
        let outer = self.tracker.control();
        let tested = value.value.observed(&mut self.tracker);
        let condition = self.tracker.add_condition(tested);
        let flow = match branch.kind {
            BranchKind::Range => self.range(frame, scope, branch, value)?,
            kind => {
                let taken = value.value.truth();
                let body = if taken { Some(branch.body) } else { branch.otherwise };
                let is_with = taken && kind == BranchKind::With;
                let inner = if is_with { Scope { dot: &value, ..scope } } else { scope };
                self.mark_absent(scope, node, body);
                body.map_or(Ok(Flow::Next), |body| self.walk(frame, inner, body))?
            }
        };
        frame.pop_to(mark);
        self.settle(frame, scope, branch, (outer, condition))?;
        self.tracker.leave(state);
        Ok(flow)
    }

    /// Leaves an empty run, which carries the condition, where a branch without a body prints nothing.
    pub(super) fn mark_absent(&mut self, scope: Scope<'_>, node: NodeId, body: Option<NodeId>) {
        if body.is_none() && !self.tracker.control().is_empty() {
            let position = scope.source.position(node);
            let id = self.tracker.add_position(position, false);
            let taint = self.tracker.around();
            self.out.print_literal(b"", id, taint);
        }
    }

    #[inline(never)]
    fn template(
        &mut self,
        frame: &mut Frame<'_>,
        scope: Scope<'_>,
        (node, name): (NodeId, &str),
        pipe: Option<NodeId>,
    ) -> Exec<()> {
        let outer = self.tracker.enter(scope.source.position(node));
        let Some(tree) = self.find(name).cloned() else {
            let name = quote(name.as_bytes());
            let absent = self.absent();
            let absent =
                absent.ok_or_else(|| frame.fail(format!("template {name} not defined")))?;
            self.print(frame, &absent)?;
            self.tracker.leave(outer);
            return Ok(());
        };
        if self.depth >= self.options.max_depth {
            return Err(frame.fail(self.too_deep()));
        }
        let data = match pipe {
            Some(pipe) => self.pipeline(frame, scope, pipe)?.value,
            None => Value::NIL,
        };
        self.enter(&tree, data)?;
        self.tracker.leave(outer);
        Ok(())
    }
}
