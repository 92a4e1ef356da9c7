//! Evaluation with traces, unknown values and limits.

mod comprehension;
mod program;
mod select;
mod variables;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ast::{Id, Kind};
use crate::constants::SEARCHES;
use crate::evaluated::Budget;
use crate::stack::Stack;
use crate::trace::{self, Path, Reads};
use crate::value::Value;
use crate::value::cost::{self, Meter};
use crate::value::equality::as_key;
use crate::value::functions::{self, Call, Failure, Patterns};

pub use program::Program;
pub use variables::Variables;

use variables::Definition;

/// A value, and its place in a variable if it is a part of one.
#[derive(Clone, Debug)]
pub(crate) struct Traced {
    pub(crate) value: Value,
    pub(crate) path: Option<Path>,
}

pub(crate) type Evaluation = Result<Traced, Failure>;

impl From<Value> for Traced {
    fn from(value: Value) -> Self {
        Self { value, path: None }
    }
}

/// What the expressions of one evaluation share.
pub(crate) struct Evaluator<'e> {
    pub(crate) variables: &'e Variables<'e>,
    pub(crate) meter: Meter,
    /// What the definitions cost that were evaluated. Each has the limit of an expression of its own.
    pub(crate) of_definitions: u64,
    remaining: u64,
    pub(crate) reads: Reads,
    pub(crate) patterns: Patterns,
    /// Definitions that use each other nest deeper than one expression can.
    stack: Stack,
}

impl<'e> Evaluator<'e> {
    /// An evaluation that may cost no more than what remains of a budget.
    pub(crate) fn new(variables: &'e Variables<'e>, remaining: u64) -> Self {
        Self {
            variables,
            meter: Meter::new(remaining.min(Budget::PER_EXPRESSION)),
            of_definitions: 0,
            remaining,
            reads: Reads::default(),
            patterns: Patterns::default(),
            stack: Stack::here(),
        }
    }

    pub(crate) fn run(&mut self, program: &Program) -> Evaluation {
        Frame { program, locals: Vec::new() }.evaluate(program.ast.root, self)
    }

    /// Runs a definition, whose cost counts for the budget, but not for the expression that uses it.
    fn apart(&mut self, program: &Program) -> Evaluation {
        let left = self.remaining.saturating_sub(self.of_definitions);
        let own = Meter::new(left.min(Budget::PER_EXPRESSION));
        let outer = std::mem::replace(&mut self.meter, own);
        let outcome = self.run(program);
        self.of_definitions += std::mem::replace(&mut self.meter, outer).spent();
        outcome
    }
}

/// One expression in evaluation.
struct Frame<'f> {
    program: &'f Program,
    /// The names that macros bind, the innermost last.
    locals: Vec<(&'f str, Traced)>,
}

impl<'f> Frame<'f> {
    fn evaluate(&mut self, id: Id, state: &mut Evaluator) -> Evaluation {
        if state.stack.is_exhausted() {
            return Err(Failure::Limit("expression recursion limit exceeded"));
        }
        let program = self.program;
        match &program.ast.nodes[id].kind {
            Kind::Literal(value) => Ok(value.clone().into()),
            Kind::Name(name) => self.name(name, state),
            Kind::Select { operand, field, mode } => self.select(*operand, field, *mode, state),
            Kind::Call { function, target, arguments } => {
                self.call(id, function, *target, arguments, state)
            }
            Kind::And(terms) => self.logical(terms, false, state),
            Kind::Or(terms) => self.logical(terms, true, state),
            Kind::Conditional(parts) => self.conditional(parts, state),
            Kind::List(items) => self.list(items, state),
            Kind::Map(entries) => self.map(entries, state),
            Kind::Message(name) => Err(Failure::Error(format!("unknown type: {name}"))),
            Kind::Comprehension(parts) => self.comprehension(parts, state),
            Kind::OptionalMap { operand, name, body, flat } => {
                self.optional_map(*operand, name, *body, *flat, state)
            }
        }
    }

    /// A value that an operation looks into: its place counts as read.
    fn read(&mut self, id: Id, state: &mut Evaluator) -> Result<Value, Failure> {
        let traced = self.evaluate(id, state)?;
        state.reads.add(traced.path.as_ref());
        Ok(traced.value)
    }

    fn name(&mut self, name: &str, state: &mut Evaluator) -> Evaluation {
        state.meter.spend(1)?;
        let local = self.locals.iter().rev().find(|(own, _)| *own == name);
        if let Some((_, traced)) = local {
            return known(traced.clone(), state);
        }
        match state.variables.root(name) {
            Some((value, path)) => known(Traced { value, path: Some(path) }, state),
            None => Err(Failure::Error(format!("no such attribute(s): {name}"))),
        }
    }

