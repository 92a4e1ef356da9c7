//! YAML as Kubernetes reads it: one parse into a tree of values with byte spans.

mod breaks;
mod document;
mod edit;
mod json;
mod lenient;
mod node;
mod number;
mod offset;
mod parse;
mod problem;
pub mod regular_file;
mod scalar;
mod source;
mod tree;

pub use edit::Edit;
pub use node::{Entry, Map, Node, Style, Value};
pub use offset::Offsets;
pub use parse::unprintable;
pub use parse::{Document, parse, parse_some};
pub use problem::Problem;
pub use scalar::resolve;
pub use source::{Location, Origin, Position, Source, Span, Written, char_start};
