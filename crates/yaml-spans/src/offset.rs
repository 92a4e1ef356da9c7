//! Maps offsets in a string's value back to offsets in the text that wrote it.

use std::ops::Range;

use crate::{Node, Span, Style, Value, text::line_start};

/// Maps offsets in the value of a string to offsets in the text that wrote it. Made by [`Node::offsets`].
#[derive(Debug)]
pub struct Offsets {
    pieces: Vec<Piece>,
    value_end: usize,
    end: usize,
}

/// `length` bytes of the value, from `value` on, are written as `written` bytes from `at` on. When the lengths are
/// equal, byte for byte.
#[derive(Clone, Copy, Debug)]
struct Piece {
    value: usize,
    length: usize,
    at: usize,
    written: usize,
}

impl Offsets {
    /// The offset in the text of a byte offset in the value, exact through indentation, folding and escapes. Inside
    /// an escape it is the start of the escape; the end of the value maps to the end of the scalar's content. `None`
    /// beyond the end.
    pub fn at(&self, value: usize) -> Option<u32> {
        if value >= self.value_end {
            return (value == self.value_end).then_some(self.end as u32);
        }
        let after = self.pieces.partition_point(|piece| piece.value <= value);
        let piece = self.pieces[..after].last()?;
        let inside = if piece.length == piece.written { value - piece.value } else { 0 };
        Some((piece.at + inside) as u32)
    }

    /// The bytes of the text that wrote a byte range of the value; `None` when the range ends beyond the value.
    pub fn span(&self, part: Range<usize>) -> Option<Span> {
        let start = self.at(part.start)?;
        if part.is_empty() {
            return Some(Span { start, end: start });
        }
        let after = self.pieces.partition_point(|piece| piece.value < part.end);
        let last = self.pieces[..after].last()?;
        let whole = last.length != last.written || part.end >= last.value + last.length;
        let inside = if whole { last.written } else { part.end - last.value };
        Some(Span { start, end: (last.at + inside) as u32 })
    }

    /// The bytes of the value that the bytes of a span write, all of what an escape in it stands for. `None` if it writes
    /// none: indentation, for example.
    pub fn values(&self, span: Span) -> Option<Range<usize>> {
        let (start, end) = (span.start as usize, span.end as usize);
        let first = self.pieces.partition_point(|piece| piece.at + piece.written <= start);
        let after = self.pieces.partition_point(|piece| piece.at < end);
        let pieces = self.pieces.get(first..after)?;
        let (first, last) = (pieces.first()?, pieces.last()?);
        let is_copied = |piece: &Piece| piece.length == piece.written;
        let from = if is_copied(first) { start.saturating_sub(first.at) } else { 0 };
        let to = match is_copied(last) {
            true => last.length.min(end - last.at),
            false => last.length,
        };
        Some(first.value + from..last.value + to)
    }

    /// The offset in the value of a byte that is written as it is: not an escape, a fold or indentation.
    pub(crate) fn value(&self, at: u32) -> Option<usize> {
        let at = at as usize;
        let after = self.pieces.partition_point(|piece| piece.at <= at);
        let piece = self.pieces[..after].last()?;
        let is_inside = piece.length == piece.written && at < piece.at + piece.written;
        is_inside.then(|| piece.value + (at - piece.at))
    }
}

impl Node {
    /// Where each byte of a string is written. `text` is the text the node was parsed from.
    ///
    /// `None` for values other than strings, and when the written text does not account for the value: an alias or
    /// a `!!binary` value.
    pub fn offsets(&self, text: &str) -> Option<Offsets> {
        let Value::Str(value) = &self.value else { return None };
        let span = self.span.range();
        let mut aligner =
            Aligner { text, value, at: span.start, end: span.end, pieces: Vec::new(), done: 0 };
        match self.style {
            Style::Literal | Style::Folded => aligner.block()?,
            Style::Plain => aligner.flow(None)?,
            Style::SingleQuoted => aligner.quoted(b'\'')?,
            Style::DoubleQuoted => aligner.quoted(b'"')?,
            Style::Block | Style::Flow => return None,
        }
        (aligner.done == value.len()).then_some(Offsets {
            pieces: aligner.pieces,
            value_end: value.len(),
            end: aligner.end,
        })
    }
}

