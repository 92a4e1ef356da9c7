//! Named texts, lines and columns in them, and the origin of rendered ones.

use std::{
    fmt::Debug,
    sync::{Arc, OnceLock},
};

use crate::{Span, text::char_start};

/// Line and column, both counted from 1; a column counts Unicode code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: usize,
    /// The column in code points, from 1.
    pub column: usize,
}

/// Traces the bytes of a rendered text to what they were rendered from. Implemented by whoever renders; all spans are
/// of the rendered text.
pub trait Origin: Debug + Send + Sync {
    /// Where to edit to change the bytes of a span.
    fn written(&self, span: Span) -> Written;

    /// Whether an input left part of a span empty; with `conditions`, also whether an input decided that the part
    /// is absent.
    fn is_left_empty(&self, span: Span, conditions: bool) -> bool;

    /// The inputs that a span depends on, by data flow or by control flow: `Values.image.tag`, `Chart.Version`.
    fn inputs(&self, span: Span) -> Vec<String>;

    /// Whether part of a span comes from a placeholder, a value that no file sets.
    fn is_placeholder(&self, span: Span) -> bool;

    /// The inputs that decide whether the bytes of a span are rendered at all: `Values.enabled`, `lookup`.
    fn decided(&self, span: Span) -> Vec<String>;

    /// The inputs that are set to `false`, and decide whether the bytes of a span are rendered, or what they are, although
    /// those would be the same with `true`: each with the place that sets it.
    fn ineffective(&self, _span: Span) -> Vec<(String, Location)> {
        Vec::new()
    }

    /// Where a file that may be edited holds exactly the bytes of a span; `None` for what an action computes and
    /// for fetched dependencies.
    fn literal(&self, span: Span) -> Option<Location>;

    /// The scalar in a file of values that alone flows into a span and stands there as it is written.
    fn value(&self, span: Span) -> Option<Location>;

    /// The call in the template itself whose helper, in another file, prints a span.
    fn call(&self, _span: Span) -> Option<Location> {
        None
    }

    /// The entries of other files that lead to the text of a span, each with a label.
    fn entries(&self, _span: Span) -> Vec<(Location, String)> {
        Vec::new()
    }
}

/// Where a part of a rendered text was written.
#[derive(Clone, Debug)]
pub struct Written {
    /// The primary location.
    pub at: Location,
    /// Other locations that contribute, each with a label.
    pub causes: Vec<(Location, String)>,
    /// The inputs that flow into it: `Values.image.tag`, `Chart.Version`.
    pub inputs: Vec<String>,
    /// Whether the text is part of a fetched dependency; `at` is then where the dependency is declared.
    pub is_foreign: bool,
}

/// A text and the path it is shown under.
#[derive(Debug)]
pub struct Source {
    /// The path as shown: relative to the working directory, with `/`, or the name given by the user.
    pub path: String,
    /// The whole text. Spans are byte ranges of it.
    pub text: String,
    /// False when no file holds exactly these bytes: the text was decoded from UTF-16, rendered, or read from an
    /// archive.
    pub editable: bool,
    /// The origin of a rendered text.
    pub origin: Option<Arc<dyn Origin>>,
    /// Offsets of line starts.
    lines: OnceLock<Vec<u32>>,
    /// Code points before each [`BLOCK`] of bytes, which keeps columns cheap in lines of megabytes.
    blocks: OnceLock<Vec<u32>>,
}

/// Bytes per element of [`Source::blocks`].
const BLOCK: usize = 4096;

impl Source {
    /// A text read from a file as it is.
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

    /// A text that is not byte for byte that of a file.
    pub fn read_only(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { editable: false, ..Self::new(path, text) }
    }

    /// A rendered text and its origin.
    pub fn rendered(
        path: impl Into<String>,
        text: impl Into<String>,
        origin: Arc<dyn Origin>,
    ) -> Self {
        Self { origin: Some(origin), ..Self::read_only(path, text) }
    }

    /// Whether a file holds the text, or may hold what was rendered to it.
    pub fn can_be_edited(&self) -> bool {
        self.editable || self.origin.is_some()
    }

    /// The text of a span; empty when the span does not fit the text.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.range()).unwrap_or_default()
    }

    /// The line and column of a byte offset; an offset past the end counts as the end. A byte order mark takes no
    /// column.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line_of(offset);
        let mut start = self.line_span(line).start as usize;
        if line == 1 && self.text.starts_with('\u{FEFF}') {
            start += '\u{FEFF}'.len_utf8();
        }
        let end = char_start(&self.text, offset as usize);
        Position { line, column: self.code_points(start, end) + 1 }
    }

    /// The line, from 1, that holds a byte offset.
    pub fn line_of(&self, offset: u32) -> usize {
        self.line_starts().partition_point(|&start| start <= offset).max(1)
    }

    /// The bytes of a line, counted from 1, without its line break; empty past the last line.
    pub fn line_span(&self, line: usize) -> Span {
        let starts = self.line_starts();
        let Some(&start) = starts.get(line - 1) else {
            return Span::new(self.text.len(), self.text.len());
        };
        let end = starts.get(line).map_or(self.text.len(), |&next| next as usize);
        let text = self.text[start as usize..end].trim_end_matches(['\n', '\r']);
        Span::new(start as usize, start as usize + text.len())
    }

    /// The text of a line, counted from 1, without its line break.
    pub fn line_text(&self, line: usize) -> &str {
        self.slice(self.line_span(line))
    }

    /// The number of lines; a text that ends with a line break has an empty last line.
    pub fn line_count(&self) -> usize {
        self.line_starts().len()
    }

    /// The line break of the first line: `\r\n` or `\n`.
    pub fn line_break(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// The number of code points between two offsets; 0 when they are reversed.
    fn code_points(&self, start: usize, end: usize) -> usize {
        let bytes = self.text.as_bytes();
        if end <= start {
            return 0;
        }
        if end - start <= 2 * BLOCK {
            return count_code_points(&bytes[start..end]);
        }
        let blocks = self.blocks.get_or_init(|| {
            let mut before = 0;
            let counts = bytes.chunks(BLOCK).map(|block| {
                before += count_code_points(block) as u32;
                before
            });
            std::iter::once(0).chain(counts).collect()
        });
        let before = |offset: usize| {
            let block = offset / BLOCK;
            blocks[block] as usize + count_code_points(&bytes[block * BLOCK..offset])
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

/// The number of bytes that start a code point.
fn count_code_points(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

/// A span of a source.
#[derive(Clone, Debug)]
pub struct Location {
    /// The text.
    pub source: Arc<Source>,
    /// The byte range of it.
    pub span: Span,
}

impl Location {
    /// The position of the first byte.
    pub fn start(&self) -> Position {
        self.source.position(self.span.start)
    }

    /// The position after the last byte.
    pub fn end(&self) -> Position {
        self.source.position(self.span.end)
    }

    /// Where the text was written: this location, or its origin in a rendered text.
    pub fn written(&self) -> Location {
        match &self.source.origin {
            Some(origin) => origin.written(self.span).at,
            None => self.clone(),
        }
    }

    /// Sorts locations by path, then offset.
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
