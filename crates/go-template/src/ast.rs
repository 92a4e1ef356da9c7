//! The parsed form of a template source: all nodes of one source in one table.
//!
//! Nodes refer to each other by index: a source nested as deep as the parser allows is dropped without
//! recursion, and threads can share it. Lists are ranges of further tables, and field names stay in the
//! source text, because most templates are parsed and never executed.

mod print;

use std::sync::Arc;

use crate::number::Number;
use crate::provenance::{FileId, Position};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VarId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CalleeId(pub(crate) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BranchId(pub(crate) u32);

/// A range of one of the tables of a [`Source`], or of its text.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TableRange {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// One parsed source. Several templates may be defined in it.
#[derive(Debug)]
pub(crate) struct Source {
    /// The name it was parsed under.
    pub(crate) name: Arc<str>,
    pub(crate) file: FileId,
    pub(crate) text: Arc<[u8]>,
    pub(crate) nodes: Vec<Node>,
    /// The entries of all lists, commands and pipelines.
    pub(crate) lists: Vec<NodeId>,
    pub(crate) branches: Vec<Branch>,
    /// The variables that pipelines declare or assign.
    pub(crate) declared: Vec<VarId>,
    /// Names of variables, with the dollar sign.
    pub(crate) variables: Vec<Arc<str>>,
    /// The functions that the source calls.
    pub(crate) callees: Vec<Callee>,
    /// What the branches change outside of themselves, in source order.
    pub(crate) effects: Vec<Effect>,
}

/// A function, as far as the parser has to know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Callee {
    pub(crate) name: &'static str,
    /// Whether calls change the first argument in place.
    pub(crate) mutates: bool,
}

#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    /// The byte range that Go reports for the node.
    pub(crate) start: u32,
    pub(crate) end: u32,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    /// The bytes `start..end` of the source.
    Text,
    Action(NodeId),
    Branch(BranchId),
    Template {
        name: Arc<str>,
        pipe: Option<NodeId>,
    },
    Break,
    Continue,
    /// A range of [`Source::lists`].
    List(TableRange),
    Pipe(Pipe),
    /// The words, as a range of [`Source::lists`].
    Command(TableRange),
    Function(CalleeId),
    /// With the fields that follow it in the text: `.A.B`, or nothing.
    Variable(VarId, TableRange),
    Dot,
    Nil,
    /// The fields in the text: `.A.B`.
    Field(TableRange),
    Chain(NodeId, TableRange),
    Bool(bool),
    Number(Box<Number>),
    /// The unquoted text; the quoted one is `start..end` of the source.
    String(Arc<[u8]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BranchKind {
    If,
    Range,
    With,
}

#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) kind: BranchKind,
    pub(crate) pipe: NodeId,
    pub(crate) body: NodeId,
    pub(crate) otherwise: Option<NodeId>,
    /// A range of [`Source::effects`].
    pub(crate) effects: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Pipe {
    /// A range of [`Source::declared`].
    pub(crate) declares: TableRange,
    pub(crate) is_assignment: bool,
    /// A range of [`Source::lists`].
    pub(crate) commands: TableRange,
}

/// Something that a branch changes outside of itself, if it is taken.
#[derive(Clone, Debug)]
pub(crate) enum Effect {
    Assign(VarId),
    /// The map that `target` evaluates to changes, at `key` if that is known.
    Mutate {
        target: NodeId,
        key: Option<Arc<str>>,
    },
    /// `break` or `continue`.
    Escape,
}

/// A template: a list of nodes of a source.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(crate) name: Arc<str>,
    pub(crate) source: Arc<Source>,
    pub(crate) root: NodeId,
    /// Whether it holds nothing but space and comments.
    pub(crate) is_blank: bool,
}

impl TableRange {
    /// The entries that were appended to a table since it had `from`.
    pub(crate) fn since<T>(from: usize, table: &[T]) -> Self {
        Self { start: from as u32, end: table.len() as u32 }
    }

    pub(crate) fn of<T>(self, table: &[T]) -> &[T] {
        &table[self.start as usize..self.end as usize]
    }

    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Source {
    pub(crate) fn list(&self, range: TableRange) -> &[NodeId] {
        range.of(&self.lists)
    }

    pub(crate) fn branch(&self, id: BranchId) -> &Branch {
        &self.branches[id.0 as usize]
    }

    /// The variables that a pipeline declares or assigns.
    pub(crate) fn declared(&self, pipe: &Pipe) -> &[VarId] {
        pipe.declares.of(&self.declared)
    }

    /// The text of a chain of fields, which the lexer guarantees to be UTF-8.
    pub(crate) fn fields(&self, range: TableRange) -> &str {
        std::str::from_utf8(range.of(&self.text)).unwrap_or_default()
    }

    pub(crate) fn callee(&self, id: CalleeId) -> &Callee {
        &self.callees[id.0 as usize]
    }

    pub(crate) fn variable(&self, id: VarId) -> &Arc<str> {
        &self.variables[id.0 as usize]
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(crate) fn kind(&self, id: NodeId) -> &NodeKind {
        &self.node(id).kind
    }

    pub(crate) fn bytes(&self, id: NodeId) -> &[u8] {
        let node = self.node(id);
        &self.text[node.start as usize..node.end as usize]
    }

    pub(crate) fn position(&self, id: NodeId) -> Position {
        let node = self.node(id);
        Position { file: self.file, start: node.start, end: node.end }
    }

    /// `NAME:LINE:COLUMN` of a node, the column counted in bytes from 0.
    pub(crate) fn location(&self, id: NodeId) -> String {
        let before = &self.text[..self.node(id).start as usize];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        format!("{}:{line}:{column}", self.name)
    }
}

/// The names in the text of a chain of fields.
pub(crate) fn names(fields: &str) -> impl Iterator<Item = &str> {
    fields.split('.').skip(1)
}
