//! One document of a text.

use crate::{Node, Span};

/// One document of a text.
#[derive(Clone, Debug)]
pub struct Document {
    /// The value it holds, never null.
    pub root: Node,
    /// The bytes between its separators.
    pub span: Span,
}
