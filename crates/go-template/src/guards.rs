//! Static analysis: the conditions around a piece of literal text, and the field values that satisfy
//! them.

use std::sync::Arc;

use crate::ast::{BranchKind, NodeId, NodeKind, Source, TableRange, names};
use crate::provenance::Position;
use crate::set::TemplateSet;

/// A piece of literal text and the branches that must be taken to print it.
#[derive(Clone, Debug)]
pub struct GuardedText {
    /// The literal text.
    pub text: Position,
    /// The conditions around it, outermost first.
    pub conditions: Vec<Condition>,
}

/// The condition of a branch.
#[derive(Clone, Debug)]
pub struct Condition {
    /// The condition as Go prints it, negated with `not` if the text is in the else branch.
    pub text: String,
    /// Field values that together satisfy it; empty if none are known.
    pub requirements: Vec<Requirement>,
    /// If it does not hold, a branch beside the text calls `fail`.
    pub is_demand: bool,
}

/// A value that a field must have for a condition to hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Requirement {
    /// The keys from the data of the template to the field: `Values`, `job`, `enabled`.
    pub path: Vec<Arc<str>>,
    /// The required value.
    pub value: RequiredValue,
}

/// What a condition requires of a field.
#[derive(Clone, Debug, PartialEq)]
pub enum RequiredValue {
    /// True, or not empty.
    Truth,
    /// False, or empty.
    Falsehood,
    /// This string.
    Text(Arc<str>),
    /// This integer.
    Number(i64),
}

impl TemplateSet {
    /// The literal texts that `matches` selects, of the template `name` and of those it includes by a literal name,
    /// each with the conditions around it. Executes nothing. Empty if there is no such template.
    pub fn guarded(&self, name: &str, matches: &dyn Fn(&[u8]) -> bool) -> Vec<GuardedText> {
        let Some(tree) = self.find(name) else { return Vec::new() };
        let mut search = GuardSearch {
            set: self,
            source: &tree.source,
            matches,
            conditions: Vec::new(),
            dot: Some(Vec::new()),
            depth: 0,
            found: Vec::new(),
        };
        search.node(tree.root);
        search.found
    }
}

/// Templates that include templates are followed up to this depth.
const MOST_NESTED: u32 = 8;

/// Texts found in all; a template may be included many times.
const MOST_FOUND: usize = 1_000;

struct GuardSearch<'a> {
    set: &'a TemplateSet,
    source: &'a Source,
    matches: &'a dyn Fn(&[u8]) -> bool,
    /// The conditions around the node being searched.
    conditions: Vec<Condition>,
    /// The path from the data of the template to the value of the dot, if known.
    dot: Option<Vec<Arc<str>>>,
    /// How many templates lead here.
    depth: u32,
    found: Vec<GuardedText>,
}

