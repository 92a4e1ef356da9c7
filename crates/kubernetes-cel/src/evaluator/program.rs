//! A compiled expression.

use std::collections::HashMap;

use regex::Regex;

use crate::ast::{Ast, Kind};
use crate::checker;
use crate::constants;
use crate::environment::Environment;
use crate::evaluated::{Budget, Evaluated, Outcome};
use crate::issue::Issue;
use crate::parser::parse;
use crate::types::Type;
use crate::value::Value;
use crate::value::functions::{self, Failure, Function};

use super::{Evaluator, Variables};

/// An expression that the API server would accept.
#[derive(Clone, Debug)]
pub struct Program {
    text: String,
    pub(crate) ast: Ast,
    /// The function that each call calls.
    pub(crate) functions: Vec<Option<Function>>,
    /// The regular expressions that are constants.
    pub(crate) compiled: HashMap<String, Regex>,
    output: Type,
}

impl Program {
    /// Parses and checks an expression.
    ///
    /// # Errors
    ///
    /// Why the API server refuses it: syntax errors, or all errors of types.
    pub fn compile(text: &str, environment: &Environment) -> Result<Self, Vec<Issue>> {
        let mut ast = parse(text).map_err(|issue| vec![issue])?;
        let output = checker::check(&mut ast, environment)?;
        let compiled = constants::fold(&mut ast).map_err(|issue| vec![issue])?;
        let functions = ast.nodes.iter().map(|node| match &node.kind {
            Kind::Call { function, .. } => functions::find(function),
            _ => None,
        });
        let functions = functions.collect();
        Ok(Self { text: text.to_owned(), ast, functions, compiled, output })
    }

    /// The text of the expression.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The type of its values.
    pub fn output(&self) -> &Type {
        &self.output
    }

    /// The type of its values, as the API server names it: `google.protobuf.Duration`.
    pub fn output_name(&self) -> String {
        self.output.declared_name()
    }

    /// Whether its values are of one of these types.
    ///
    /// # Errors
    ///
    /// The API server's words: `must evaluate to bool but got int`.
    pub fn returns(&self, types: &[Type]) -> Result<(), String> {
        if types.contains(&self.output) {
            return Ok(());
        }
        let names: Vec<_> = types.iter().map(Type::declared_name).collect();
        let expected = match &names[..] {
            [name] => name.clone(),
            names => format!("one of [{}]", names.join(" ")),
        };
        Err(format!("must evaluate to {expected} but got {}", self.output.declared_name()))
    }

    /// Evaluates the expression.
    pub fn evaluate(&self, variables: &Variables, budget: &mut Budget) -> Evaluated {
        let mut evaluator = Evaluator::new(variables, budget.remaining());
        let outcome = evaluator.run(self);
        let is_limited = matches!(outcome, Err(Failure::Limit(_)));
        let outcome = match outcome {
            Ok(traced) => {
                evaluator.reads.add(traced.path.as_ref());
                Outcome::Value(traced.value)
            }
            Err(Failure::Unknown(names)) => Outcome::Unknown((*names).clone()),
            Err(Failure::Error(message)) => Outcome::Error(message),
            Err(Failure::Limit(message)) => Outcome::Error(message.to_owned()),
            Err(Failure::NoOverload) => Outcome::Error("no such overload".to_owned()),
        };
        let cost = evaluator.meter.spent() + evaluator.of_definitions;
        let is_exhausted =
            cost > budget.remaining() || is_limited && budget.remaining() < Budget::PER_EXPRESSION;
        let outcome = if is_exhausted { Outcome::Exhausted } else { outcome };
        budget.spend(cost);
        Evaluated { outcome, reads: evaluator.reads.list(), cost }
    }

    /// Whether the second value is a constant regular expression.
    pub(crate) fn is_compiled(&self, values: &[Value]) -> bool {
        values
            .get(1)
            .and_then(Value::as_str)
            .is_some_and(|pattern| self.compiled.contains_key(pattern))
    }
}
