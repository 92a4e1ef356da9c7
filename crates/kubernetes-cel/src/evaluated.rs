//! What an evaluation finds out.

use std::collections::BTreeSet;
use std::fmt;

use crate::value::Value;

/// The result of an evaluation.
#[derive(Clone, Debug)]
pub struct Evaluated {
    /// Value, error or unknown.
    pub outcome: Outcome,
    /// What of the variables decided the outcome, in the order of evaluation, each once. What another operand made
    /// irrelevant is left out: of `a && b` only the false one.
    pub reads: Vec<Read>,
    /// What the evaluation cost, in the API server's units.
    pub cost: u64,
}

/// What an expression evaluates to.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A value.
    Value(Value),
    /// It depends on what only a cluster knows.
    Unknown(BTreeSet<String>),
    /// It fails: cel-go's words, for example `no such key: limits`.
    Error(String),
    /// It costs more than what is left of the budget: [`Budget::EXHAUSTED`].
    Exhausted,
}

/// A part of a variable that was read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Read {
    /// The variable: `object`.
    pub root: String,
    /// The way from there.
    pub steps: Vec<Step>,
    /// How many of the steps lead to something that is there.
    pub present: usize,
}

/// From an object to a field, or from a list to an item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// The value of a key.
    Field(String),
    /// The item with this index.
    Index(usize),
}

impl fmt::Display for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.root)?;
        for step in &self.steps {
            match step {
                Step::Field(name) if is_identifier(name) => write!(f, ".{name}")?,
                Step::Field(name) => write!(f, "[{name:?}]")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

fn is_identifier(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// What may still be spent, in the API server's units of cost.
#[derive(Clone, Debug)]
pub struct Budget {
    limit: u64,
    remaining: u64,
}

impl Budget {
    /// What one expression may cost.
    pub const PER_EXPRESSION: u64 = 1_000_000;
    /// What all expressions of a binding of a policy may cost for one object.
    pub const PER_POLICY: u64 = 10_000_000;
    /// What the match conditions of a policy may cost for one object.
    pub const PER_MATCH_CONDITIONS: u64 = 2_500_000;

    /// The API server's words for an exhausted budget.
    pub const EXHAUSTED: &str = "validation failed due to running out of cost budget, no further validation rules will be run";

    /// A budget of this cost.
    pub fn new(cost: u64) -> Self {
        Self { limit: cost, remaining: cost }
    }

    /// What was spent.
    pub fn spent(&self) -> u64 {
        self.limit - self.remaining
    }

    /// What is left.
    pub fn remaining(&self) -> u64 {
        self.remaining
    }

    /// Takes cost away, down to nothing.
    pub(crate) fn spend(&mut self, cost: u64) {
        self.remaining = self.remaining.saturating_sub(cost);
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::new(Self::PER_POLICY)
    }
}
