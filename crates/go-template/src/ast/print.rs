//! Prints nodes as Go prints them in error messages.

use std::fmt::Write as _;

use super::{Branch, BranchKind, NodeId, NodeKind, Pipe, Source};
use crate::quote::quote;

impl Source {
    /// The node as Go prints it in error messages.
    pub(crate) fn print(&self, id: NodeId) -> String {
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
                out.push_str(self.callee(*function).name);
            }
            NodeKind::Variable(name, fields) => {
                out.push_str(self.variable(*name));
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
            out.push_str(self.variable(*name));
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
