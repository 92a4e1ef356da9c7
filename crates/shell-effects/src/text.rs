//! Text with the knowledge where each stretch of it was written: through quotes, escapes and scripts
//! inside scripts back to an element of `command` or `args`.

use std::ops::Range;

use super::ast::{PartKind, Script, Span, Word};

/// Bytes of one element of the argument list (`command` followed by `args`), or of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Index into `command` followed by `args` followed by [`Setting::files`](super::Setting::files).
    pub element: usize,
    pub span: Span,
}

/// A value and where it comes from. Expansions stand in it as they are written (`$NAME`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub value: String,
    /// Everything the value was written as, quotes included.
    pub place: Place,
    /// Something in it is known at run time only.
    pub dynamic: bool,
    /// It was written elsewhere, as the value of a variable: nothing at its place can be edited.
    pub(super) computed: bool,
    pieces: Vec<Piece>,
}

/// A stretch of the value and its source. Equal lengths mean byte for byte, else only the whole is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    at: usize,
    length: usize,
    place: Place,
}

impl Text {
    /// The whole of one element.
    pub fn element(element: usize, value: &str) -> Self {
        let place = Place { element, span: Span::new(0, value.len()) };
        let mut text = Self::empty(place);
        text.push(value, place);
        text
    }

    fn empty(place: Place) -> Self {
        Self { value: String::new(), place, dynamic: false, computed: false, pieces: Vec::new() }
    }

    /// The value of a word of the script that `self` holds.
    pub(super) fn word(&self, word: &Word) -> Self {
        let mut text = Self::empty(self.place_of(word.span.range()));
        for part in &word.parts {
            match part.kind {
                PartKind::Literal => text.push_slice(self, part.span.range()),
                PartKind::Escaped(c) => {
                    let place = self.place_of(part.span.range());
                    text.push(c.encode_utf8(&mut [0; 4]), place);
                }
                _ => {
                    text.dynamic = true;
                    text.push_slice(self, part.span.range());
                }
            }
        }
        text
    }

    /// A stretch of this text as a text of its own.
    pub(super) fn slice(&self, range: Range<usize>) -> Self {
        let mut text = Self::empty(self.place_of(range.clone()));
        text.push_slice(self, range);
        text.dynamic = self.dynamic && text.value.contains(['$', '`']);
        text.computed = self.computed;
        text
    }

    /// Several texts with a space between them, as `echo` prints and `eval` reads them.
    pub(super) fn join(texts: &[Self]) -> Option<Self> {
        let (first, rest) = texts.split_first()?;
        let mut joined = first.clone();
        for text in rest {
            joined.push(" ", text.place);
            joined.push_slice(text, 0..text.value.len());
            joined.dynamic |= text.dynamic;
            joined.computed |= text.computed;
        }
        Some(joined)
    }

    /// Another value for what was written at this place.
    pub(super) fn replaced(&self, value: &str) -> Self {
        let mut text = Self::empty(self.place);
        text.push(value, self.place);
        text.computed = true;
        text
    }

    /// Where a byte range of the value was written.
    pub fn place_of(&self, range: Range<usize>) -> Place {
        let Some(first) = self.piece_at(range.start) else { return self.place };
        let start = first.source(range.start);
        let last = self.piece_at(range.end.saturating_sub(1).max(range.start)).unwrap_or(first);
        let end = if range.is_empty() { start } else { last.source(range.end - 1) };
        let same = first.place.element == last.place.element && start.start <= end.end;
        let end = if same { end.end } else { first.place.span.end };
        let end = if range.is_empty() { start.start } else { end };
        Place { element: first.place.element, span: Span { start: start.start, end } }
    }

    fn piece_at(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.at <= at);
        self.pieces.get(after.checked_sub(1)?)
    }

    fn push(&mut self, value: &str, place: Place) {
        if !value.is_empty() {
            self.pieces.push(Piece { at: self.value.len(), length: value.len(), place });
            self.value.push_str(value);
        }
    }

    fn push_slice(&mut self, from: &Self, range: Range<usize>) {
        let first = from.pieces.partition_point(|piece| piece.at + piece.length <= range.start);
        for piece in &from.pieces[first..] {
            if piece.at >= range.end {
                break;
            }
            let start = piece.at.max(range.start);
            let end = (piece.at + piece.length).min(range.end);
            let place = from.place_of(start..end);
            let Some(value) = from.value.get(start..end) else { continue };
            self.push(value, place);
        }
    }
}

impl Piece {
    /// The source of the byte at offset `at` of the value.
    fn source(&self, at: usize) -> Span {
        if self.length != (self.place.span.end - self.place.span.start) as usize {
            return self.place.span;
        }
        let start = self.place.span.start as usize + at.saturating_sub(self.at).min(self.length);
        Span::new(start, start + 1)
    }
}

/// The text of a here-document of `script`, which `source` holds.
pub(super) fn heredoc(source: &Text, script: &Script, index: usize) -> Text {
    source.word(&script.heredocs[index].body)
}
