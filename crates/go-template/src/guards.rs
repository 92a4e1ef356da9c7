//! Static analysis: the conditions around a piece of literal text, and the field values that satisfy
//! them.

use std::{borrow::Cow, cell::Cell, sync::Arc};

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
            resolved: Cell::new(0),
            found: Vec::new(),
        };
        search.node(tree.root);
        search.found
    }
}

/// Templates that include templates are followed up to this depth.
const MOST_NESTED: u32 = 8;

/// Templates that the conditions of a search lead to; helpers may include each other many times.
const MOST_RESOLVED: u32 = 10_000;

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
            depth: 0,
            resolved: &self.resolved,
        }
    }
}

/// Finds the requirements of one expression. Understands the comparisons and logic of `text/template`
/// and, by name, common functions of the Sprig library (`default`, `empty`, `has`, …).
struct Solver<'a> {
    set: &'a TemplateSet,
    source: &'a Source,
    /// The path from the data of the template to the value of the dot, if known.
    dot: Option<Cow<'a, [Arc<str>]>>,
    /// How many templates lead here.
    depth: u32,
    /// How many templates the conditions have led to.
    resolved: &'a Cell<u32>,
}

/// What a template prints besides white space.
#[derive(Clone, Copy)]
enum Printed<'a> {
    /// The result of an action.
    Action(NodeId),
    /// One of two texts, by a condition.
    Choice { condition: NodeId, texts: [&'a str; 2] },
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
            ("include", [name, data]) => {
                let Some((inner, printed)) = self.include(*name, *data) else { return };
                match printed {
                    Printed::Action(pipe) => inner.solve(pipe, holds, requirements),
                    Printed::Choice { condition, texts: [one, other] } => {
                        if one.is_empty() != other.is_empty() {
                            inner.solve(condition, other.is_empty() == holds, requirements);
                        }
                    }
                }
            }
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
                let equal = (name == "eq") == holds;
                match self.choice(*a, *b).or_else(|| self.choice(*b, *a)) {
                    Some((inner, condition, first)) => {
                        inner.solve(condition, first == equal, requirements);
                    }
                    None => requirements.extend(self.equality(*a, *b, equal)),
                }
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

    /// What an included template prints, with a solver for its expressions; `None` if that is more than one action or
    /// the choice of a text.
    fn include(&self, name: NodeId, data: NodeId) -> Option<(Solver<'_>, Printed<'_>)> {
        let NodeKind::String(name) = self.source.kind(name) else { return None };
        let tree = self.set.find(std::str::from_utf8(name).ok()?)?;
        self.resolved.set(self.resolved.get() + 1);
        if self.depth == MOST_NESTED || self.resolved.get() > MOST_RESOLVED {
            return None;
        }
        let dot = self.field(data).map(Cow::Owned);
        let source = &tree.source;
        let (set, depth, resolved) = (self.set, self.depth + 1, self.resolved);
        let inner = Solver { set, source, dot, depth, resolved };
        let printed = match source.kind(only(source, tree.root)?) {
            NodeKind::Action(pipe) => Printed::Action(*pipe),
            NodeKind::Branch(branch) => {
                let branch = source.branch(*branch);
                let text = |list| text_of(source, list);
                let other = branch.otherwise.map_or(Some(""), text);
                let is_if = branch.kind == BranchKind::If;
                let texts = [text(branch.body).filter(|_| is_if)?, other?];
                Printed::Choice { condition: branch.pipe, texts }
            }
            _ => return None,
        };
        Some((inner, printed))
    }

    /// The condition that decides whether an included template prints a literal, and whether it does where the
    /// condition holds: `eq (include "is-enabled" .) "true"`.
    fn choice(&self, included: NodeId, literal: NodeId) -> Option<(Solver<'_>, NodeId, bool)> {
        let Some(RequiredValue::Text(wanted)) = self.literal(literal) else { return None };
        let words = match self.source.kind(included) {
            NodeKind::Command(words) => *words,
            NodeKind::Pipe(pipe) => {
                return self.choice(*self.source.list(pipe.commands).first()?, literal);
            }
            _ => return None,
        };
        let (_, Some("include"), [name, data]) = self.command(words) else { return None };
        let (inner, printed) = self.include(*name, *data)?;
        let Printed::Choice { condition, texts: [one, other] } = printed else { return None };
        let is_first = *wanted == *one;
        (is_first != (*wanted == *other)).then_some((inner, condition, is_first))
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
        let dot = self.dot.as_deref();
        let below = |from: Option<&[Arc<str>]>, fields: &str| {
            Some(from?.iter().cloned().chain(names(fields).map(Arc::from)).collect())
        };
        match self.source.kind(id) {
            NodeKind::Field(fields) => below(dot, self.source.fields(*fields)),
            NodeKind::Dot => below(dot, ""),
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
                (_, Some("include"), [name, data]) => match self.include(*name, *data)? {
                    (inner, Printed::Action(pipe)) => inner.field(pipe),
                    (_, Printed::Choice { .. }) => None,
                },
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

/// The only node of a list besides white space.
fn only(source: &Source, list: NodeId) -> Option<NodeId> {
    let NodeKind::List(nodes) = source.kind(list) else { return None };
    let is_blank = |node: &NodeId| {
        matches!(source.kind(*node), NodeKind::Text)
            && source.bytes(*node).iter().all(u8::is_ascii_whitespace)
    };
    let mut rest = source.list(*nodes).iter().filter(|node| !is_blank(node));
    rest.next().copied().filter(|_| rest.next().is_none())
}

/// The literal text that a list prints, without white space around it.
fn text_of(source: &Source, list: NodeId) -> Option<&str> {
    let NodeKind::List(nodes) = source.kind(list) else { return None };
    if source.list(*nodes).is_empty() {
        return Some("");
    }
    let node = only(source, list)?;
    matches!(source.kind(node), NodeKind::Text)
        .then(|| std::str::from_utf8(source.bytes(node).trim_ascii()).ok())
        .flatten()
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
