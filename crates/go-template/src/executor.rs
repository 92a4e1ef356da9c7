//! Executes templates; also the context that functions see.

mod arguments;
mod call;
mod commands;
mod effects;
mod fields;
mod frame;
mod functions;
mod loops;
mod nodes;
mod options;

use std::any::Any;
use std::rc::Rc;
use std::sync::Arc;

use foldhash::{HashMap, HashSet};

pub(crate) use self::functions::Special;
pub use self::functions::{Call, FunctionSpec, Functions, Method, MethodCall, Params};
pub use self::options::{MissingKey, Options};

use self::frame::{Frame, Operand, Scope};
use crate::ast::Tree;
use crate::budget::Meter;
use crate::error::{ExecError, FuncError, ParseError, TextError};
use crate::parser;
use crate::provenance::{InputSet, Provenance, Taint};
use crate::quote::quote;
use crate::set::TemplateSet;
use crate::stack::StackGuard;
use crate::text::Text;
use crate::text_builder::TextBuilder;
use crate::tracker::Tracker;
use crate::value::{Map, Value};

/// The start of the message of an error for templates that call each other too deeply.
pub const TOO_DEEP: &str = "exceeded maximum template depth";

/// The root input of what stands for templates that do not exist: see [`Options::absent`].
pub const ABSENT: &str = "absent template";

/// The name and the bytes of a text.
type TextKey = (Arc<str>, Arc<[u8]>);

/// Executes the templates of a set and records provenance across all of them.
pub struct Executor<'a> {
    set: &'a TemplateSet,
    /// Templates defined by the texts being executed, innermost last.
    overlays: Vec<TemplateSet>,
    /// Texts that [`Self::run_text`] has parsed.
    texts: HashMap<TextKey, Rc<[Tree]>>,
    functions: &'a Functions,
    options: Options,
    /// The provenance state. A public field, so that functions can borrow it next to others.
    pub tracker: Tracker,
    out: TextBuilder,
    stack: Option<StackGuard>,
    depth: usize,
    meter: Meter,
    written: Written,
    read: Read,
    /// See [`Self::wanted`].
    wanted: Option<Box<str>>,
    host: Box<dyn Any>,
}

/// Whether templates changed what other templates see.
#[derive(Clone, Copy, Debug, Default)]
struct Written {
    /// The template being executed, or executed last, did.
    here: bool,
    /// Any template did.
    anywhere: bool,
}

/// What the output of a template depends on, besides its data as such.
#[derive(Clone, Debug, Default)]
pub struct Read {
    /// Sets with all inputs that it prints or that decide what it prints.
    pub inputs: Vec<InputSet>,
    /// The names of the templates of the set that were executed.
    pub templates: HashSet<Arc<str>>,
    /// It might change what templates after it see.
    pub(crate) has_effects: bool,
}

/// Errors are boxed because most results are not errors.
type Exec<T> = Result<T, Box<ExecError>>;

