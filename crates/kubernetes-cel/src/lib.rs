#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod ast;
mod checker;
mod constants;
mod environment;
mod evaluated;
mod evaluator;
mod issue;
mod lexer;
mod literal;
mod parser;
mod signatures;
mod stack;
mod trace;
mod types;
mod unify;
mod value;

pub use environment::Environment;
pub use evaluated::{Budget, Evaluated, Outcome, Read, Step};
pub use evaluator::{Program, Variables};
pub use issue::{Issue, Stage, display, refusal};
pub use types::{Structure, Type};
pub use value::{Key, Opaque, Timestamp, Value};
