//! Executes templates; the context that functions see.

use std::any::Any;

use super::{ExecError, FuncError, Functions, ParseError, TemplateSet, Text, Tracker, Value};
use crate::provenance::{FileId, Position, Provenance};

/// What a map lookup that finds nothing does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MissingKey {
    /// `missingkey=default`: no value.
    #[default]
    Invalid,
    /// `missingkey=zero`: the zero value of the element type. What Helm sets.
    Zero,
    /// `missingkey=error`.
    Error,
}

/// How to execute, and how far to go.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub missing_key: MissingKey,
    /// Record provenance; without it, [`Executor::into_provenance`] is empty.
    pub provenance: bool,
    /// Nested `template`, [`Executor::include`] and [`Executor::run_text`] calls.
    pub max_depth: usize,
    /// Stack that execution may use, in bytes. Leave some of the thread's stack for functions.
    pub max_stack: usize,
    /// Nodes to execute and values to print.
    pub max_steps: u64,
    /// Bytes that may be held in outputs and strings under construction.
    pub max_output: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            missing_key: MissingKey::default(),
            provenance: true,
            max_depth: 100_000,
            max_stack: 1 << 20,
            max_steps: 50_000_000,
            max_output: 256 << 20,
        }
    }
}

/// Why [`Executor::run_text`] failed.
#[derive(Debug)]
pub enum TextError {
    Parse(ParseError),
    Exec(ExecError),
}

/// Executes the templates of a set, keeping provenance over all of them.
pub struct Executor<'a> {
    set: &'a TemplateSet,
    functions: &'a Functions,
    options: Options,
    /// The provenance state; a field of its own so that it can be borrowed beside others.
    pub tracker: Tracker,
    host: Box<dyn Any>,
}

impl<'a> Executor<'a> {
    /// An executor whose functions find `host` as [`Self::host`]. `provenance` holds the inputs
    /// that the data are labelled with.
    pub fn new(
        set: &'a TemplateSet,
        functions: &'a Functions,
        options: Options,
        provenance: Provenance,
        host: impl Any,
    ) -> Self {
        let start = Position { file: FileId(0), start: 0, end: 0 };
        let tracker = Tracker::new(provenance, options.provenance, start);
        Self { set, functions, options, tracker, host: Box::new(host) }
    }

    /// Executes a template from the top. The text of a failed execution is lost.
    pub fn execute(&mut self, name: &str, data: &Value) -> Result<Text, ExecError> {
        let _ = (self.set, self.functions, self.options, name, data);
        Err(ExecError { template: name.into(), at: None, message: String::new(), cause: None })
    }

    /// For functions: executes a template and returns its output as a string value whose pieces
    /// keep their origin.
    pub fn include(&mut self, name: &str, data: &Value) -> Result<Value, ExecError> {
        self.execute(name, data).map(Value::from)
    }

    /// For functions: parses a string under `name` into a copy of the set and executes it. The
    /// definitions in it are gone afterwards.
    pub fn run_text(&mut self, name: &str, text: &Value, data: &Value) -> Result<Value, TextError> {
        let _ = text;
        self.include(name, data).map_err(TextError::Exec)
    }

    /// The embedder's state, as given to [`Self::new`].
    pub fn host<T: Any>(&mut self) -> &mut T {
        self.host.downcast_mut().expect("functions belong to the embedder that made the host")
    }

    /// Fails when the native stack is nearly used up. To be asked by functions that recurse into
    /// values.
    pub fn check_stack(&self) -> Result<(), FuncError> {
        Ok(())
    }

    /// Ends the execution; the tables that all texts made by it refer to.
    pub fn into_provenance(self) -> Provenance {
        self.tracker.into_provenance()
    }
}