impl<'a> Executor<'a> {
    /// An executor for the templates of `set`. `functions` are those that `set` was parsed with,
    /// `provenance` holds the inputs that label the data, and functions reach `host` through
    /// [`Self::host`].
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
            tracker: Tracker::new(provenance, options.provenance),
            meter: Meter::new(&options.budget),
            options,
            out: TextBuilder::new(),
            stack: None,
            depth: 0,
            written: Written::default(),
            read: Read::default(),
            wanted: None,
            host: Box::new(host),
        }
    }

    /// Executes the template `name`; `data` becomes its dot. A failed execution leaves no output.
    ///
    /// # Errors
    ///
    /// The template does not exist, a node or function fails, or a budget is used up.
    pub fn execute(&mut self, name: &str, data: &Value) -> Result<TextBuilder, Box<ExecError>> {
        self.stack = Some(StackGuard::new(self.options.max_stack));
        self.overlays.clear();
        self.depth = 0;
        self.written.here = false;
        let Some(tree) = self.find(name).cloned() else { return Err(self.no_template(name)) };
        self.read = Read::default();
        self.tracker.inputs().start_meeting();
        let text = self.capture(&tree, data);
        if let Ok(text) = &text {
            text.meet(self.tracker.inputs());
        }
        self.read.inputs = self.tracker.inputs().take_met();
        text
    }

    /// What the template executed last depends on: with the same, it prints the same. `None` if it changes, or might change
    /// under other conditions, what templates after it see.
    pub fn take_read(&mut self) -> Option<Read> {
        let read = std::mem::take(&mut self.read);
        (self.tracker.is_on() && !self.written.here && !read.has_effects).then_some(read)
    }

    /// For functions: executes the template `name` and returns its output, a string whose pieces keep
    /// their origin.
    ///
    /// # Errors
    ///
    /// As for [`Self::execute`].
    pub fn include(&mut self, name: &str, data: &Value) -> Result<Value, Box<ExecError>> {
        match self.find(name).cloned() {
            Some(tree) => self.capture(&tree, data).map(TextBuilder::finish),
            None => self.absent().ok_or_else(|| self.no_template(name)),
        }
    }

    /// What stands for a template that does not exist.
    fn absent(&mut self) -> Option<Value> {
        let mut text = TextBuilder::new();
        let taint = Taint::of(self.tracker.inputs().root(ABSENT));
        text.push(&mut self.tracker, self.options.absent?, taint);
        Some(text.finish())
    }

    /// For functions: parses the string `text` under `name` into a copy of the set and executes it. Its
    /// definitions do not outlive the call. All that it prints depends on the inputs of the string.
    ///
    /// # Errors
    ///
    /// The text does not parse, or its execution fails as in [`Self::execute`].
    pub fn run_text(&mut self, name: &str, text: &Value, data: &Value) -> Result<Value, TextError> {
        let trees = self.parse_text(name, text).map_err(TextError::Parse)?;
        let Some(root) = trees.iter().find(|tree| *tree.name == *name) else {
            return Ok(Value::from(""));
        };
        let mut overlay = TemplateSet::new(name);
        let replaces = |tree: &&Tree| !tree.is_blank || self.find(&tree.name).is_none();
        overlay.add_trees(trees.iter().filter(replaces).cloned());
        self.overlays.push(overlay);
        let spans = text.as_text().and_then(Text::shared_spans);
        let outer = self.tracker.enter_text(root.source.file, text.taint(), spans);
        let result = self.capture(root, data).map(TextBuilder::finish);
        self.tracker.leave_text(outer);
        self.overlays.pop();
        result.map_err(TextError::Exec)
    }

    /// The embedder's state, as given to [`Self::new`].
    ///
    /// # Panics
    ///
    /// The state is not a `T`.
    pub fn host<T: Any>(&mut self) -> &mut T {
        self.host.downcast_mut().expect("functions belong to the embedder that made the host")
    }

    /// For functions that recurse into values.
    ///
    /// # Errors
    ///
    /// The stack budget is used up.
    pub fn check_stack(&self) -> Result<(), FuncError> {
        if self.stack.is_some_and(StackGuard::is_exhausted) {
            return Err(FuncError::new(self.too_deep()));
        }
        Ok(())
    }

    /// For functions that are about to make `len` bytes.
    ///
    /// # Errors
    ///
    /// The bytes would exceed the budget.
    pub fn check_size(&self, len: usize) -> Result<(), FuncError> {
        Ok(self.meter.check(len)?)
    }

    /// For functions whose work is not proportional to the size of their arguments and result.
    ///
    /// # Errors
    ///
    /// The budget is used up.
    pub fn spend(&mut self, steps: u64) -> Result<(), FuncError> {
        let visited = self.tracker.take_visited();
        Ok(self.meter.spend(steps.saturating_add(visited))?)
    }

    /// For functions that make values other than their result, or containers.
    ///
    /// # Errors
    ///
    /// The budget is used up.
    pub fn allocate(&mut self, bytes: usize) -> Result<(), FuncError> {
        Ok(self.meter.allocate(bytes)?)
    }

    /// For functions: the fields that alone are read of their result, as `.A.B` for `(…).A.B`.
    pub fn wanted(&self) -> Option<&str> {
        self.wanted.as_deref()
    }

    /// For functions that are about to change a map: records whether other templates see the change.
    /// Maps that a template puts into shared maps are not marked as shared, so after the first write to
    /// a shared map every write counts.
    pub fn write_to(&mut self, map: &Map) {
        if map.is_shared() || self.written.anywhere {
            self.written = Written { here: true, anywhere: true };
        }
    }

    /// A map that a branch which was not taken would have changed.
    fn would_change(&mut self, map: &Map) {
        self.read.has_effects |= map.is_shared() || self.written.anywhere;
    }

    /// Whether the template executed last may have changed what other templates see.
    pub fn has_written(&self) -> bool {
        self.written.here
    }

    /// The tables that all texts made by this executor refer to.
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
        let trees: Rc<[Tree]> =
            parser::parse(name, bytes, file, &|name| self.functions.callee(name))?.into();
        self.texts.insert(key, trees.clone());
        Ok(trees)
    }

    /// Executes a template into a buffer of its own.
    fn capture(&mut self, tree: &Tree, data: &Value) -> Exec<TextBuilder> {
        let outer = std::mem::take(&mut self.out);
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
        if !tree.source.file.is_dynamic() && !self.read.templates.contains(&tree.name) {
            self.read.templates.insert(tree.name.clone());
        }
        let outer = self.tracker.enter_template(tree.source.file, self.depth == 0);
        self.depth += 1;
        let scope = Scope { source: &tree.source, dot: &Operand::from(data), wanted: None };
        let result = self.walk(&mut frame, scope, tree.root);
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

    /// Counts work done at the current node, and what the tracker has recorded since the last one.
    fn charge(&mut self, frame: &Frame<'_>, steps: u64) -> Exec<()> {
        let (visited, recorded) = (self.tracker.take_visited(), self.tracker.take_recorded());
        if recorded > 0 {
            self.charge_bytes(frame, recorded)?;
        }
        self.meter.spend(steps + visited).map_err(|limit| frame.fail(limit.to_string()))?;
        if self.stack.is_some_and(StackGuard::is_exhausted) {
            return Err(frame.fail(self.too_deep()));
        }
        Ok(())
    }

    /// Counts bytes made at the current node.
    fn charge_bytes(&mut self, frame: &Frame<'_>, len: usize) -> Exec<()> {
        self.meter.allocate(len).map_err(|limit| frame.fail(limit.to_string()))
    }
}
