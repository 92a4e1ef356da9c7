//! Go's `text/template`: lexer, parser and evaluator, exact to the byte and to the error text, with
//! the provenance of every output byte.
//!
//! Nothing here knows of Helm. An embedder builds a registry of [`Functions`] once, parses sources
//! into a [`TemplateSet`], and executes templates through an [`Executor`], which functions see as
//! their context.

mod ast;
mod builtins;
mod containers;
mod error;
mod executor;
pub mod format;
mod function;
mod guards;
mod lexer;
mod number;
mod parser;
pub mod provenance;
pub mod quote;
pub mod runes;
mod set;
mod stack;
#[cfg(test)]
mod tests;
mod text;
mod token;
mod tracker;
mod types;
mod value;

pub use containers::{Key, List, Map};
pub use error::{ErrorContext, ExecError, FuncError, ParseError, TextError};
pub use executor::{Executor, MissingKey, Options, TOO_DEEP};
pub use function::{Call, FunctionSpec, Functions, Params, TaintRule};
pub use guards::{Condition, Guarded, Wanted, Wish};
pub use set::TemplateSet;
pub use text::{Text, TextBuilder};
pub use tracker::Tracker;
pub use types::{GoKind, Method, Type};
pub use value::{Data, IntType, Object, UintType, Value};

/// Values that a walk over a nested value visits before it gives up: values can contain themselves.
const MAX_VISITED: usize = 1 << 20;
