//! Executes templates; the context that functions see.

mod arguments;
mod call;
mod commands;
mod effects;
mod fields;
mod frame;
mod loops;
mod nodes;

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use self::frame::Frame;
use foldhash::HashMap;

use super::ast::Tree;
use super::parser::parse;
use super::quote::quote;
use super::stack::StackGuard;
use super::{
    ExecError, FuncError, Functions, Map, ParseError, TemplateSet, Text, TextBuilder, TextError,
    Tracker, Value,
};
use crate::provenance::Provenance;

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

/// How to execute, and how far to go. The budgets are for all executions of an [`Executor`]
/// together.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub missing_key: MissingKey,
    /// Record provenance; without it, taints and span maps stay empty.
    pub provenance: bool,
    /// Nested `template`, [`Executor::include`] and [`Executor::run_text`] calls.
    pub max_depth: usize,
    /// Stack that execution may use, in bytes, from where [`Executor::execute`] was called. An
    /// `include` inside two blocks takes some 5 kB in an optimised build, several times that in
    /// another. Leave as much again of the thread's stack for functions and for printing errors.
    pub max_stack: usize,
    /// Nodes to execute.
    pub max_steps: u64,
    /// Bytes that may be printed, into whatever buffer, or returned by functions.
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

/// How the error of templates starts that call each other too deep.
pub const TOO_DEEP: &str = "exceeded maximum template depth";

type TextKey = (Arc<str>, Arc<[u8]>);

/// Executes the templates of a set, keeping provenance over all of them.
pub struct Executor<'a> {
    set: &'a TemplateSet,
    /// Templates defined by the texts being run, innermost last.
    overlays: Vec<TemplateSet>,
    /// What [`Self::run_text`] parsed before, by name and text.
    texts: HashMap<TextKey, Rc<[Tree]>>,
    functions: &'a Functions,
    options: Options,
    /// The provenance state; a field of its own so that it can be borrowed beside others.
    pub tracker: Tracker,
    out: TextBuilder,
    stack: Option<StackGuard>,
    depth: usize,
    steps: u64,
    produced: usize,
    written: Written,
    host: Box<dyn Any>,
}

/// Whether templates changed what other templates see.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    /// The template that is executed, or was executed last.
    here: bool,
    /// Any of them.
    anywhere: bool,
}

