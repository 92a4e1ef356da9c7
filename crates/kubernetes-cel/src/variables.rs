//! The values of the variables for one object.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::evaluator::Evaluation;
use crate::program::Program;
use crate::trace::{self, Path};
use crate::value::Value;

/// The values of the variables for one object. `variables.NAME` is evaluated when it is first read, and once.
#[derive(Debug, Default)]
pub struct Variables<'p> {
    roots: HashMap<String, (Value, Path)>,
    definitions: HashMap<String, &'p Program>,
    known: RefCell<HashMap<String, Known>>,
}

/// What a definition came to, and what it read.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) outcome: Evaluation,
    pub(crate) reads: Vec<Path>,
}

/// What is known of `variables.NAME`.
pub(crate) enum Definition<'p> {
    None,
    Known(Known),
    Program(&'p Program),
}

impl<'p> Variables<'p> {
    /// Without any value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a variable. What only a cluster knows is [`Value::unknown`].
    pub fn set(&mut self, name: &str, value: Value) {
        self.known.get_mut().clear();
        self.roots.insert(name.to_owned(), (value, trace::root(name)));
    }

    /// Defines `variables.NAME`.
    pub fn define(&mut self, name: &str, program: &'p Program) {
        self.known.get_mut().clear();
        self.definitions.insert(name.to_owned(), program);
    }

    pub(crate) fn root(&self, name: &str) -> Option<(Value, Path)> {
        self.roots.get(name).cloned()
    }

    pub(crate) fn has_definitions(&self) -> bool {
        !self.definitions.is_empty()
    }

    pub(crate) fn defines(&self, name: &str) -> bool {
        self.definitions.contains_key(name)
    }

    pub(crate) fn definition(&self, name: &str) -> Definition<'p> {
        if let Some(known) = self.known.borrow().get(name) {
            return Definition::Known(known.clone());
        }
        self.definitions.get(name).map_or(Definition::None, |program| Definition::Program(program))
    }

    pub(crate) fn remember(&self, name: &str, outcome: Evaluation, reads: &[Path]) {
        self.known.borrow_mut().insert(name.to_owned(), Known { outcome, reads: reads.to_vec() });
    }
}
