//! A change to the bytes of a text.

use crate::Span;

/// Replaces the bytes of `span` with `text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace; empty for an insertion.
    pub span: Span,
    /// The replacement; empty for a deletion.
    pub text: String,
}

impl Edit {
    /// Applies edits, given in any order and with offsets into the original text. `None` when two overlap or one
    /// lies outside the text.
    pub fn apply(text: &str, edits: &[Edit]) -> Option<String> {
        let mut edits: Vec<_> = edits.iter().collect();
        edits.sort_by_key(|edit| edit.span);
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for edit in edits {
            out.push_str(text.get(done..edit.span.start as usize)?);
            out.push_str(&edit.text);
            done = edit.span.end as usize;
        }
        out.push_str(text.get(done..)?);
        Some(out)
    }
}