    /// The value of `variables.NAME`.
    fn definition(&mut self, name: &str, state: &mut Evaluator) -> Evaluation {
        state.meter.spend(2)?;
        let variables = state.variables;
        let program = match variables.definition(name) {
            Definition::None => return Err(Failure::Error(format!("no such key: {name}"))),
            Definition::Known(known) => {
                for path in &known.reads {
                    state.reads.add(Some(path));
                }
                return known.outcome;
            }
            Definition::Program(program) => program,
        };
        let mark = state.reads.mark();
        let outcome = state.apart(program).map_err(|failure| match failure {
            Failure::Error(error) => {
                Failure::Error(format!("composited variable \"{name}\" fails to evaluate: {error}"))
            }
            limit => limit,
        });
        if !matches!(outcome, Err(Failure::Limit(_))) {
            variables.remember(name, outcome.clone(), &state.reads.paths()[mark..]);
        }
        outcome
    }

    fn call(
        &mut self,
        id: Id,
        function: &str,
        target: Option<Id>,
        arguments: &[Id],
        state: &mut Evaluator,
    ) -> Evaluation {
        match (function, target, arguments) {
            ("_[_]", None, [operand, index]) => return self.index(*operand, *index, false, state),
            ("_[?_]", None, [operand, index]) => return self.index(*operand, *index, true, state),
            ("or", Some(first), [second]) => return self.or_optional(first, *second, false, state),
            ("orValue", Some(first), [second]) => {
                return self.or_optional(first, *second, true, state);
            }
            _ => {}
        }
        let mut values = Vec::with_capacity(arguments.len() + 1);
        for argument in target.iter().chain(arguments) {
            values.push(self.read(*argument, state)?);
        }
        let program = self.program;
        let implementation = program.functions[id].ok_or_else(|| no_overload(function, &values))?;
        if !is_set_test(program, function, arguments) {
            state.meter.spend(cost::call(function, &values))?;
        }
        let mut call = Call {
            arguments: &values,
            compiled: &program.compiled,
            patterns: &mut state.patterns,
            meter: &mut state.meter,
        };
        match implementation(&mut call) {
            Ok(value) => {
                state.meter.spend(cost::result(function, &value))?;
                Ok(value.into())
            }
            // With a constant expression, cel-go searches with a function of its own, which has other words.
            Err(Failure::NoOverload) if is_search(function) && program.is_compiled(&values) => {
                Err("no such overload".into())
            }
            Err(Failure::NoOverload) => Err(no_overload(function, &values)),
            Err(failure) => Err(failure),
        }
    }

    /// `first.or(second)`, and `first.orValue(second)`: the second is evaluated if the first has no value.
    fn or_optional(
        &mut self,
        first: Id,
        second: Id,
        value: bool,
        state: &mut Evaluator,
    ) -> Evaluation {
        let traced = self.evaluate(first, state)?;
        match traced.value {
            Value::Optional(Some(inner)) if value => {
                Ok(Traced { value: (*inner).clone(), path: traced.path })
            }
            Value::Optional(Some(_)) => Ok(traced),
            Value::Optional(None) => {
                state.reads.add(traced.path.as_ref());
                self.evaluate(second, state)
            }
            _ => Err("no such overload".into()),
        }
    }

    /// `a && b && …` ends with the first false term, `a || b || …` with the first true one. Such a term absorbs errors
    /// and unknown values of the others.
    fn logical(&mut self, terms: &[Id], ends: bool, state: &mut Evaluator) -> Evaluation {
        let start = state.reads.mark();
        let mut failure = None;
        for term in terms {
            let mark = state.reads.mark();
            match self.read(*term, state) {
                Ok(Value::Bool(value)) if value == ends => {
                    state.reads.cut(start, mark);
                    return Ok(Value::Bool(ends).into());
                }
                Ok(Value::Bool(_)) => {}
                Ok(_) => failure = Some(stronger(failure, "no such overload".into())),
                Err(limit @ Failure::Limit(_)) => return Err(limit),
                Err(other) => failure = Some(stronger(failure, other)),
            }
        }
        failure.map_or_else(|| Ok(Value::Bool(!ends).into()), Err)
    }

    fn conditional(&mut self, [condition, yes, no]: &[Id; 3], state: &mut Evaluator) -> Evaluation {
        match self.read(*condition, state)? {
            Value::Bool(true) => self.evaluate(*yes, state),
            Value::Bool(false) => self.evaluate(*no, state),
            _ => Err("no such overload".into()),
        }
    }

