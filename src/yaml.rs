//! YAML as Kubernetes reads it: one parse into a tree of values with byte spans.

mod breaks;
mod document;
mod json;
mod node;
mod number;
mod offset;
mod parse;
mod problem;
pub(crate) mod quick;
mod repair;
mod scalar;
mod tree;

pub use node::{Entry, Map, Node, Style, Value};
pub use offset::Offsets;
pub(crate) use parse::unprintable;
pub use parse::{Document, parse, parse_some};
pub use problem::Problem;
pub use scalar::resolve;