impl GuardSearch<'_> {
    fn node(&mut self, id: NodeId) {
        match self.source.kind(id) {
            NodeKind::Text if (self.matches)(self.source.bytes(id)) => {
                let text = self.source.position(id);
                self.found.push(GuardedText { text, conditions: self.conditions.clone() });
            }
            NodeKind::List(nodes) => {
                let (nodes, outside) = (self.source.list(*nodes), self.conditions.len());
                let refusals: Vec<_> =
                    nodes.iter().filter_map(|node| self.refusal(*node)).collect();
                self.conditions.extend(refusals);
                nodes.iter().for_each(|node| self.node(*node));
                self.conditions.truncate(outside);
            }
            NodeKind::Branch(branch) => {
                let branch = self.source.branch(*branch);
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
            NodeKind::Template { name, pipe } => self.included(name, *pipe),
            NodeKind::Action(pipe) => {
                let NodeKind::Pipe(pipe) = self.source.kind(*pipe) else { return };
                let commands = self.source.list(pipe.commands);
                let Some(NodeKind::Command(words)) =
                    commands.first().map(|first| self.source.kind(*first))
                else {
                    return;
                };
                let solver = Solver { source: self.source, dot: None };
                if let (_, Some("include"), [name, data]) = solver.command(*words)
                    && let NodeKind::String(name) = self.source.kind(*name)
                {
                    self.included(&String::from_utf8_lossy(name), Some(*data));
                }
            }
            _ => {}
        }
    }

    /// Searches a template that this one includes with the value of `data`.
    fn included(&mut self, name: &str, data: Option<NodeId>) {
        let Some(tree) = self.set.find(name) else { return };
        if self.depth == MOST_NESTED || self.found.len() >= MOST_FOUND {
            return;
        }
        let dot = data.and_then(|data| self.field(data));
        let outer = (std::mem::replace(&mut self.source, &tree.source), self.dot.take());
        self.dot = dot;
        self.depth += 1;
        self.node(tree.root);
        self.depth -= 1;
        (self.source, self.dot) = outer;
    }

    fn branch(&mut self, pipe: NodeId, body: NodeId, holds: bool, dot: Option<&[Arc<str>]>) {
        let condition = self.condition(pipe, holds, dot);
        self.conditions.push(condition);
        self.node(body);
        self.conditions.pop();
    }

    fn condition(&self, pipe: NodeId, holds: bool, dot: Option<&[Arc<str>]>) -> Condition {
        let printed = self.source.print(pipe);
        let text = match printed.strip_prefix("not ").filter(|_| !holds) {
            Some(field) if !field.contains(' ') => field.to_owned(),
            _ if holds => printed,
            _ => format!("not ({printed})"),
        };
        let mut requirements = Vec::new();
        Solver { source: self.source, dot }.solve(pipe, holds, &mut requirements);
        Condition { text, requirements, is_demand: false }
    }

    /// The condition under which a branch does not call `fail`, which ends the whole render: everything beside such a
    /// branch is printed only if it holds. `None` if more than one field may make it hold.
    fn refusal(&self, id: NodeId) -> Option<Condition> {
        let NodeKind::Branch(branch) = self.source.kind(id) else { return None };
        let branch = self.source.branch(*branch);
        let holds = match branch.otherwise {
            _ if branch.kind != BranchKind::If => return None,
            _ if self.fails(branch.body) => false,
            Some(otherwise) if self.fails(otherwise) => true,
            _ => return None,
        };
        let choice = if holds { "or" } else { "and" };
        let is_choice = self.calls(branch.pipe, choice);
        (!is_choice).then(|| Condition {
            is_demand: true,
            ..self.condition(branch.pipe, holds, self.dot.as_deref())
        })
    }

    /// Whether a branch calls `fail` whatever the values are.
    fn fails(&self, body: NodeId) -> bool {
        let NodeKind::List(nodes) = self.source.kind(body) else { return false };
        self.source.list(*nodes).iter().any(|node| match self.source.kind(*node) {
            NodeKind::Action(pipe) => self.calls(*pipe, "fail"),
            _ => false,
        })
    }

    /// Whether a command of a pipeline calls a function.
    fn calls(&self, pipe: NodeId, function: &str) -> bool {
        let NodeKind::Pipe(pipe) = self.source.kind(pipe) else { return false };
        let solver = Solver { source: self.source, dot: None };
        self.source.list(pipe.commands).iter().any(|command| match self.source.kind(*command) {
            NodeKind::Command(words) => solver.command(*words).1 == Some(function),
            _ => false,
        })
    }

    fn field(&self, pipe: NodeId) -> Option<Vec<Arc<str>>> {
        Solver { source: self.source, dot: self.dot.as_deref() }.field(pipe)
    }
}

/// Finds the requirements of one expression. Understands the comparisons and logic of `text/template`
/// and, by name, common functions of the Sprig library (`default`, `empty`, `has`, …).
struct Solver<'a> {
    source: &'a Source,
    /// The path from the data of the template to the value of the dot, if known.
    dot: Option<&'a [Arc<str>]>,
}

