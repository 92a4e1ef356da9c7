//! A template being executed: its variables, and the node being evaluated.

use super::Exec;
use crate::ast::{NodeId, Source, Tree, VarId};
use crate::error::{ErrorContext, ExecError, FuncError};
use crate::types::{GoKind, Type};
use crate::value::{Data, Value};

/// A value as `reflect.Value` holds it: possibly still inside a variable of type `interface{}`,
/// which only messages and nils reveal.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) value: Value,
    pub(super) is_boxed: bool,
}

impl From<Value> for Operand {
    fn from(value: Value) -> Self {
        Self { value, is_boxed: false }
    }
}

impl Operand {
    /// A value taken from a slot of type `slot`.
    pub(super) fn from_slot(value: Value, slot: &Type) -> Self {
        if slot.kind != GoKind::Interface {
            return Self::from(value);
        }
        let taint = value.taint();
        let value = if value.is_nil() { Value::new(Data::NilInterface, taint) } else { value };
        Self { value, is_boxed: true }
    }

    /// The value inside the `interface{}`.
    pub(super) fn unboxed(self) -> Self {
        let taint = self.value.taint();
        let is_nil = matches!(self.value.data(), Data::NilInterface);
        let value = if is_nil { Value::new(Data::Nil, taint) } else { self.value };
        Self { value, is_boxed: false }
    }

    /// Whether there is no value at all.
    pub(super) fn is_invalid(&self) -> bool {
        matches!(self.value.data(), Data::Nil)
    }

    pub(super) fn is_nil_interface(&self) -> bool {
        matches!(self.value.data(), Data::NilInterface)
    }

    /// The static type, as messages name it.
    pub(super) fn type_name(&self) -> &'static str {
        match self.value.go_type() {
            Some(go_type) if !self.is_boxed => go_type.name,
            _ => Type::INTERFACE.name,
        }
    }
}

/// What the nodes of a block are evaluated against.
#[derive(Clone, Copy)]
pub(super) struct Scope<'s> {
    pub(super) source: &'s Source,
    /// The value of `.`.
    pub(super) dot: &'s Operand,
    /// The fields that alone are read of the value of a pipeline: `.A.B` for `(…).A.B`.
    pub(super) wanted: Option<&'s str>,
}

/// The variables of a template being executed.
pub(super) struct Frame<'t> {
    pub(super) tree: &'t Tree,
    /// Innermost last.
    variables: Vec<(VarId, Operand)>,
    /// The node that errors are reported at.
    pub(super) at: NodeId,
}

impl<'t> Frame<'t> {
    pub(super) fn new(tree: &'t Tree, data: Value) -> Self {
        // `$` is the first variable of every source.
        Self { tree, variables: vec![(VarId(0), Operand::from(data))], at: tree.root }
    }

    pub(super) fn mark(&self) -> usize {
        self.variables.len()
    }

    pub(super) fn pop_to(&mut self, mark: usize) {
        self.variables.truncate(mark);
    }

    pub(super) fn push(&mut self, name: VarId, value: Operand) {
        self.variables.push((name, value));
    }

    /// The innermost variable of this name, and the number of variables searched.
    pub(super) fn variable(&mut self, name: VarId) -> Exec<(&mut Operand, usize)> {
        let Some(index) = self.index_of(name) else {
            let name = self.tree.source.variable(name);
            return Err(self.fail(format!("undefined variable: {name}")));
        };
        let cost = self.variables.len() - index;
        Ok((&mut self.variables[index].1, cost))
    }

    /// The innermost variable of this name, if it is still in scope.
    pub(super) fn peek_variable(&mut self, name: VarId) -> Option<&mut Operand> {
        self.index_of(name).map(|index| &mut self.variables[index].1)
    }

    fn index_of(&self, name: VarId) -> Option<usize> {
        self.variables.iter().rposition(|(other, _)| *other == name)
    }

    /// Sets the variable `n` from the top; 1 is the last one pushed.
    pub(super) fn set_top(&mut self, n: usize, value: Operand) {
        let index = self.variables.len() - n;
        self.variables[index].1 = value;
    }

    /// An error at the current node.
    pub(super) fn fail(&self, message: impl Into<String>) -> Box<ExecError> {
        self.error(message.into(), None)
    }

    /// The error for a node of a kind that the parser does not put here.
    #[cold]
    pub(super) fn unknown(&self) -> Box<ExecError> {
        self.fail(format!("unknown node: {}", self.tree.source.print(self.at)))
    }

    /// The error of a function called at the current node.
    pub(super) fn fail_in(&self, function: &str, cause: FuncError) -> Box<ExecError> {
        self.error(format!("error calling {function}: "), Some(Box::new(cause)))
    }

    #[cold]
    fn error(&self, message: String, cause: Option<Box<FuncError>>) -> Box<ExecError> {
        let source = &self.tree.source;
        let at = Some(ErrorContext {
            position: source.position(self.at),
            location: source.location(self.at),
            node: source.print(self.at),
        });
        Box::new(ExecError { template: (*self.tree.name).into(), at, message, cause })
    }
}
