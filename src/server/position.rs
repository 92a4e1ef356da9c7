//! Positions of the protocol: a line, and a column in the units that client and server agreed on.

use lsp_types::{InitializeParams, Position, PositionEncodingKind, Range};
use yaml_spans::Span;

/// The units of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first encoding of the client's list; UTF-16 if it has none.
    pub(super) fn negotiated(client: &InitializeParams) -> Self {
        let general = client.capabilities.general.as_ref();
        let offered = general.and_then(|own| own.position_encodings.as_deref());
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        };
        offered.unwrap_or_default().iter().find_map(known).unwrap_or_default()
    }

    /// The name in the protocol.
    pub(super) fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn units(self, c: char) -> usize {
        match self {
            Encoding::Utf8 => c.len_utf8(),
            Encoding::Utf16 => c.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// The lines of a text as the protocol counts them: `\n`, `\r\n` and `\r` end a line.
#[derive(Debug)]
pub(super) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
    encoding: Encoding,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t str, encoding: Encoding) -> Self {
        let bytes = text.as_bytes();
        // Editors hide a byte order mark.
        let first = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let is_end = |at: &usize| bytes[*at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
        let ends = memchr::memchr2_iter(b'\n', b'\r', bytes).filter(is_end);
        Self {
            text,
            starts: std::iter::once(first).chain(ends.map(|at| at + 1)).collect(),
            encoding,
        }
    }

    /// The text of a line, counted from 0, without its line break; `None` past the last line.
    pub(super) fn line(&self, line: u32) -> Option<&'t str> {
        let start = *self.starts.get(line as usize)?;
        let end = self.starts.get(line as usize + 1).map_or(self.text.len(), |next| *next);
        Some(self.text[start..end].trim_end_matches(['\n', '\r']))
    }

    /// The byte offset of a position; what is past the end of a line or of the text counts as that end.
    pub(super) fn offset(&self, position: Position) -> usize {
        let Some(line) = self.line(position.line) else { return self.text.len() };
        let mut left = position.character as usize;
        let fits = |c: &char| match left.checked_sub(self.encoding.units(*c)) {
            Some(rest) => {
                left = rest;
                true
            }
            None => false,
        };
        let inside: usize = line.chars().take_while(fits).map(char::len_utf8).sum();
        self.starts[position.line as usize] + inside
    }

    /// The position of a byte offset; an offset inside of a character counts as its start.
    pub(super) fn position(&self, offset: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= offset).max(1) - 1;
        let text = self.line(line as u32).unwrap_or_default();
        let inside = offset.saturating_sub(self.starts[line]);
        let before = text.char_indices().take_while(|(at, c)| at + c.len_utf8() <= inside);
        let character: usize = before.map(|(_, c)| self.encoding.units(c)).sum();
        Position { line: line as u32, character: character as u32 }
    }

    /// The range of a span.
    pub(super) fn range(&self, span: Span) -> Range {
        Range { start: self.position(span.start as usize), end: self.position(span.end as usize) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_the_agreed_units() {
        let text = "ä€😀x\r\ny\rz\n";
        for (encoding, columns) in [
            (Encoding::Utf8, [0, 2, 5, 9]),
            (Encoding::Utf16, [0, 1, 2, 4]),
            (Encoding::Utf32, [0, 1, 2, 3]),
        ] {
            let lines = Lines::new(text, encoding);
            for (offset, column) in [0, 2, 5, 9].into_iter().zip(columns) {
                let position = Position::new(0, column);
                assert_eq!(lines.position(offset), position, "{encoding:?}");
                assert_eq!(lines.offset(position), offset, "{encoding:?}");
            }
            assert_eq!(lines.position(12), Position::new(1, 0));
            assert_eq!(lines.position(14), Position::new(2, 0));
            assert_eq!(lines.position(16), Position::new(3, 0));
            assert_eq!(lines.offset(Position::new(0, 99)), 10, "the end of the line");
            assert_eq!(lines.offset(Position::new(99, 0)), text.len());
        }
    }

    #[test]
    fn a_position_inside_of_a_character_is_its_start() {
        let lines = Lines::new("a😀b", Encoding::Utf16);
        assert_eq!(lines.offset(Position::new(0, 2)), 1);
        assert_eq!(lines.position(3), Position::new(0, 1));
    }

    #[test]
    fn a_byte_order_mark_takes_no_column() {
        let lines = Lines::new("\u{FEFF}a", Encoding::Utf16);
        assert_eq!(lines.position(3), Position::new(0, 0));
        assert_eq!(lines.offset(Position::new(0, 1)), 4);
    }
}