/// Aligns the written text with the value by advancing through both.
struct Aligner<'a> {
    text: &'a str,
    value: &'a str,
    /// The next byte of the text.
    at: usize,
    /// Where the scalar ends in the text.
    end: usize,
    pieces: Vec<Piece>,
    /// How many bytes of the value are aligned.
    done: usize,
}

impl Aligner<'_> {
    fn byte(&self, at: usize) -> Option<u8> {
        (at < self.end).then(|| self.text.as_bytes()[at])
    }

    /// Aligns the next `written` bytes of the text with the next `length` bytes of the value.
    fn take(&mut self, length: usize, written: usize) -> Option<()> {
        self.value.get(self.done..self.done + length)?;
        let piece = Piece { value: self.done, length, at: self.at, written };
        match self.pieces.last_mut() {
            Some(last)
                if length == written
                    && last.length == last.written
                    && last.at + last.written == self.at =>
            {
                last.length += length;
                last.written += written;
            }
            _ if length > 0 => self.pieces.push(piece),
            _ => {}
        }
        self.at += written;
        self.done += length;
        Some(())
    }

    /// Aligns bytes that are the same in the text and the value.
    fn copy(&mut self, length: usize) -> Option<()> {
        let written = self.text.get(self.at..self.at + length)?;
        self.value.get(self.done..)?.starts_with(written).then_some(())?;
        self.take(length, length)
    }

    /// The length of the line break at an offset; 0 when there is none.
    fn line_break(&self, at: usize) -> usize {
        match (self.byte(at), self.byte(at + 1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(b'\r' | b'\n'), _) => 1,
            (Some(0xC2), Some(0x85)) => 2,
            _ => 0,
        }
    }

    /// Whether U+2028 or U+2029 is at an offset. Both are part of the value; the white space around them is not.
    fn is_separator(&self, at: usize) -> bool {
        self.byte(at) == Some(0xE2) && self.text[at..].starts_with(['\u{2028}', '\u{2029}'])
    }

    fn blanks(&self, mut at: usize) -> usize {
        let start = at;
        while matches!(self.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at - start
    }

    fn quoted(&mut self, quote: u8) -> Option<()> {
        (self.byte(self.at)? == quote && self.end - self.at >= 2).then_some(())?;
        self.at += 1;
        self.end -= 1;
        self.flow(Some(quote))
    }

    /// A flow scalar, whose line breaks fold: plain or quoted.
    fn flow(&mut self, quote: Option<u8>) -> Option<()> {
        while let Some(byte) = self.byte(self.at) {
            let blanks = self.blanks(self.at);
            if self.line_break(self.at + blanks) > 0 {
                self.at += blanks;
                self.fold(false)?;
            } else if self.is_separator(self.at + blanks) {
                self.at += blanks;
                self.copy('\u{2028}'.len_utf8())?;
                self.at += self.blanks(self.at);
            } else if blanks > 0 {
                self.copy(blanks)?;
            } else if byte == b'\\' && quote == Some(b'"') {
                self.escape()?;
            } else if byte == b'\'' && quote == Some(b'\'') {
                self.take(1, 2)?;
            } else {
                let rest = &self.text.as_bytes()[self.at..self.end];
                let stop = |byte: &u8| {
                    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b'\\' | b'\'' | 0xC2 | 0xE2)
                };
                let length = rest.iter().skip(1).position(stop).map_or(rest.len(), |at| at + 1);
                self.copy(length)?;
            }
        }
        Some(())
    }

    /// Folds line breaks: a single one is a space, of several all but the first are kept. After an escaped break,
    /// all are kept.
    fn fold(&mut self, escaped: bool) -> Option<()> {
        let mut first = !escaped;
        let mut breaks = 0;
        let start = self.at;
        loop {
            let length = self.line_break(self.at);
            match (length, first) {
                (0, _) => break,
                (_, true) => self.at += length,
                (_, false) => {
                    self.take(1, length)?;
                    breaks += 1;
                }
            }
            first = false;
            self.at += self.blanks(self.at);
        }
        if breaks == 0 && !escaped {
            let end = std::mem::replace(&mut self.at, start);
            let length = self.line_break(start);
            self.take(1, length)?;
            self.at = end;
        }
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let length = self.line_break(self.at + 1);
        if length > 0 {
            self.at += 1 + length;
            self.at += self.blanks(self.at);
            return self.fold(true);
        }
        let written = match self.byte(self.at + 1)? {
            b'x' => 4,
            b'u' => 6,
            b'U' => 10,
            _ => 2,
        };
        let next = self.value.get(self.done..)?.chars().next()?;
        // JSON writes a character beyond 16 bits as two escapes.
        let pair = written == 6 && next.len_utf8() == 4;
        self.take(next.len_utf8(), if pair { 12 } else { written })
    }

    /// A block scalar: its lines without their indentation, and the line breaks between them.
    fn block(&mut self) -> Option<()> {
        let lead = self.value.len() - self.value.trim_start_matches('\n').len();
        let start = line_start(self.text, self.at);
        let indent = self.at - start;
        self.at = start;
        for _ in 0..lead {
            self.at = line_start(self.text, self.at.checked_sub(1)?);
        }
        while self.done < self.value.len() {
            self.at += self.indentation(self.at, indent);
            let rest = &self.text[self.at..self.end.max(self.at)];
            let line = rest.find(['\n', '\r', '\u{85}']).unwrap_or(rest.len());
            let line = if self.done < lead { 0 } else { line };
            self.copy(line)?;
            self.trailing_breaks(indent)?;
        }
        self.end = self.end.min(self.at).max(start);
        Some(())
    }

    /// The number of spaces at an offset, up to `indent`.
    fn indentation(&self, at: usize, indent: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        rest.iter().take(indent).take_while(|byte| **byte == b' ').count()
    }

    /// The line breaks up to the next non-empty line: all kept, or the first one folded.
    fn trailing_breaks(&mut self, indent: usize) -> Option<()> {
        let mut breaks = Vec::new();
        let mut next = self.at;
        loop {
            let length = self.any_break(next);
            if length == 0 {
                break;
            }
            breaks.push((next, length));
            next += length;
            let blank = self.indentation(next, indent);
            if self.any_break(next + blank) == 0 {
                break;
            }
            next += blank;
        }
        let rest = &self.value[self.done..];
        let kept = rest.len() - rest.trim_start_matches('\n').len();
        let folded = kept < breaks.len() && kept < rest.len();
        match breaks.as_slice() {
            // YAML counts a line break at the end of a file that has none.
            [] => self.done += kept,
            [(at, length), ..] if folded && kept == 0 => {
                self.at = *at;
                self.take(1, *length)?;
            }
            _ => {
                for &(at, length) in breaks.iter().skip(usize::from(folded)).take(kept) {
                    self.at = at;
                    self.take(1, length)?;
                }
            }
        }
        if self.done < self.value.len() {
            self.at = next;
        }
        Some(())
    }

    /// Like [`Aligner::line_break`], but also beyond the end of the scalar.
    fn any_break(&self, at: usize) -> usize {
        let rest = &self.text[at.min(self.text.len())..];
        match rest.as_bytes() {
            [b'\r', b'\n', ..] | [0xC2, 0x85, ..] => 2,
            [b'\r' | b'\n', ..] => 1,
            _ => 0,
        }
    }
}
