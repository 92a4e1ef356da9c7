//! Which conditions stand around a piece of literal text, and what would make them hold: found without
//! executing anything.

use std::sync::Arc;

use super::ast::{BranchKind, Module, NodeId, NodeKind, Run, names};
use super::set::TemplateSet;
use crate::provenance::Position;

/// A piece of literal text and the branches that must be taken to print it.
#[derive(Clone, Debug)]
pub struct Guarded {
    /// The literal text.
    pub text: Position,
    /// Outermost first.
    pub conditions: Vec<Condition>,
}

/// A condition of a branch.
#[derive(Clone, Debug)]
pub struct Condition {
    /// As Go prints it, with `not` where the text stands in the other branch.
    pub text: String,
    /// Fields that decide about it with the values that let it hold; empty where that is not known.
    pub wishes: Vec<Wish>,
}

/// A value that a field should have.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    /// From the data of the template: `Values`, `job`, `enabled`.
    pub path: Vec<Arc<str>>,
    pub value: Wanted,
}

/// What a condition asks of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// True, or not empty.
    Truth,
    /// False, or empty.
    Falsehood,
    Text(Arc<str>),
    Number(i64),
}

impl TemplateSet {
    /// The literal texts of a template that `wanted` picks, each with the conditions around it.
    pub fn guarded(&self, name: &str, wanted: &dyn Fn(&[u8]) -> bool) -> Vec<Guarded> {
        let Some(tree) = self.find(name) else { return Vec::new() };
        let mut walk = Walk {
            module: &tree.module,
            wanted,
            conditions: Vec::new(),
            dot: Some(Vec::new()),
            found: Vec::new(),
        };
        walk.node(tree.root);
        walk.found
    }
}

struct Walk<'a> {
    module: &'a Module,
    wanted: &'a dyn Fn(&[u8]) -> bool,
    conditions: Vec<Condition>,
    /// The path that the dot stands for, where it is known.
    dot: Option<Vec<Arc<str>>>,
    found: Vec<Guarded>,
}

impl Walk<'_> {
    fn node(&mut self, id: NodeId) {
        match self.module.kind(id) {
            NodeKind::Text if (self.wanted)(self.module.bytes(id)) => {
                let text = self.module.position(id);
                self.found.push(Guarded { text, conditions: self.conditions.clone() });
            }
            NodeKind::List(nodes) => {
                self.module.list(*nodes).iter().for_each(|node| self.node(*node));
            }
            NodeKind::Branch(branch) => {
                let branch = self.module.branch(*branch);
                let dot = match branch.kind {
                    BranchKind::If => self.dot.clone(),
                    BranchKind::With => self.field(branch.pipe),
                    BranchKind::Range => None,
                };
                let outer = std::mem::replace(&mut self.dot, dot);
                self.branch(branch.pipe, branch.body, true, outer.as_deref());
                self.dot = outer.clone();
                if let Some(otherwise) = branch.otherwise {
                    self.branch(branch.pipe, otherwise, false, outer.as_deref());
                }
            }
            _ => {}
        }
    }

    fn branch(&mut self, pipe: NodeId, body: NodeId, holds: bool, dot: Option<&[Arc<str>]>) {
        let printed = self.module.print(pipe);
        let text = if holds { printed } else { format!("not ({printed})") };
        let mut wishes = Vec::new();
        Solver { module: self.module, dot }.solve(pipe, holds, &mut wishes);
        self.conditions.push(Condition { text, wishes });
        self.node(body);
        self.conditions.pop();
    }

    fn field(&self, pipe: NodeId) -> Option<Vec<Arc<str>>> {
        Solver { module: self.module, dot: self.dot.as_deref() }.field(pipe)
    }
}

struct Solver<'a> {
    module: &'a Module,
    dot: Option<&'a [Arc<str>]>,
}

