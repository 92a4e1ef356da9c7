//! Walks lists, actions, branches and template calls.

use super::super::ast::{Branch, BranchKind, Module, NodeId, NodeKind};
use super::super::format;
use super::super::quote::quote;
use super::super::{Data, FuncError, Text, TextBuilder, Value};
use super::frame::{Frame, Operand};
use super::{Exec, Executor};

/// How a node was left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Next,
    Break,
    Continue,
}

impl Executor<'_> {
    /// Executes a node. What it calls is kept out of line: this is the frame that nested blocks
    /// multiply.
    pub(super) fn walk(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
    ) -> Exec<Flow> {
        frame.at = node;
        self.charge(frame, 1)?;
        match module.kind(node) {
            NodeKind::List(nodes) => {
                for node in module.list(*nodes) {
                    let flow = self.walk(frame, module, dot, *node)?;
                    if flow != Flow::Next {
                        return Ok(flow);
                    }
                }
            }
            NodeKind::Text => self.print_text(frame, module, node)?,
            NodeKind::Action(pipe) => self.action(frame, module, dot, node, *pipe)?,
            NodeKind::Branch(branch) => {
                return self.branch(frame, module, dot, node, module.branch(*branch));
            }
            NodeKind::Template { name, pipe } => {
                self.template(frame, module, dot, (node, name), *pipe)?;
            }
            NodeKind::Break => return Ok(Flow::Break),
            NodeKind::Continue => return Ok(Flow::Continue),
            _ => return Err(frame.unknown()),
        }
        Ok(Flow::Next)
    }

    #[inline(never)]
    fn print_text(&mut self, frame: &mut Frame<'_>, module: &Module, node: NodeId) -> Exec<()> {
        let bytes = module.bytes(node);
        let position = module.position(node);
        let place = self.tracker.place(position, true);
        let taint = self.tracker.around();
        match (self.tracker.mixed_text(), place) {
            (Some(text), Some(place)) => {
                let range = position.start as usize..position.end as usize;
                self.out.print_written(&mut self.tracker, &text, range, place, taint);
            }
            (_, place) => self.out.print_literal(bytes, place, taint),
        }
        self.charge_bytes(frame, bytes.len())
    }

    #[inline(never)]
    fn action(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        node: NodeId,
        pipe: NodeId,
    ) -> Exec<()> {
        let outer = self.tracker.enter(module.position(node));
        let value = self.pipeline(frame, module, dot, pipe)?.value;
        let NodeKind::Pipe(pipe) = module.kind(pipe) else { return Ok(()) };
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
        self.charge_bytes(frame, self.out.len() - before)
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
        module: &Module,
        dot: &Operand,
        node: NodeId,
        branch: &Branch,
    ) -> Exec<Flow> {
        let mark = frame.mark();
        let state = self.tracker.enter(module.position(node));
        let value = self.pipeline(frame, module, dot, branch.pipe)?;
        let outer = self.tracker.control();
        let condition = self.tracker.condition(&value.value);
        let flow = match branch.kind {
            BranchKind::Range => self.range(frame, module, dot, branch, value)?,
            kind => {
                let taken = value.value.truth();
                let body = if taken { Some(branch.body) } else { branch.otherwise };
                let inner = if taken && kind == BranchKind::With { &value } else { dot };
                self.mark_absent(module, node, body);
                body.map_or(Ok(Flow::Next), |body| self.walk(frame, module, inner, body))?
            }
        };
        frame.pop_to(mark);
        self.settle(frame, module, dot, branch, (outer, condition))?;
        self.tracker.leave(state);
        Ok(flow)
    }

    /// Leaves an empty run, which carries the condition, where a branch prints nothing.
    pub(super) fn mark_absent(&mut self, module: &Module, node: NodeId, body: Option<NodeId>) {
        if body.is_none() && !self.tracker.control().is_empty() {
            let position = module.position(node);
            let place = self.tracker.place(position, false);
            let taint = self.tracker.around();
            self.out.print_literal(b"", place, taint);
        }
    }

    #[inline(never)]
    fn template(
        &mut self,
        frame: &mut Frame<'_>,
        module: &Module,
        dot: &Operand,
        (node, name): (NodeId, &str),
        pipe: Option<NodeId>,
    ) -> Exec<()> {
        let outer = self.tracker.enter(module.position(node));
        let Some(tree) = self.find(name).cloned() else {
            let name = quote(name.as_bytes());
            return Err(frame.fail(format!("template {name} not defined")));
        };
        if self.depth >= self.options.max_depth {
            return Err(frame.fail(self.too_deep()));
        }
        let data = match pipe {
            Some(pipe) => self.pipeline(frame, module, dot, pipe)?.value,
            None => Value::NIL,
        };
        self.enter(&tree, data)?;
        self.tracker.leave(outer);
        Ok(())
    }
}
