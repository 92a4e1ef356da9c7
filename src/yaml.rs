//! YAML as Kubernetes reads it: one parse into a tree of values with byte spans.

mod node;
mod parse;
mod scalar;

pub use node::{Entry, Map, Node, Style, Value};
pub use parse::{Document, Problem, parse};
