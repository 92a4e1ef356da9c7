//! Line and character boundaries around a byte offset.

use crate::Span;

/// The nearest character boundary at or before a byte offset; an offset past the end counts as the end.
pub fn char_start(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The offset of the first byte of the line that holds an offset.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |found| found + 1)
}

/// The character at an offset; at the end of a line or of the text, the last one before it that is not
/// white space.
pub(crate) fn character(text: &str, at: usize) -> Span {
    let here = text[at..].chars().next().filter(|c| !matches!(c, '\n' | '\r'));
    let before = || text[..at].trim_end().char_indices().next_back();
    match (here, before()) {
        (Some(found), _) => Span::new(at, at + found.len_utf8()),
        (None, Some((at, found))) => Span::new(at, at + found.len_utf8()),
        (None, None) => Span::new(at, at),
    }
}

/// The span itself, or for an empty one the character before it.
pub(crate) fn visible(text: &str, span: Span) -> Span {
    let before = text[..span.start as usize].trim_end().len();
    if span.is_empty() { character(text, before) } else { span }
}
