//! Text that remembers where each part of it was written: through quotes, escapes and nested scripts back to an
//! element of `command` or `args`.

use std::ops::Range;

use crate::ast::{PartKind, Script, Span, Word};

/// A byte range of one element of the command line, or of a mounted file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ElementSpan {
    /// Index into the command line followed by [`Container::files`](crate::Container::files).
    pub element: usize,
    /// The bytes of that element.
    pub span: Span,
}

impl ElementSpan {
    /// An empty span, for text that was written nowhere.
    pub(crate) fn empty() -> Self {
        Self { element: 0, span: Span::new(0, 0) }
    }
}

/// A value and where it was written. Expansions are kept as written (`$NAME`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The value, without quotes and escapes.
    pub value: String,
    /// Where the value was written, quotes included.
    pub location: ElementSpan,
    /// Part of the value is known only at run time.
    pub(crate) dynamic: bool,
    /// The value comes from a variable, so the text at its location must not be edited.
    pub(crate) computed: bool,
    /// What the variable that is the whole value holds, as far as the script states it.
    held: Option<String>,
    pieces: Vec<Piece>,
}

/// A part of a value and its source. Offsets map byte for byte if both lengths are equal; otherwise every offset
/// maps to the whole source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    at: usize,
    length: usize,
    location: ElementSpan,
    /// The shell replaces it: `$NAME`, `$$`.
    expanded: bool,
}

impl Text {
    /// The value, or what the variable holds that it is.
    pub fn held(&self) -> &str {
        self.held.as_deref().unwrap_or(&self.value)
    }

    /// The same text, a variable that holds a value.
    pub(crate) fn holding(self, value: &str) -> Self {
        Self { held: Some(value.to_owned()), ..self }
    }

    /// The whole of one element.
    pub(crate) fn element(element: usize, value: &str) -> Self {
        let location = ElementSpan { element, span: Span::new(0, value.len()) };
        let mut text = Self::empty(location);
        text.push(value, location, false);
        text
    }

    fn empty(location: ElementSpan) -> Self {
        let value = String::new();
        Self { value, location, dynamic: false, computed: false, held: None, pieces: Vec::new() }
    }

    /// The value of a word of the script that `self` contains.
    pub(crate) fn word(&self, word: &Word) -> Self {
        let mut text = Self::empty(self.location_of(word.span.range()));
        for part in &word.parts {
            match part.kind {
                PartKind::Literal => text.push_slice(self, part.span.range()),
                PartKind::Escaped(c) => {
                    let location = self.location_of(part.span.range());
                    text.push(c.encode_utf8(&mut [0; 4]), location, false);
                }
                _ => {
                    text.dynamic = true;
                    let known = text.pieces.len();
                    text.push_slice(self, part.span.range());
                    text.pieces[known..].iter_mut().for_each(|piece| piece.expanded = true);
                }
            }
        }
        text
    }

    /// The body of a here-document of `script`, which `self` contains.
    pub(crate) fn heredoc(&self, script: &Script, index: usize) -> Self {
        self.word(&script.heredocs[index].body)
    }

    /// A range of this text as a text of its own.
    pub(crate) fn slice(&self, range: Range<usize>) -> Self {
        let mut text = Self::empty(self.location_of(range.clone()));
        text.push_slice(self, range);
        text.dynamic = self.dynamic && text.value.contains(['$', '`']);
        text.computed = self.computed;
        text
    }

    /// The words between blanks, as the shell splits an unquoted variable.
    pub(crate) fn words(&self) -> impl Iterator<Item = Self> + '_ {
        self.value.split_whitespace().map(|word| {
            let start = word.as_ptr() as usize - self.value.as_ptr() as usize;
            self.slice(start..start + word.len())
        })
    }

    /// The texts separated by spaces, as `echo` prints and `eval` reads them; `None` if there are none.
    pub(crate) fn join(texts: &[Self]) -> Option<Self> {
        let (first, rest) = texts.split_first()?;
        let mut joined = first.clone();
        for text in rest {
            joined.push(" ", text.location, false);
            joined.push_slice(text, 0..text.value.len());
            joined.dynamic |= text.dynamic;
            joined.computed |= text.computed;
        }
        Some(joined)
    }

    /// The same text as the value of a variable.
    pub(crate) fn of_variable(&self) -> Self {
        Self { computed: true, ..self.clone() }
    }

    /// The same location with a computed value.
    pub(crate) fn replaced(&self, value: &str) -> Self {
        let mut text = Self::empty(self.location);
        text.push(value, self.location, false);
        text.computed = true;
        text
    }

    /// Where a byte range of the value was written.
    pub(crate) fn location_of(&self, range: Range<usize>) -> ElementSpan {
        let Some(first) = self.piece_at(range.start) else { return self.location };
        let start = first.source(range.start);
        let last = self.piece_at(range.end.saturating_sub(1).max(range.start)).unwrap_or(first);
        let end = if range.is_empty() { start } else { last.source(range.end - 1) };
        let same = first.location.element == last.location.element && start.start <= end.end;
        let end = if same { end.end } else { first.location.span.end };
        let end = if range.is_empty() { start.start } else { end };
        ElementSpan { element: first.location.element, span: Span { start: start.start, end } }
    }

    /// Whether the shell replaces what stands at an offset of the value.
    pub(crate) fn is_expanded(&self, at: usize) -> bool {
        self.piece_at(at).is_some_and(|piece| piece.expanded)
    }

    fn piece_at(&self, at: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.at <= at);
        self.pieces.get(after.checked_sub(1)?)
    }

    fn push(&mut self, value: &str, location: ElementSpan, expanded: bool) {
        if !value.is_empty() {
            let (at, length) = (self.value.len(), value.len());
            self.pieces.push(Piece { at, length, location, expanded });
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
            let location = from.location_of(start..end);
            let Some(value) = from.value.get(start..end) else { continue };
            self.push(value, location, piece.expanded);
        }
    }
}

impl Piece {
    /// The source of the byte at offset `at` of the value.
    fn source(&self, at: usize) -> Span {
        let span = self.location.span;
        if self.length != span.range().len() {
            return span;
        }
        let start = span.start as usize + at.saturating_sub(self.at).min(self.length);
        Span::new(start, start + 1)
    }
}

/// The start of a text, of at most so many bytes.
pub(crate) fn start_of(text: &str, most: usize) -> &str {
    let mut ends = (0..=most.min(text.len())).rev();
    &text[..ends.find(|at| text.is_char_boundary(*at)).unwrap_or_default()]
}
