//! A byte range of a text.

use std::ops::Range;

/// A byte range of a text, end exclusive. Spans order by start, then by end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Offsets beyond `u32::MAX` are clamped to it.
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    /// The range to slice a text with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Whether the span covers no byte.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether the other span lies within this one.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// From the start of this span to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}
