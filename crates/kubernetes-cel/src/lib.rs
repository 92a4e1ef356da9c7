#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod ast;
mod checker;
mod constants;
mod cost;
mod environment;
mod equality;
mod evaluated;
mod evaluator;
mod format_string;
mod functions;
mod issue;
mod lexer;
mod literal;
mod macros;
mod parser;
mod program;
mod signatures;
mod stack;
mod text;
mod trace;
mod types;
mod unify;
mod value;
mod variables;

pub use environment::Environment;
pub use evaluated::{Budget, Evaluated, Outcome, Read, Step};
pub use issue::{Issue, Stage, display, refusal};
pub use program::Program;
pub use types::{Structure, Type};
pub use value::{Key, Timestamp, Value};
pub use variables::Variables;