/// Inside, errors are boxed: most results are not errors.
type Exec<T> = Result<T, Box<ExecError>>;

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
        Self {
            set,
            overlays: Vec::new(),
            texts: HashMap::default(),
            functions,
            options,
            tracker: Tracker::new(provenance, options.provenance),
            out: TextBuilder::new(),
            stack: None,
            depth: 0,
            steps: 0,
            produced: 0,
            written: Written::default(),
            host: Box::new(host),
        }
    }

    /// Executes a template from the top. What a failed execution printed is lost.
    pub fn execute(&mut self, name: &str, data: &Value) -> Result<TextBuilder, Box<ExecError>> {
        self.stack = Some(StackGuard::new(self.options.max_stack));
        self.overlays.clear();
        self.depth = 0;
        self.written.here = false;
        let Some(tree) = self.find(name).cloned() else { return Err(self.no_template(name)) };
        // Most templates print about as much as is written in them.
        self.capture(TextBuilder::with_capacity(tree.module.text.len()), &tree, data)
    }

    /// For functions: executes a template and returns its output as a string value whose pieces
    /// keep their origin.
    pub fn include(&mut self, name: &str, data: &Value) -> Result<Value, Box<ExecError>> {
        let Some(tree) = self.find(name).cloned() else { return Err(self.no_template(name)) };
        self.capture(TextBuilder::new(), &tree, data).map(TextBuilder::finish)
    }

    /// For functions: parses a string under `name` into a copy of the set and executes it. The
    /// definitions in it are gone afterwards. The inputs of the string count for all it prints.
    pub fn run_text(&mut self, name: &str, text: &Value, data: &Value) -> Result<Value, TextError> {
        let trees = self.parse_text(name, text).map_err(TextError::Parse)?;
        let Some(root) = trees.iter().find(|tree| *tree.name == *name) else {
            return Ok(Value::from(""));
        };
        let mut overlay = TemplateSet::new(name);
        let replaces = |tree: &&Tree| !tree.is_blank || self.find(&tree.name).is_none();
        overlay.add(trees.iter().filter(replaces).cloned().collect());
        self.overlays.push(overlay);
        let outer = self.tracker.enter_text(root.module.file, text);
        let result = self.capture(TextBuilder::new(), root, data).map(TextBuilder::finish);
        self.tracker.leave_text(outer);
        self.overlays.pop();
        result.map_err(TextError::Exec)
    }

    /// The embedder's state, as given to [`Self::new`].
    pub fn host<T: Any>(&mut self) -> &mut T {
        self.host.downcast_mut().expect("functions belong to the embedder that made the host")
    }

    /// Whether a template of this name can be called.
    pub fn has_template(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Fails when the native stack is nearly used up. To be asked by functions that recurse into
    /// values.
    pub fn check_stack(&self) -> Result<(), FuncError> {
        if self.stack.is_some_and(StackGuard::is_exhausted) {
            return Err(FuncError::new(self.too_deep()));
        }
        Ok(())
    }

    /// Fails when a function that is about to make `len` bytes would exceed the budget.
    pub fn check_size(&self, len: usize) -> Result<(), FuncError> {
        if self.produced.saturating_add(len) > self.options.max_output {
            return Err(FuncError::new(self.too_large()));
        }
        Ok(())
    }

    /// To be told by functions that are about to change a map. What a template put into shared maps is not
    /// known to be shared, so that from then on every change counts.
    pub fn write_to(&mut self, map: &Map) {
        if map.is_shared() || self.written.anywhere {
            self.written = Written { here: true, anywhere: true };
        }
    }

    /// Whether the template that was executed last may have changed what others see.
    pub fn has_written(&self) -> bool {
        self.written.here
    }

    /// Ends the execution; the tables that all texts made by it refer to.
    pub fn into_provenance(self) -> Provenance {
        self.tracker.into_provenance()
    }

    fn find(&self, name: &str) -> Option<&Tree> {
        let overlays = self.overlays.iter().rev();
        overlays.chain([self.set]).find_map(|set| set.find(name))
    }

    fn parse_text(&mut self, name: &str, text: &Value) -> Result<Rc<[Tree]>, ParseError> {
        let bytes: Arc<[u8]> = text.bytes().into();
        let key = (Arc::from(name), bytes.clone());
        if let Some(trees) = self.texts.get(&key) {
            return Ok(trees.clone());
        }
        let file = self.tracker.add_text(name, bytes.clone());
        let trees: Rc<[Tree]> = parse(name, bytes, file, self.functions)?.into();
        self.texts.insert(key, trees.clone());
        Ok(trees)
    }

    /// Executes a template into a buffer of its own.
    fn capture(&mut self, buffer: TextBuilder, tree: &Tree, data: &Value) -> Exec<TextBuilder> {
        let outer = std::mem::replace(&mut self.out, buffer);
        let result = self.enter(tree, data.clone());
        let inner = std::mem::replace(&mut self.out, outer);
        result.map(|()| inner)
    }

    /// Executes a template into the current buffer.
    fn enter(&mut self, tree: &Tree, data: Value) -> Exec<()> {
        let mut frame = Frame::new(tree, data.clone());
        if self.depth >= self.options.max_depth {
            return Err(frame.fail(self.too_deep()));
        }
        let outer = self.tracker.enter_template(tree.module.file, self.depth == 0);
        self.depth += 1;
        let module = tree.module.clone();
        let dot = frame::Operand::from(data);
        let result = self.walk(&mut frame, &module, &dot, tree.root);
        self.tracker.restore(outer);
        self.depth -= 1;
        result.map(|_| ())
    }

    #[cold]
    fn no_template(&self, name: &str) -> Box<ExecError> {
        let (quoted, set) = (quote(name.as_bytes()), quote(self.set.name().as_bytes()));
        let message = format!("no template {quoted} associated with template {set}");
        Box::new(ExecError { template: name.into(), at: None, message, cause: None })
    }

    fn too_deep(&self) -> String {
        format!("{TOO_DEEP} ({})", self.options.max_depth)
    }

    fn too_large(&self) -> String {
        format!("exceeded maximum output size ({} bytes)", self.options.max_output)
    }

    /// Counts work done at the current node.
    fn charge(&mut self, frame: &Frame<'_>, steps: u64) -> Exec<()> {
        self.steps += steps;
        if self.steps > self.options.max_steps {
            let message = format!("exceeded maximum number of steps ({})", self.options.max_steps);
            return Err(frame.fail(message));
        }
        if self.stack.is_some_and(StackGuard::is_exhausted) {
            return Err(frame.fail(self.too_deep()));
        }
        Ok(())
    }

    /// Counts bytes made at the current node.
    fn charge_bytes(&mut self, frame: &Frame<'_>, len: usize) -> Exec<()> {
        self.produced = self.produced.saturating_add(len);
        if self.produced > self.options.max_output {
            return Err(frame.fail(self.too_large()));
        }
        Ok(())
    }
}
