#![doc = include_str!("../README.md")]
#![warn(missing_docs, unreachable_pub)]

mod block_scalar;
mod counterpart;
mod diagnose;
mod document;
mod edit;
pub mod emit;
mod error;
mod events;
mod json;
mod lenient;
mod mapping;
mod node;
mod number;
mod offset;
mod parse;
mod scalar;
mod source;
mod span;
mod strict;
mod text;
mod timestamp;
mod tree;
mod whitespace;

pub use document::Document;
pub use edit::Edit;
pub use error::{ErrorKind, ParseError, ParserMessage};
pub use node::{Entry, Map, Node, Style, Value};
pub use offset::Offsets;
pub use parse::{BAD_SEPARATOR, parse, parse_field, parse_first, parse_some, parse_up_to_field};
pub use scalar::resolve;
pub use source::{Location, Origin, Position, Source, Written};
pub use span::Span;
pub use text::char_start;
pub use timestamp::timestamp;
