//! How to execute, and how far to go.

use crate::budget::Budget;

/// The result of a map lookup that finds no entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// No value: Go's option `missingkey=default`.
    #[default]
    Invalid,
    /// The zero value of the element type: `missingkey=zero`.
    Zero,
    /// An error: `missingkey=error`.
    Error,
}

/// How to execute, and how far to go.
#[derive(Clone, Debug)]
pub struct Options {
    /// The result of a map lookup that finds no entry.
    pub missing_key: MissingKey,
    /// Whether to record provenance; without it, taints and span maps stay empty.
    pub provenance: bool,
    /// What a template prints that does not exist. Without it, to execute one is an error.
    pub absent: Option<&'static str>,
    /// Nested calls of `template`, [`Executor::include`](super::Executor::include) and
    /// [`Executor::run_text`](super::Executor::run_text).
    pub max_depth: usize,
    /// Bytes of stack that one call of [`Executor::execute`](super::Executor::execute) may use. An
    /// `include` inside two blocks takes about 5 kB in an optimised build and several times that in a
    /// debug build. Leave as much again of the thread's stack for functions and for printing errors.
    pub max_stack: usize,
    /// Steps, bytes and time, shared with all other executions that get the same budget.
    pub budget: Budget,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            missing_key: MissingKey::default(),
            provenance: true,
            absent: None,
            max_depth: 100_000,
            max_stack: 1 << 20,
            budget: Budget::default(),
        }
    }
}
