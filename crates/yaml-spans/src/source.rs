//! A text that findings point into, and the arithmetic of places in it.

use std::{fmt::Debug, ops::Range, sync::Arc, sync::OnceLock};

/// A byte range of a [`Source`], end exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn new(start: usize, end: usize) -> Self {
        let clamp = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        Self { start: clamp(start), end: clamp(end) }
    }

    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// From the start of this span to the end of the other.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start, end: other.end }
    }
}

/// Line and column, both counted from 1; a column counts Unicode code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// Knows where the bytes of a rendered text come from.
pub trait Origin: Debug + Send + Sync {
    /// The place that a person edits to change these bytes.
    fn written(&self, span: Span) -> Written;

    /// Some part of it is nothing, and a value of a chart made it so; or, with `conditions`, decided that.
    fn is_left_empty(&self, span: Span, conditions: bool) -> bool;

    /// All that flowed into a span, or decided about it: `Values.image.tag`, `Chart.Version`.
    fn inputs(&self, span: Span) -> Vec<String>;

    /// A value that nobody wrote printed some part of it.
    fn is_placeholder(&self, span: Span) -> bool;

    /// The inputs that decided whether these bytes are there: `Values.enabled`, `lookup`.
    fn decided(&self, span: Span) -> Vec<String>;
}

/// Where a person wrote a part of a rendered text.
#[derive(Clone, Debug)]
pub struct Written {
    pub at: Location,
    /// Other places that had a part in it, and which.
    pub causes: Vec<(Location, String)>,
    /// What flowed into it: `Values.image.tag`, `Chart.Version`.
    pub inputs: Vec<String>,
    /// It stands in something fetched from elsewhere; `at` is where that is asked for.
    pub is_foreign: bool,
}

/// A text with the name it is shown under.
#[derive(Debug)]
pub struct Source {
    /// Path as shown: relative to the working directory, with `/`, or the name given by the user.
    pub path: String,
    pub text: String,
    /// False where the text is not byte for byte what the user has: decoded from UTF-16, rendered, from
    /// an archive. No fix is offered there.
    pub editable: bool,
    /// Who wrote it, where it was rendered.
    pub origin: Option<Arc<dyn Origin>>,
    lines: OnceLock<Vec<u32>>,
    /// Code points before every [`BLOCK`] of bytes: columns in a line of megabytes stay cheap.
    blocks: OnceLock<Vec<u32>>,
}

const BLOCK: usize = 4096;

impl Source {
    pub fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            text: text.into(),
            editable: true,
            origin: None,
            lines: OnceLock::new(),
            blocks: OnceLock::new(),
        }
    }

    /// A text without a file of exactly these bytes behind it.
    pub fn read_only(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { editable: false, ..Self::new(path, text) }
    }

    /// A text that something made of what a person wrote.
    pub fn rendered(
        path: impl Into<String>,
        text: impl Into<String>,
        origin: Arc<dyn Origin>,
    ) -> Self {
        Self { origin: Some(origin), ..Self::read_only(path, text) }
    }

    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// Line and column of a byte offset; an offset past the end is the end. A byte order mark takes
    /// no column.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_of(offset);
        let mut start = self.line_span(line).start as usize;
        if line == 1 && self.text.starts_with('\u{FEFF}') {
            start += '\u{FEFF}'.len_utf8();
        }
        let end = char_start(&self.text, offset as usize);
        Position { line, column: self.code_points(start, end) + 1 }
    }

    /// The number of the line, from 1, that holds a byte offset.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset).max(1)
    }

    /// The bytes of a line (from 1) without its line break; empty past the last line.
    pub fn line_span(&self, line: usize) -> Span {
        let starts = self.line_starts();
        let Some(&start) = starts.get(line - 1) else {
            return Span::new(self.text.len(), self.text.len());
        };
        let end = starts.get(line).map_or(self.text.len(), |&next| next as usize);
        let text = self.text[start as usize..end].trim_end_matches(['\n', '\r']);
        Span::new(start as usize, start as usize + text.len())
    }

    pub fn line_text(&self, line: usize) -> &str {
        self.slice(self.line_span(line))
    }

    pub fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// The line break this text uses: that of its first line.
    pub fn line_break(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// The number of code points in a byte range; 0 when it ends before it starts.
    fn code_points(&self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        if end <= start {
            return 0;
        }
        if end - start <= 2 * BLOCK {
            return first_bytes(&bytes[start..end]);
        }
        let blocks = self.blocks.get_or_init(|| {
            let mut before = 0;
            let counts = bytes.chunks(BLOCK).map(|block| {
                before += first_bytes(block) as u32;
                before
            });
            std::iter::once(0).chain(counts).collect()
        });
        let before = |offset: usize| {
            let block = offset / BLOCK;
            blocks[block] as usize + first_bytes(&bytes[block * BLOCK..offset])
        };
        before(end) - before(start)
    }

    fn line_starts(&self) -> &[u32] {
        self.lines.get_or_init(|| {
            let breaks = memchr::memchr_iter(b'\n', self.text.as_bytes());
            std::iter::once(0).chain(breaks.map(|at| at as u32 + 1)).collect()
        })
    }
}

/// The offset, or the end of the text, or the start of the character that it is inside of.
pub fn char_start(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// How many bytes start a code point.
fn first_bytes(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// A place in a source.
#[derive(Clone, Debug)]
pub struct Location {
    pub source: Arc<Source>,
    pub span: Span,
}

impl Location {
    pub fn start(&self) -> Position {
        self.source.position(self.span.start)
    }

    pub fn end(&self) -> Position {
        self.source.position(self.span.end)
    }

    /// The place a person wrote: this one, or that behind a rendered text.
    pub fn written(&self) -> Location {
        match &self.source.origin {
            Some(origin) => origin.written(self.span).at,
            None => self.clone(),
        }
    }

    /// Order of output: path, then offset.
    pub fn sort_key(&self) -> (&str, u32, u32) {
        (&self.source.path, self.span.start, self.span.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points_and_lines_end_before_crlf() {
        let source = Source::new("a.yaml", "ä: 1\r\nb: 2\n");
        assert_eq!(source.position(3), Position { line: 1, column: 3 });
        assert_eq!(source.position(7), Position { line: 2, column: 1 });
        assert_eq!(source.line_text(1), "ä: 1");
        assert_eq!(source.line_break(), "\r\n");
        assert_eq!(source.position(999), Position { line: 3, column: 1 });
    }

    #[test]
    fn columns_of_a_line_of_megabytes() {
        let source = Source::new("a.json", format!("{{\n{}", "aäb€".repeat(20_000)));
        for count in [0, 1, 1170, 1171, 4681, 19_999] {
            let offset = 2 + 7 * count;
            assert_eq!(source.position(offset).column, 4 * count as usize + 1);
            assert_eq!(source.position(offset + 3).column, 4 * count as usize + 3);
        }
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let source = Source::new("a.yaml", "\u{FEFF}a: 1\nb: 2\n");
        assert_eq!(source.position(0), Position { line: 1, column: 1 });
        assert_eq!(source.position(6), Position { line: 1, column: 4 });
        assert_eq!(source.position(8), Position { line: 2, column: 1 });
    }
}
