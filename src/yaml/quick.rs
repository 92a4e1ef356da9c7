//! Reads ordinary YAML without the parser: block collections of keys and scalars, line by line. Most of
//! what a chart reads and prints is of that kind, and the parser takes several times as long over it.
//!
//! It gives up at anything else. What it accepts means what the parser says, every place included; the
//! tests compare both.

pub(crate) mod lines;
pub(crate) mod scalars;
#[cfg(test)]
mod tests;

use self::lines::{Line, Lines, trim_start};
use self::scalars::{Key, Text, block, flow, key, plain, quoted};
use super::{
    Node, Style, Value, scalar,
    tree::{Builder, Written},
};
use crate::source::Span;

/// The tree of the document at a place of a text; `None` where only the parser can tell.
pub fn read(text: &str, place: Span) -> Option<Node> {
    let chunk = &text[place.range()];
    if memchr::memchr(b'\t', chunk.as_bytes()).is_some() || has_odd_breaks(chunk) {
        return None;
    }
    let mut quick = Quick::new(text);
    let mut lines = Lines::new(text, place);
    while let Some(line) = lines.next() {
        let body = line.body(text);
        if body.is_empty() || body.starts_with('#') {
            continue;
        }
        if line.indent == 0 && (body.starts_with('%') || body.starts_with("...")) {
            return None;
        }
        quick.line(line, &mut lines)?;
    }
    quick.finish()
}

/// Whether there are line breaks other than `\n`, or byte order marks: those have rules of their own.
pub(crate) fn has_odd_breaks(chunk: &str) -> bool {
    const ODD: [char; 4] = ['\u{85}', '\u{2028}', '\u{2029}', '\u{FEFF}'];
    let bytes = chunk.as_bytes();
    memchr::memchr(b'\r', bytes).is_some()
        || memchr::memchr3_iter(0xC2, 0xE2, 0xEF, bytes).any(|at| chunk[at..].starts_with(ODD))
}

/// Deeper documents are left to the parser.
pub(crate) const DEEPEST: usize = 60;

struct Quick<'t> {
    text: &'t str,
    builder: Builder,
    /// The open collections, outermost first.
    levels: Vec<Level>,
    /// The key or dash whose value has not come yet.
    pending: Option<Owner>,
    is_started: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Level {
    column: usize,
    is_map: bool,
}

/// A key or dash, and where its value would stand if it is absent.
#[derive(Clone, Copy)]
struct Owner {
    column: usize,
    value_at: usize,
    is_key: bool,
}

impl<'t> Quick<'t> {
    fn new(text: &'t str) -> Self {
        let builder = Builder::default();
        Self { text, builder, levels: Vec::new(), pending: None, is_started: false }
    }

    /// A line with content: dashes, then a key with or without its value, or a scalar.
    fn line(&mut self, line: Line, lines: &mut Lines<'t>) -> Option<()> {
        let mut at = line.start + line.indent;
        while let Some(after) = line.after_dash(self.text, at) {
            let (column, count) = (at - line.start, self.levels.len());
            self.place(Level { column, is_map: false }, at)?;
            self.pending = Some(Owner { column, value_at: at + 1, is_key: false });
            let inner = trim_start(after);
            if inner.is_empty() || inner.starts_with('#') {
                // The parser does not know where a list starts whose first dash stands alone.
                return (self.levels.len() <= count).then_some(());
            }
            at = line.end - inner.len();
        }
        let column = at - line.start;
        let Some(Key { text, colon }) = key(self.text, at, line.end)? else {
            let owner = self.pending.filter(|owner| column > owner.column)?;
            return self.value(owner, at, line, lines);
        };
        self.place(Level { column, is_map: true }, at)?;
        self.scalar(at, text)?;
        let value = trim_start(&self.text[colon + 1..line.end]);
        let owner = Owner { column, value_at: colon + 1, is_key: true };
        self.pending = Some(owner);
        if value.is_empty() || value.starts_with('#') {
            return Some(());
        }
        self.value(owner, line.end - value.len(), line, lines)
    }

    /// The value that starts at an offset, up to the end of its line or further.
    fn value(&mut self, owner: Owner, at: usize, line: Line, lines: &mut Lines<'t>) -> Option<()> {
        self.pending = None;
        let rest = &self.text[at..line.end];
        match rest.as_bytes()[0] {
            b'[' | b'{' => flow(&mut self.builder, at, rest),
            b'|' | b'>' => {
                let (span, text, style) = block(self.text, rest, owner.column, lines)?;
                self.node(Node { span, value: Value::Str(text.into()), style })
            }
            b'"' | b'\'' => {
                let text = quoted(self.text, at, line, owner.column, lines)?;
                self.scalar(at, text)
            }
            _ => {
                let text = plain(self.text, at, line, owner.column, lines)?;
                self.scalar(at, text)
            }
        }
    }

    fn scalar(&mut self, at: usize, text: Text<'_>) -> Option<()> {
        let is_plain = text.style == Style::Plain;
        let value = scalar::value(&text.value, is_plain, None).ok()?;
        self.node(Node { span: Span::new(at, text.end), value, style: text.style })
    }

    fn node(&mut self, node: Node) -> Option<()> {
        self.builder.scalar(node, 0, Written::Directly).ok()
    }

    /// A key without a value. Where the parser puts that of a dash depends on what follows.
    fn absent(&mut self, owner: Owner) -> Option<()> {
        if !owner.is_key {
            return None;
        }
        let span = Span::new(owner.value_at, owner.value_at);
        self.node(Node { span, value: Value::Null, style: Style::Plain })
    }

    /// Closes what ends before this line, and opens the collection that starts with it.
    fn place(&mut self, level: Level, at: usize) -> Option<()> {
        if let Some(owner) = self.pending.take() {
            let above = Level { column: owner.column, is_map: true };
            let is_flush = !level.is_map && level.column == owner.column;
            if level.column > owner.column || is_flush && self.levels.last() == Some(&above) {
                return self.open(level, at);
            }
            self.absent(owner)?;
        }
        while self.levels.last().is_some_and(|last| last.column > level.column) {
            self.close()?;
        }
        let Some(last) = self.levels.last() else {
            return if self.is_started { None } else { self.open(level, at) };
        };
        if last.column == level.column && !last.is_map && level.is_map {
            self.close()?;
        }
        (self.levels.last() == Some(&level)).then_some(())
    }

    fn open(&mut self, level: Level, at: usize) -> Option<()> {
        if self.levels.len() > DEEPEST {
            return None;
        }
        self.is_started = true;
        self.levels.push(level);
        let span = Span::new(at, at);
        match level.is_map {
            true => self.builder.open_mapping(span, Style::Block, 0).ok(),
            false => self.builder.open_sequence(span, Style::Block, 0).ok(),
        }
    }

    fn close(&mut self) -> Option<()> {
        self.levels.pop();
        self.builder.close(Span::default()).ok()
    }

    fn finish(mut self) -> Option<Node> {
        if let Some(owner) = self.pending.take() {
            self.absent(owner)?;
        }
        while !self.levels.is_empty() {
            self.close()?;
        }
        self.builder.finish().ok()?
    }
}
