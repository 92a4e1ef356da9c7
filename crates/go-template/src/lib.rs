#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod ast;
mod budget;
mod builtins;
mod error;
mod executor;
pub mod format;
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
mod text_builder;
mod token;
mod tracker;
mod types;
mod value;

pub use budget::{Budget, Limit, Limits, Meter, Pool};
pub use error::{ErrorContext, ExecError, FuncError, ParseError, TextError};
pub use executor::{
    ABSENT, Call, Executor, FunctionSpec, Functions, Method, MethodCall, MissingKey, Options,
    Params, Read, TOO_DEEP,
};
pub use guards::{Condition, GuardedText, RequiredValue, Requirement};
pub use set::{ParsedSource, TemplateSet};
pub use text::Text;
pub use text_builder::TextBuilder;
pub use tracker::Tracker;
pub use types::{GoKind, Type};
pub use value::{Data, IntType, Key, List, Map, Object, UintType, Value};
