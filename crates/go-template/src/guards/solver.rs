//! The field values that satisfy an expression.

use std::{borrow::Cow, cell::Cell, sync::Arc};

use super::{MOST_NESTED, RequiredValue, Requirement, Variable};
use crate::ast::{BranchKind, NodeId, NodeKind, Source, TableRange, names};
use crate::set::TemplateSet;

/// Templates that the conditions of a search lead to; helpers may include each other many times.
const MOST_RESOLVED: u32 = 10_000;

/// Finds the requirements of one expression. Understands the comparisons and logic of `text/template`
/// and, by name, common functions of the Sprig library (`default`, `empty`, `has`, …).
pub(super) struct Solver<'a> {
    pub(super) set: &'a TemplateSet,
    pub(super) source: &'a Source,
    /// The path from the data of the template to the value of the dot, if known.
    pub(super) dot: Option<Cow<'a, [Arc<str>]>>,
    /// The variables in scope, the innermost last.
    pub(super) variables: &'a [Variable],
    /// How many templates lead here.
    pub(super) depth: u32,
    /// How many templates the conditions have led to.
    pub(super) resolved: &'a Cell<u32>,
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
    pub(super) fn solve(&self, id: NodeId, holds: bool, requirements: &mut Vec<Requirement>) {
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
                requirements.extend(self.field(id).map(|path| Requirement::of(path, holds)));
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
            return requirements.push(Requirement::of(path, filled == holds));
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
            ("hasKey", [one, key]) if holds => {
                let path = self.below(*one, std::slice::from_ref(key));
                requirements.extend(path.map(|path| Requirement::of(path, true)));
            }
            ("dig" | "get" | "index", all) => {
                let path = self.looked_up(name, all);
                requirements.extend(path.map(|path| Requirement::of(path, holds)));
            }
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
        let inner = Solver { set, source, dot, variables: &[], depth, resolved };
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
    pub(super) fn field(&self, id: NodeId) -> Option<Vec<Arc<str>>> {
        let dot = self.dot.as_deref();
        let below = |from: Option<&[Arc<str>]>, fields: &str| {
            Some(from?.iter().cloned().chain(names(fields).map(Arc::from)).collect())
        };
        match self.source.kind(id) {
            NodeKind::Field(fields) => below(dot, self.source.fields(*fields)),
            NodeKind::Dot => below(dot, ""),
            NodeKind::Variable(name, fields) => {
                let (name, fields) = (&**self.source.variable(*name), self.source.fields(*fields));
                let mut known = self.variables.iter().rev();
                match known.find(|(own, _)| **own == *name) {
                    Some((_, field)) => below(field.as_deref(), fields),
                    None if name == "$" => below(Some(&[]), fields),
                    None => None,
                }
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
                (_, Some(name), all) => self.looked_up(name, all),
                _ => None,
            },
            _ => None,
        }
    }

    /// The path that a function looks up: `index .Values "a-b" "c"`, `get .Values.a "b"`, `dig "a" "b" "" .Values`.
    fn looked_up(&self, function: &str, arguments: &[NodeId]) -> Option<Vec<Arc<str>>> {
        match (function, arguments) {
            ("index", [one, keys @ ..]) => self.below(*one, keys),
            ("get", [one, key]) => self.below(*one, std::slice::from_ref(key)),
            ("dig", [keys @ .., _, one]) => self.below(*one, keys),
            _ => None,
        }
    }

    /// The path of a field below another one, by its literal keys.
    fn below(&self, one: NodeId, keys: &[NodeId]) -> Option<Vec<Arc<str>>> {
        let mut path = self.field(one)?;
        for key in keys {
            let Some(RequiredValue::Text(key)) = self.literal(*key) else { return None };
            path.push(key);
        }
        Some(path)
    }

    /// The first word of a command, the function it calls, and the other words.
    pub(super) fn command(&self, words: TableRange) -> (NodeId, Option<&'static str>, &[NodeId]) {
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