impl Solver<'_> {
    /// Adds the requirements that make the expression true, or false.
    fn solve(&self, id: NodeId, holds: bool, requirements: &mut Vec<Requirement>) {
        match self.source.kind(id) {
            // The later commands of a pipeline (such as `default`) rarely change the truth of the first.
            NodeKind::Pipe(pipe) => {
                if let Some(first) = self.source.list(pipe.commands).first() {
                    self.solve(*first, holds, requirements);
                }
            }
            NodeKind::Command(words) => match self.command(*words) {
                (_, Some(name), arguments) => self.call(name, arguments, holds, requirements),
                (first, None, _) => self.solve(first, holds, requirements),
            },
            _ => {
                let value = if holds { RequiredValue::Truth } else { RequiredValue::Falsehood };
                requirements.extend(self.field(id).map(|path| Requirement { path, value }));
            }
        }
    }

    fn call(
        &self,
        name: &str,
        arguments: &[NodeId],
        holds: bool,
        requirements: &mut Vec<Requirement>,
    ) {
        if let Some((path, filled)) = self.compared_length(name, arguments) {
            let value = match filled == holds {
                true => RequiredValue::Truth,
                false => RequiredValue::Falsehood,
            };
            return requirements.push(Requirement { path, value });
        }
        match (name, arguments) {
            ("len", [one]) => self.solve(*one, holds, requirements),
            ("not" | "empty", [one]) => self.solve(*one, !holds, requirements),
            ("and", all) if holds => {
                all.iter().for_each(|one| self.solve(*one, true, requirements))
            }
            ("or", all) if !holds => {
                all.iter().for_each(|one| self.solve(*one, false, requirements))
            }
            ("and" | "or", all) => {
                // One operand is enough: the first with known requirements.
                for one in all {
                    let before = requirements.len();
                    self.solve(*one, holds, requirements);
                    if requirements.len() > before {
                        break;
                    }
                }
            }
            ("default" | "required", [_, one]) => self.solve(*one, holds, requirements),
            ("toString" | "quote" | "int" | "bool", [one]) => self.solve(*one, holds, requirements),
            ("eq" | "ne", [a, b, ..]) => {
                requirements.extend(self.equality(*a, *b, (name == "eq") == holds));
            }
            ("has", [one, among]) if holds => {
                let first = self.listed(*among).first();
                let pair = first.and_then(|first| self.compared(*one, *first));
                requirements.extend(pair.map(|(path, value)| Requirement { path, value }));
            }
            ("gt" | "ge", [a, b]) if holds => {
                if let (Some(path), Some(RequiredValue::Number(number))) =
                    (self.field(*a), self.literal(*b))
                {
                    requirements.push(Requirement {
                        path,
                        value: RequiredValue::Number(number.saturating_add(1)),
                    });
                }
            }
            _ => {}
        }
    }

    /// The field whose length a comparison tests, and whether the comparison holds for a field that is not empty:
    /// `gt (len .Values.a) 0`.
    fn compared_length(&self, name: &str, arguments: &[NodeId]) -> Option<(Vec<Arc<str>>, bool)> {
        let [length, limit] = arguments else { return None };
        let Some(RequiredValue::Number(limit)) = self.literal(*limit) else { return None };
        let filled = match (name, limit) {
            ("gt" | "ne", 0) | ("ge", 1) => true,
            ("eq" | "le", 0) | ("lt", 1) => false,
            _ => return None,
        };
        Some((self.measured(*length)?, filled))
    }

    /// The field whose length an expression is: `len .Values.a`, `.Values.a | len`.
    fn measured(&self, id: NodeId) -> Option<Vec<Arc<str>>> {
        match self.source.kind(id) {
            NodeKind::Pipe(pipe) => match self.source.list(pipe.commands) {
                [only] => self.measured(*only),
                [field, last] => {
                    let NodeKind::Command(words) = self.source.kind(*last) else { return None };
                    let counts = matches!(self.command(*words), (_, Some("len"), []));
                    self.field(*field).filter(|_| counts)
                }
                _ => None,
            },
            NodeKind::Command(words) => match self.command(*words) {
                (_, Some("len"), [one]) => self.field(*one),
                (_, Some("int"), [one]) => self.measured(*one),
                _ => None,
            },
            _ => None,
        }
    }

    /// The requirement that makes a field and a literal equal, or different.
    fn equality(&self, a: NodeId, b: NodeId, equal: bool) -> Option<Requirement> {
        let (path, value) = self.compared(a, b).or_else(|| self.compared(b, a))?;
        let value = if equal { value } else { different(&value) };
        Some(Requirement { path, value })
    }

    /// The path of a field and the literal it is compared with.
    fn compared(&self, field: NodeId, literal: NodeId) -> Option<(Vec<Arc<str>>, RequiredValue)> {
        Some((self.field(field)?, self.literal(literal)?))
    }

    /// The arguments of a call of `list`.
    fn listed(&self, id: NodeId) -> &[NodeId] {
        match self.source.kind(id) {
            NodeKind::Pipe(pipe) => match self.source.list(pipe.commands) {
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

    fn literal(&self, id: NodeId) -> Option<RequiredValue> {
        match self.source.kind(id) {
            NodeKind::String(text) => {
                Some(RequiredValue::Text(String::from_utf8_lossy(text).into()))
            }
            NodeKind::Bool(true) => Some(RequiredValue::Truth),
            NodeKind::Bool(false) => Some(RequiredValue::Falsehood),
            NodeKind::Number(_) => {
                let text = std::str::from_utf8(self.source.bytes(id)).ok()?;
                text.parse().ok().map(RequiredValue::Number)
            }
            _ => None,
        }
    }

    /// The path of a field, through parentheses and functions that keep its meaning.
    fn field(&self, id: NodeId) -> Option<Vec<Arc<str>>> {
        let below = |from: Option<&[Arc<str>]>, fields: &str| {
            Some(from?.iter().cloned().chain(names(fields).map(Arc::from)).collect())
        };
        match self.source.kind(id) {
            NodeKind::Field(fields) => below(self.dot, self.source.fields(*fields)),
            NodeKind::Dot => below(self.dot, ""),
            NodeKind::Variable(name, fields) => {
                let is_root = &**self.source.variable(*name) == "$";
                let fields = names(self.source.fields(*fields));
                is_root.then(|| fields.map(Arc::from).collect())
            }
            NodeKind::Chain(node, fields) => {
                below(self.field(*node).as_deref(), self.source.fields(*fields))
            }
            NodeKind::Pipe(pipe) => self.field(*self.source.list(pipe.commands).first()?),
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
    fn command(&self, words: TableRange) -> (NodeId, Option<&'static str>, &[NodeId]) {
        let words = self.source.list(words);
        (words[0], self.function(words[0]), &words[1..])
    }

    fn function(&self, id: NodeId) -> Option<&'static str> {
        match self.source.kind(id) {
            NodeKind::Function(function) => Some(self.source.callee(*function).name),
            _ => None,
        }
    }
}

/// Another value of the same kind.
fn different(value: &RequiredValue) -> RequiredValue {
    match value {
        RequiredValue::Truth => RequiredValue::Falsehood,
        RequiredValue::Falsehood => RequiredValue::Truth,
        RequiredValue::Text(text) if text.is_empty() => RequiredValue::Truth,
        RequiredValue::Text(text) => RequiredValue::Text(format!("placeholder-not-{text}").into()),
        RequiredValue::Number(number) => RequiredValue::Number(number.saturating_add(1)),
    }
}
