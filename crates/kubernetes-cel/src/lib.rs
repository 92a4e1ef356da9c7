#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod ast;
mod environment;
mod evaluated;
mod issue;
mod lexer;
mod literal;
mod macros;
mod parser;
mod program;
mod types;
mod value;
mod variables;

pub use environment::Environment;
pub use evaluated::{Budget, Evaluated, Outcome, Read, Step};
pub use issue::{Issue, display};
pub use program::Program;
pub use types::{Structure, Type};
pub use value::{Key, Timestamp, Value};
pub use variables::Variables;
