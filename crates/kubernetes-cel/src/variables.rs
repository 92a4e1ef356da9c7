//! The values of the variables for one object.

use std::cell::RefCell;
use std::collections::HashMap;

use crate::evaluated::Evaluated;
use crate::program::Program;
use crate::value::Value;

/// The values of the variables for one object. `variables.NAME` is evaluated when it is first read, and once.
#[derive(Debug, Default)]
pub struct Variables<'p> {
    roots: HashMap<String, Value>,
    definitions: HashMap<String, &'p Program>,
    cache: RefCell<HashMap<String, Evaluated>>,
}

impl<'p> Variables<'p> {
    /// Without any value.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the value of a variable. What only a cluster knows is [`Value::unknown`].
    pub fn set(&mut self, name: &str, value: Value) {
        self.cache.get_mut().clear();
        self.roots.insert(name.to_owned(), value);
    }

    /// Defines `variables.NAME`.
    pub fn define(&mut self, name: &str, program: &'p Program) {
        self.cache.get_mut().clear();
        self.definitions.insert(name.to_owned(), program);
    }
}
