//! The parsed form of a template source: all nodes of one source in one table.
//!
//! Nodes refer to each other by index, so that sources nested as deep as the parser allows can be
//! dropped without recursion, and parsed sources can be shared between threads. Lists are runs of other
//! tables, and names stay where they are written: much more is parsed than is ever executed.

use std::fmt::Write as _;
use std::sync::Arc;

use super::function::FunctionSpec;
use super::number::Number;
use super::quote::quote;
use crate::provenance::{FileId, Position};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeId(pub(super) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VarId(pub(super) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FunctionId(pub(super) u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BranchId(pub(super) u32);

/// Some neighbours in one of the tables of a [`Module`], or bytes of its text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Run {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// One parsed source. Several templates may be defined in it.
#[derive(Debug)]
pub(super) struct Module {
    /// The name it was parsed under.
    pub(super) name: Arc<str>,
    pub(super) file: FileId,
    pub(super) text: Arc<[u8]>,
    pub(super) nodes: Vec<Node>,
    /// The entries of all lists, commands and pipelines.
    pub(super) lists: Vec<NodeId>,
    pub(super) branches: Vec<Branch>,
    /// What pipelines declare or assign.
    pub(super) declared: Vec<VarId>,
    /// Names of variables, with the dollar sign.
    pub(super) variables: Vec<Arc<str>>,
    /// The functions called, as they were at parse time.
    pub(super) functions: Vec<&'static FunctionSpec>,
    /// What branches may do to things outside of them, in source order.
    pub(super) effects: Vec<Effect>,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    /// Where Go says the node is.
    pub(super) start: u32,
    pub(super) end: u32,
}

#[derive(Debug)]
pub(super) enum NodeKind {
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
    /// Of [`Module::lists`].
    List(Run),
    Pipe(Pipe),
    /// Of [`Module::lists`].
    Command(Run),
    Function(FunctionId),
    /// With the fields behind it in the text: `.A.B`, or nothing.
    Variable(VarId, Run),
    Dot,
    Nil,
    /// As written in the text: `.A.B`.
    Field(Run),
    Chain(NodeId, Run),
    Bool(bool),
    Number(Box<Number>),
    /// The unquoted text; the quoted one is `start..end` of the source.
    String(Arc<[u8]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchKind {
    If,
    Range,
    With,
}

#[derive(Debug)]
pub(super) struct Branch {
    pub(super) kind: BranchKind,
    pub(super) pipe: NodeId,
    pub(super) body: NodeId,
    pub(super) otherwise: Option<NodeId>,
    /// Range of [`Module::effects`].
    pub(super) effects: (u32, u32),
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Pipe {
    /// Of [`Module::declared`].
    pub(super) declares: Run,
    pub(super) is_assignment: bool,
    /// Of [`Module::lists`].
    pub(super) commands: Run,
}

/// Something a branch does that is felt outside of it, if the branch is taken.
#[derive(Clone, Debug)]
pub(super) enum Effect {
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
pub(super) struct Tree {
    pub(super) name: Arc<str>,
    pub(super) module: Arc<Module>,
    pub(super) root: NodeId,
    /// Nothing but space and comments.
    pub(super) is_blank: bool,
}

impl Run {
    /// What was appended to a table since it had `from` entries.
    pub(super) fn since<T>(from: usize, table: &[T]) -> Self {
        Self { start: from as u32, end: table.len() as u32 }
    }

    pub(super) fn of<T>(self, table: &[T]) -> &[T] {
        &table[self.start as usize..self.end as usize]
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl Module {
    pub(super) fn list(&self, run: Run) -> &[NodeId] {
        run.of(&self.lists)
    }

    pub(super) fn branch(&self, id: BranchId) -> &Branch {
        &self.branches[id.0 as usize]
    }

    /// What a pipeline declares or assigns.
    pub(super) fn declared(&self, pipe: &Pipe) -> &[VarId] {
        pipe.declares.of(&self.declared)
    }

    /// A chain of fields; the lexer takes nothing but text for one.
    pub(super) fn fields(&self, run: Run) -> &str {
        std::str::from_utf8(run.of(&self.text)).unwrap_or_default()
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0 as usize]
    }

    pub(super) fn kind(&self, id: NodeId) -> &NodeKind {
        &self.node(id).kind
    }

    pub(super) fn bytes(&self, id: NodeId) -> &[u8] {
        let node = self.node(id);
        &self.text[node.start as usize..node.end as usize]
    }

    pub(super) fn position(&self, id: NodeId) -> Position {
        let node = self.node(id);
        Position { file: self.file, start: node.start, end: node.end }
    }

    /// `NAME:LINE:COLUMN` of a node, the column counted in bytes from 0.
    pub(super) fn location(&self, id: NodeId) -> String {
        let before = &self.text[..self.node(id).start as usize];
        let line = 1 + memchr::memchr_iter(b'\n', before).count();
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        format!("{}:{line}:{column}", self.name)
    }

    /// The node as Go prints it in error messages.
    pub(super) fn print(&self, id: NodeId) -> String {
        let mut out = String::new();
        self.write(&mut out, id);
        out
    }

    fn write(&self, out: &mut String, id: NodeId) {
        match self.kind(id) {
            NodeKind::Text | NodeKind::Number(_) | NodeKind::String(_) => {
                out.push_str(&String::from_utf8_lossy(self.bytes(id)));
            }
            NodeKind::Action(pipe) => {
                out.push_str("{{");
                self.write(out, *pipe);
                out.push_str("}}");
            }
            NodeKind::Branch(branch) => self.write_branch(out, self.branch(*branch)),
            NodeKind::Template { name, pipe } => {
                write!(out, "{{{{template {}", quote(name.as_bytes())).expect("a String");
                if let Some(pipe) = pipe {
                    out.push(' ');
                    self.write(out, *pipe);
                }
                out.push_str("}}");
            }
            NodeKind::Break => out.push_str("{{break}}"),
            NodeKind::Continue => out.push_str("{{continue}}"),
            NodeKind::List(nodes) => {
                self.list(*nodes).iter().for_each(|node| self.write(out, *node));
            }
            NodeKind::Pipe(pipe) => self.write_pipe(out, pipe),
            NodeKind::Command(words) => self.write_command(out, self.list(*words)),
            NodeKind::Function(function) => {
                out.push_str(self.functions[function.0 as usize].name);
            }
            NodeKind::Variable(name, fields) => {
                out.push_str(&self.variables[name.0 as usize]);
                out.push_str(self.fields(*fields));
            }
            NodeKind::Dot => out.push('.'),
            NodeKind::Nil => out.push_str("nil"),
            NodeKind::Field(fields) => out.push_str(self.fields(*fields)),
            NodeKind::Chain(node, fields) => {
                self.write_operand(out, *node);
                out.push_str(self.fields(*fields));
            }
            NodeKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        }
    }

    fn write_branch(&self, out: &mut String, branch: &Branch) {
        out.push_str(match branch.kind {
            BranchKind::If => "{{if ",
            BranchKind::Range => "{{range ",
            BranchKind::With => "{{with ",
        });
        self.write(out, branch.pipe);
        out.push_str("}}");
        self.write(out, branch.body);
        if let Some(otherwise) = branch.otherwise {
            out.push_str("{{else}}");
            self.write(out, otherwise);
        }
        out.push_str("{{end}}");
    }

    fn write_pipe(&self, out: &mut String, pipe: &Pipe) {
        for (i, name) in self.declared(pipe).iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            out.push_str(&self.variables[name.0 as usize]);
        }
        if !pipe.declares.is_empty() {
            out.push_str(if pipe.is_assignment { " = " } else { " := " });
        }
        for (i, command) in self.list(pipe.commands).iter().enumerate() {
            out.push_str(if i > 0 { " | " } else { "" });
            self.write(out, *command);
        }
    }

    fn write_command(&self, out: &mut String, words: &[NodeId]) {
        for (i, word) in words.iter().enumerate() {
            out.push_str(if i > 0 { " " } else { "" });
            self.write_operand(out, *word);
        }
    }

    fn write_operand(&self, out: &mut String, id: NodeId) {
        let is_pipe = matches!(self.kind(id), NodeKind::Pipe(_));
        out.push_str(if is_pipe { "(" } else { "" });
        self.write(out, id);
        out.push_str(if is_pipe { ")" } else { "" });
    }
}

/// The names in a chain of fields as it is written: most templates are parsed and never executed, so the
/// chain is not taken apart before.
pub(super) fn names(fields: &str) -> impl Iterator<Item = &str> {
    fields.split('.').skip(1)
}