    fn list(&mut self, items: &[(Id, bool)], state: &mut Evaluator) -> Evaluation {
        let mut values = Vec::with_capacity(items.len());
        for (item, optional) in items {
            match self.read(*item, state)? {
                Value::Optional(value) if *optional => {
                    values.extend(value.map(|value| (*value).clone()))
                }
                value if *optional => {
                    let shown = crate::value::text::display(&value);
                    let message = format!(
                        "cannot initialize optional list element from non-optional value {shown}"
                    );
                    return Err(Failure::Error(message));
                }
                value => values.push(value),
            }
        }
        state.meter.spend(10)?;
        state.meter.allocate(values.len())?;
        Ok(Value::List(values.into()).into())
    }

    fn map(&mut self, entries: &[(Id, Id, bool)], state: &mut Evaluator) -> Evaluation {
        let mut map = BTreeMap::new();
        for (key, value, optional) in entries {
            let key = as_key(&self.read(*key, state)?)?;
            let value = match self.read(*value, state)? {
                Value::Optional(value) if *optional => value.map(|value| (*value).clone()),
                value if *optional => {
                    let (key, shown) = (
                        crate::value::text::display_key(&key),
                        crate::value::text::display(&value),
                    );
                    let message = format!(
                        "cannot initialize optional entry '{key}' from non-optional value {shown}"
                    );
                    return Err(Failure::Error(message));
                }
                value => Some(value),
            };
            if let Some(value) = value {
                map.insert(key, value);
            }
        }
        state.meter.spend(30)?;
        state.meter.allocate(map.len())?;
        Ok(Value::Map(Arc::new(map)).into())
    }

    fn optional_map(
        &mut self,
        operand: Id,
        name: &'f str,
        body: Id,
        flat: bool,
        state: &mut Evaluator,
    ) -> Evaluation {
        let traced = self.evaluate(operand, state)?;
        match traced.value {
            Value::Optional(Some(value)) => {
                self.locals.push((name, Traced { value: (*value).clone(), path: traced.path }));
                state.meter.spend(if flat { 3 } else { 4 })?;
                let result = self.evaluate(body, state);
                self.locals.pop();
                let result = result?;
                if flat {
                    return Ok(result);
                }
                Ok(Traced { value: functions::optional_of(result.value), path: result.path })
            }
            Value::Optional(None) => {
                state.reads.add(traced.path.as_ref());
                state.meter.spend(2)?;
                Ok(Value::Optional(None).into())
            }
            other => Err(no_overload("hasValue", &[other])),
        }
    }
}

/// The value, unless it is unknown.
fn known(traced: Traced, state: &mut Evaluator) -> Evaluation {
    match &traced.value {
        Value::Unknown { names, .. } => {
            state.reads.add(traced.path.as_ref());
            Err(Failure::Unknown(names.clone()))
        }
        _ => Ok(traced),
    }
}

/// Whether the call asks if a value is in a constant list of simple values: cel-go makes a set of it, which costs nothing.
fn is_set_test(program: &Program, function: &str, arguments: &[Id]) -> bool {
    let is_simple = |item: &Value| {
        matches!(
            item,
            Value::Bool(_) | Value::Int(_) | Value::Uint(_) | Value::Double(_) | Value::String(_)
        )
    };
    match (function, arguments) {
        ("@in", [_, list]) => match &program.ast.nodes[*list].kind {
            Kind::Literal(Value::List(items)) => items.iter().all(is_simple),
            _ => false,
        },
        _ => false,
    }
}

/// Of two failures the one that counts: what is unknown could still decide, so it outweighs errors; of two errors, the
/// first.
fn stronger(first: Option<Failure>, second: Failure) -> Failure {
    match (first, second) {
        (Some(Failure::Unknown(first)), Failure::Unknown(second)) => {
            Failure::Unknown(Arc::new(first.union(&second).cloned().collect()))
        }
        (Some(Failure::Error(_)), unknown @ Failure::Unknown(_)) => unknown,
        (Some(first), _) => first,
        (None, second) => second,
    }
}

fn is_search(function: &str) -> bool {
    SEARCHES.contains(&function)
}

fn no_overload(function: &str, arguments: &[Value]) -> Failure {
    Failure::Error(functions::no_overload(function, arguments))
}

impl Traced {
    /// A part of the value, with its place.
    fn part(&self, value: Value, step: impl FnOnce() -> crate::evaluated::Step) -> Self {
        let path = self.path.as_ref().and_then(|path| trace::below(Some(path), step(), true));
        Self { value, path }
    }
}
