//! The interface between templates and functions.

use foldhash::{HashMap, HashMapExt as _};

use super::{Executor, FuncError, Type, Value};

/// A function's body. Arguments have been counted and converted as the signature says; a variadic
/// tail follows the fixed arguments in the same slice.
pub type Call = fn(&mut Executor<'_>, &[Value]) -> Result<Value, FuncError>;

/// The parameters of a function or method.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    pub fixed: &'static [&'static Type],
    /// Element type of a variadic tail.
    pub rest: Option<&'static Type>,
}

impl Params {
    pub const NONE: Self = Self::fixed(&[]);

    pub const fn fixed(fixed: &'static [&'static Type]) -> Self {
        Self { fixed, rest: None }
    }

    pub const fn variadic(fixed: &'static [&'static Type], rest: &'static Type) -> Self {
        Self { fixed, rest: Some(rest) }
    }

    /// The type of parameter `index`; must exist.
    pub fn at(&self, index: usize) -> &'static Type {
        self.fixed.get(index).copied().or(self.rest).expect("arguments were counted")
    }
}

/// What the executor does about the provenance of a function's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaintRule {
    /// Everything that can be seen of the arguments, containers in depth, flows into the result as
    /// data. Right for hashes, arithmetic, comparisons, conversions.
    Arguments,
    /// The result carries what the function put there. Right for functions that pass structure or
    /// text on (`dict`, `default`, `nindent`, `include`), which then state data and control
    /// themselves.
    Own,
}

/// A function as templates see it.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSpec {
    pub name: &'static str,
    pub params: Params,
    /// Static result type: [`Type::INTERFACE`] where the Go function returns `interface{}`.
    pub result: &'static Type,
    pub taint: TaintRule,
    /// The first argument is changed in place (`set`, `unset`, `merge`). A call in a branch that
    /// is not taken then marks the target as depending on the branch.
    pub mutates: bool,
    pub call: Call,
    pub(super) special: Special,
}

/// Built-in functions that the executor treats specially.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Special {
    No,
    And,
    Or,
    Call,
}

impl FunctionSpec {
    /// A function with fixed parameters whose result depends on all arguments.
    pub const fn new(
        name: &'static str,
        fixed: &'static [&'static Type],
        result: &'static Type,
        call: Call,
    ) -> Self {
        let params = Params::fixed(fixed);
        let (taint, special) = (TaintRule::Arguments, Special::No);
        Self { name, params, result, taint, mutates: false, call, special }
    }

    /// The same with a variadic tail.
    pub const fn variadic(mut self, rest: &'static Type) -> Self {
        self.params.rest = Some(rest);
        self
    }

    /// The function sees to the provenance of its result itself.
    pub const fn own_taint(mut self) -> Self {
        self.taint = TaintRule::Own;
        self
    }

    /// The function changes its first argument in place.
    pub const fn mutating(mut self) -> Self {
        self.mutates = true;
        self
    }
}

/// The functions that templates may call, by name: the built-in ones of `text/template` and the
/// embedder's, which win. Built once, then shared between threads.
#[derive(Debug)]
pub struct Functions {
    by_name: HashMap<&'static str, &'static FunctionSpec>,
}

impl Functions {
    /// The built-in functions alone.
    pub fn builtin() -> Self {
        // Room for those of an embedder too.
        let by_name = HashMap::with_capacity(400);
        let mut functions = Self { by_name };
        functions.extend(super::builtins::SPECS);
        functions
    }

    /// Adds functions; a name that exists is replaced.
    pub fn extend(&mut self, specs: &'static [FunctionSpec]) {
        self.by_name.extend(specs.iter().map(|spec| (spec.name, spec)));
    }

    pub fn find(&self, name: &str) -> Option<&'static FunctionSpec> {
        self.by_name.get(name).copied()
    }

    /// The names, in no order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().copied()
    }
}
