//! The interface between templates and functions.

use std::sync::Arc;

use foldhash::{HashMap, HashMapExt as _};

use super::Executor;
use crate::ast::Callee;
use crate::error::{FuncError, ParseError};
use crate::parser;
use crate::provenance::FileId;
use crate::set::{ParsedSource, TemplateSet};
use crate::types::Type;
use crate::value::Value;

/// The body of a function. The arguments have been counted and converted as the parameters say; a
/// variadic tail follows the fixed arguments in the same slice.
///
/// An error stops the execution.
pub type Call = fn(&mut Executor<'_>, &[Value]) -> Result<Value, FuncError>;

/// The body of a method: like [`Call`], with the receiver before the arguments.
pub type MethodCall = fn(&mut Executor<'_>, &Value, &[Value]) -> Result<Value, FuncError>;

/// The parameters of a function or method.
#[derive(Clone, Copy, Debug)]
pub struct Params {
    pub(crate) fixed: &'static [&'static Type],
    /// Element type of a variadic tail.
    pub(crate) rest: Option<&'static Type>,
}

impl Params {
    /// No parameters.
    pub const NONE: Self = Self::fixed(&[]);

    /// Parameters of these types.
    pub const fn fixed(fixed: &'static [&'static Type]) -> Self {
        Self { fixed, rest: None }
    }

    /// The type of parameter `index`, which must exist.
    pub(super) fn at(&self, index: usize) -> &'static Type {
        self.fixed.get(index).copied().or(self.rest).expect("arguments were counted")
    }
}

/// The provenance that the executor adds to the result of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TaintRule {
    /// All inputs of the arguments, containers in depth, as data. Right for hashes, arithmetic,
    /// comparisons, conversions.
    Arguments,
    /// None: the function sets the taint. Right for functions that pass on structure or text (`dict`,
    /// `default`, `nindent`, `include`).
    Own,
}

/// A function that templates can call.
#[derive(Clone, Copy, Debug)]
pub struct FunctionSpec {
    pub(super) name: &'static str,
    pub(super) params: Params,
    pub(super) result: &'static Type,
    pub(super) taint: TaintRule,
    pub(super) mutates: bool,
    pub(super) call: Call,
    pub(super) special: Special,
}

/// Built-in functions that the executor evaluates itself, at least in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    No,
    And,
    Or,
    Call,
}

impl FunctionSpec {
    /// A function with fixed parameters whose result depends on all arguments. `result` is the static
    /// result type: [`Type::INTERFACE`] where the Go function returns `interface{}`.
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

    /// Adds a variadic tail of type `rest`.
    pub const fn variadic(mut self, rest: &'static Type) -> Self {
        self.params.rest = Some(rest);
        self
    }

    /// Leaves the taint of the result to the function. It then states data and control itself.
    pub const fn own_taint(mut self) -> Self {
        self.taint = TaintRule::Own;
        self
    }

    /// Declares that the function changes its first argument in place (`set`, `unset`, `merge`). A call
    /// in a branch that is not taken then makes the target depend on the condition of the branch.
    pub const fn mutating(mut self) -> Self {
        self.mutates = true;
        self
    }

    pub(crate) const fn special(mut self, special: Special) -> Self {
        self.special = special;
        self
    }
}

/// A method that templates can call on values of a type.
#[derive(Debug)]
pub struct Method {
    /// The name in Go.
    pub name: &'static str,
    /// The parameters, without the receiver.
    pub params: Params,
    /// The body.
    pub call: MethodCall,
}

/// The functions that templates can call, and the methods of the types they see: those of
/// `text/template` and those of the embedder. Threads can share it once it is built.
#[derive(Debug)]
pub struct Functions {
    by_name: HashMap<&'static str, &'static FunctionSpec>,
    /// By the name of the type.
    methods: HashMap<&'static str, &'static [Method]>,
}

impl Functions {
    pub(crate) fn of(specs: &'static [FunctionSpec]) -> Self {
        let mut functions = Self { by_name: HashMap::new(), methods: HashMap::new() };
        functions.extend(specs);
        functions
    }

    /// Adds functions; they replace those of the same name.
    pub fn extend(&mut self, specs: &'static [FunctionSpec]) {
        self.by_name.extend(specs.iter().map(|spec| (spec.name, spec)));
    }

    /// Sets the methods of a type.
    pub fn set_methods(&mut self, go_type: &'static Type, methods: &'static [Method]) {
        self.methods.insert(go_type.name, methods);
    }

    /// The names of all functions, in no particular order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().copied()
    }

    /// The function called `name`.
    pub fn find(&self, name: &str) -> Option<&'static FunctionSpec> {
        self.by_name.get(name).copied()
    }

    pub(super) fn method(&self, go_type: &Type, name: &str) -> Option<&'static Method> {
        self.methods.get(go_type.name)?.iter().find(|method| method.name == name)
    }

    pub(super) fn callee(&self, name: &str) -> Option<Callee> {
        let spec = self.find(name)?;
        Some(Callee { name: spec.name, mutates: spec.mutates })
    }
}

impl TemplateSet {
    /// Parses a source: its text becomes the template `name`, its definitions become further templates.
    /// Later definitions replace earlier ones, except that blank ones replace nothing.
    ///
    /// # Errors
    ///
    /// The source is not a valid template, or calls a function that is not in `functions`. The set is
    /// unchanged.
    pub fn parse(
        &mut self,
        name: &str,
        text: impl Into<Arc<[u8]>>,
        file: FileId,
        functions: &Functions,
    ) -> Result<(), ParseError> {
        self.add(&ParsedSource::parse(name, text, file, functions)?);
        Ok(())
    }
}

impl ParsedSource {
    /// Parses a source: its text becomes the template `name`, its definitions become further templates.
    ///
    /// # Errors
    ///
    /// The source is not a valid template, or calls a function that is not in `functions`.
    pub fn parse(
        name: &str,
        text: impl Into<Arc<[u8]>>,
        file: FileId,
        functions: &Functions,
    ) -> Result<Self, ParseError> {
        parser::parse(name, text.into(), file, &|name| functions.callee(name))
            .map(|trees| Self(trees.into()))
    }
}