impl Solver<'_> {
    /// Adds what makes the expression true, or false.
    fn solve(&self, id: NodeId, holds: bool, wishes: &mut Vec<Wish>) {
        match self.module.kind(id) {
            // What `default` and the like make of a field is mostly its truth.
            NodeKind::Pipe(pipe) => {
                if let Some(first) = self.module.list(pipe.commands).first() {
                    self.solve(*first, holds, wishes);
                }
            }
            NodeKind::Command(words) => match self.command(*words) {
                (_, Some(name), arguments) => self.call(name, arguments, holds, wishes),
                (first, None, _) => self.solve(first, holds, wishes),
            },
            _ => {
                let value = if holds { Wanted::Truth } else { Wanted::Falsehood };
                wishes.extend(self.field(id).map(|path| Wish { path, value }));
            }
        }
    }

    fn call(&self, name: &str, arguments: &[NodeId], holds: bool, wishes: &mut Vec<Wish>) {
        match (name, arguments) {
            ("not" | "empty", [one]) => self.solve(*one, !holds, wishes),
            ("and", all) if holds => all.iter().for_each(|one| self.solve(*one, true, wishes)),
            ("or", all) if !holds => all.iter().for_each(|one| self.solve(*one, false, wishes)),
            ("and" | "or", all) => {
                // One is enough: the first that says what it wants.
                for one in all {
                    let before = wishes.len();
                    self.solve(*one, holds, wishes);
                    if wishes.len() > before {
                        break;
                    }
                }
            }
            ("default" | "required", [_, one]) => self.solve(*one, holds, wishes),
            ("toString" | "quote" | "int" | "bool", [one]) => self.solve(*one, holds, wishes),
            ("eq" | "ne", [a, b, ..]) => {
                let pair = self.compared(*a, *b).or_else(|| self.compared(*b, *a));
                let same = (name == "eq") == holds;
                wishes.extend(pair.map(|(path, value)| {
                    let value = if same { value } else { different(&value) };
                    Wish { path, value }
                }));
            }
            ("has", [one, among]) if holds => {
                let first = self.listed(*among).first();
                let pair = first.and_then(|first| self.compared(*one, *first));
                wishes.extend(pair.map(|(path, value)| Wish { path, value }));
            }
            ("gt" | "ge", [a, b]) if holds => {
                if let (Some(path), Some(Wanted::Number(number))) =
                    (self.field(*a), self.literal(*b))
                {
                    wishes.push(Wish { path, value: Wanted::Number(number.saturating_add(1)) });
                }
            }
            _ => {}
        }
    }

    /// A field and the literal it is compared with.
    fn compared(&self, field: NodeId, literal: NodeId) -> Option<(Vec<Arc<str>>, Wanted)> {
        Some((self.field(field)?, self.literal(literal)?))
    }

    /// What a call of `list` lists.
    fn listed(&self, id: NodeId) -> &[NodeId] {
        match self.module.kind(id) {
            NodeKind::Pipe(pipe) => match self.module.list(pipe.commands) {
                [only] => self.listed(*only),
                _ => &[],
            },
            NodeKind::Command(words) => match self.command(*words) {
                (_, Some("list"), items) => items,
                _ => &[],
            },
            _ => &[],
        }
    }

    fn literal(&self, id: NodeId) -> Option<Wanted> {
        match self.module.kind(id) {
            NodeKind::String(text) => Some(Wanted::Text(String::from_utf8_lossy(text).into())),
            NodeKind::Bool(true) => Some(Wanted::Truth),
            NodeKind::Bool(false) => Some(Wanted::Falsehood),
            NodeKind::Number(_) => {
                let text = std::str::from_utf8(self.module.bytes(id)).ok()?;
                text.parse().ok().map(Wanted::Number)
            }
            _ => None,
        }
    }

    /// The path of a field, through parentheses and what does not change which field it is.
    fn field(&self, id: NodeId) -> Option<Vec<Arc<str>>> {
        let below = |from: Option<&[Arc<str>]>, fields: &str| {
            Some(from?.iter().cloned().chain(names(fields).map(Arc::from)).collect())
        };
        match self.module.kind(id) {
            NodeKind::Field(fields) => below(self.dot, self.module.fields(*fields)),
            NodeKind::Dot => below(self.dot, ""),
            NodeKind::Variable(name, fields) => {
                let is_root = &*self.module.variables[name.0 as usize] == "$";
                let fields = names(self.module.fields(*fields));
                is_root.then(|| fields.map(Arc::from).collect())
            }
            NodeKind::Chain(node, fields) => {
                below(self.field(*node).as_deref(), self.module.fields(*fields))
            }
            NodeKind::Pipe(pipe) => self.field(*self.module.list(pipe.commands).first()?),
            NodeKind::Command(words) => match self.command(*words) {
                (first, None, []) => self.field(first),
                (_, Some("default"), [_, one]) => self.field(*one),
                (_, Some("toString" | "lower" | "quote" | "int"), [one]) => self.field(*one),
                _ => None,
            },
            _ => None,
        }
    }

    /// The first word of a command, the function it calls, and the other words.
    fn command(&self, words: Run) -> (NodeId, Option<&'static str>, &[NodeId]) {
        let words = self.module.list(words);
        (words[0], self.function(words[0]), &words[1..])
    }

    fn function(&self, id: NodeId) -> Option<&'static str> {
        match self.module.kind(id) {
            NodeKind::Function(function) => Some(self.module.functions[function.0 as usize].name),
            _ => None,
        }
    }
}

/// A value of the same kind that is another one.
fn different(value: &Wanted) -> Wanted {
    match value {
        Wanted::Truth => Wanted::Falsehood,
        Wanted::Falsehood => Wanted::Truth,
        Wanted::Text(text) if text.is_empty() => Wanted::Truth,
        Wanted::Text(text) => Wanted::Text(format!("not-{text}").into()),
        Wanted::Number(number) => Wanted::Number(number.saturating_add(1)),
    }
}
