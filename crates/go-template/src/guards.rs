//! Static analysis: the conditions around a piece of literal text, and the field values that satisfy
//! them.

mod solver;

use std::{borrow::Cow, cell::Cell, sync::Arc};

use solver::Solver;

use crate::ast::{BranchKind, NodeId, NodeKind, Source};
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

impl Requirement {
    /// That a field is true or filled, or else that it is false or empty.
    fn of(path: Vec<Arc<str>>, filled: bool) -> Self {
        let value = if filled { RequiredValue::Truth } else { RequiredValue::Falsehood };
        Self { path, value }
    }
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
            variables: Vec::new(),
            depth: 0,
            resolved: Cell::new(0),
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

/// The name of a variable, with the dollar sign, and the path to the field that it holds, if known.
type Variable = (Arc<str>, Option<Vec<Arc<str>>>);

struct GuardSearch<'a> {
    set: &'a TemplateSet,
    source: &'a Source,
    matches: &'a dyn Fn(&[u8]) -> bool,
    /// The conditions around the node being searched.
    conditions: Vec<Condition>,
    /// The path from the data of the template to the value of the dot, if known.
    dot: Option<Vec<Arc<str>>>,
    /// The variables in scope, the innermost last.
    variables: Vec<Variable>,
    /// How many templates lead here.
    depth: u32,
    /// How many templates the conditions have led to.
    resolved: Cell<u32>,
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
                let nodes = self.source.list(*nodes);
                let (outside, known) = (self.conditions.len(), self.variables.len());
                let refusals: Vec<_> =
                    nodes.iter().filter_map(|node| self.refusal(*node)).collect();
                self.conditions.extend(refusals);
                nodes.iter().for_each(|node| self.node(*node));
                self.conditions.truncate(outside);
                self.variables.truncate(known);
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
                self.declare(*pipe);
                let NodeKind::Pipe(pipe) = self.source.kind(*pipe) else { return };
                let commands = self.source.list(pipe.commands);
                let Some(NodeKind::Command(words)) =
                    commands.first().map(|first| self.source.kind(*first))
                else {
                    return;
                };
                let solver = self.solver(None);
                if let (_, Some("include"), [name, data]) = solver.command(*words)
                    && let NodeKind::String(name) = self.source.kind(*name)
                {
                    self.included(&String::from_utf8_lossy(name), Some(*data));
                }
            }
            _ => {}
        }
    }

    /// Notes the variable that an action declares, or forgets what one holds that it assigns.
    fn declare(&mut self, id: NodeId) {
        let NodeKind::Pipe(pipe) = self.source.kind(id) else { return };
        let [variable] = self.source.declared(pipe) else { return };
        let name = self.source.variable(*variable).clone();
        if pipe.is_assignment {
            // It counts outside of the branch too.
            let own = self.variables.iter_mut().filter(|(own, _)| *own == name);
            return own.for_each(|(_, field)| *field = None);
        }
        let is_plain = self.source.list(pipe.commands).len() == 1;
        let field = self.field(id).filter(|_| is_plain);
        self.variables.push((name, field));
    }

    /// Searches a template that this one includes with the value of `data`.
    fn included(&mut self, name: &str, data: Option<NodeId>) {
        let Some(tree) = self.set.find(name) else { return };
        if self.depth == MOST_NESTED || self.found.len() >= MOST_FOUND {
            return;
        }
        let dot = data.and_then(|data| self.field(data));
        let outer = (
            std::mem::replace(&mut self.source, &tree.source),
            std::mem::replace(&mut self.dot, dot),
            std::mem::take(&mut self.variables),
        );
        self.depth += 1;
        self.node(tree.root);
        self.depth -= 1;
        (self.source, self.dot, self.variables) = outer;
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
        self.solver(dot).solve(pipe, holds, &mut requirements);
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
        let solver = self.solver(None);
        self.source.list(pipe.commands).iter().any(|command| match self.source.kind(*command) {
            NodeKind::Command(words) => solver.command(*words).1 == Some(function),
            _ => false,
        })
    }

    fn field(&self, pipe: NodeId) -> Option<Vec<Arc<str>>> {
        self.solver(self.dot.as_deref()).field(pipe)
    }

    fn solver<'s>(&'s self, dot: Option<&'s [Arc<str>]>) -> Solver<'s> {
        Solver {
            set: self.set,
            source: self.source,
            dot: dot.map(Cow::Borrowed),
            variables: &self.variables,
            depth: 0,
            resolved: &self.resolved,
        }
    }
}
