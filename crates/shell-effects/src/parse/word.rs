//! Words: quotes, escapes and expansions.

use super::{Parser, is_delimiter};
use crate::ast::{List, Part, PartKind, Span, Word};

/// What ends a sequence of parts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Until {
    /// An unquoted delimiter.
    Delimiter,
    /// `"`
    Quote,
    /// `}`
    Brace,
    /// Only the end, as in a here-document.
    End,
}

/// For each byte, a bit per [`Until`] in which the byte is not literal.
static SPECIAL: [u8; 256] = special_bytes();

const fn special_bytes() -> [u8; 256] {
    let sets: [&[u8]; 4] = [b" \t\r\n;&|<>()'\"\\$`", b"\"\\$`", b"}'\"\\$`", b"\\$`"];
    let mut table = [0; 256];
    let mut set = 0;
    while set < sets.len() {
        let mut byte = 0;
        while byte < sets[set].len() {
            table[sets[set][byte] as usize] |= 1 << set;
            byte += 1;
        }
        set += 1;
    }
    table
}

impl Parser<'_> {
    /// The word at the current position. With `arrays`, `name=( … )` is a word too.
    pub(super) fn word(&mut self, arrays: bool) -> Option<Word> {
        let start = self.pos;
        if self.peek(0) == b'#' && self.after_delimiter() {
            return None;
        }
        // Most words have one part, but the first `push` would reserve four.
        let mut parts = Vec::with_capacity(1);
        if arrays && self.assigned_name().is_some() {
            parts.push(self.part(start, false, PartKind::Literal));
            if self.peek(0) == b'(' {
                let from = self.pos;
                let words = self.nested(Self::array);
                parts.push(self.part(from, false, PartKind::Array(words)));
            }
        }
        self.parts(Until::Delimiter, false, &mut parts);
        (self.pos > start).then(|| Word { span: self.span_from(start), parts })
    }

    /// Whether a word may start here, so that a `#` starts a comment.
    fn after_delimiter(&self) -> bool {
        let before = self.pos.checked_sub(1).map(|at| self.bytes[at]);
        before.is_none_or(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'('))
    }

    /// The elements between `(` and `)`.
    pub(super) fn array(&mut self) -> Vec<Word> {
        let start = self.pos;
        self.pos += 1;
        let mut words = Vec::new();
        loop {
            self.skip_space();
            match self.word(false) {
                Some(word) => words.push(word),
                None => break,
            }
        }
        if !self.take(")") {
            self.script.unknown.push(self.span_from(start));
        }
        words
    }

    /// The text from here to `end`, with expansions but without quotes, as in a here-document.
    pub(super) fn text_to(&mut self, end: usize) -> Vec<Part> {
        let mut parts = Vec::new();
        let outer = std::mem::replace(&mut self.end, end);
        self.parts(Until::End, true, &mut parts);
        self.end = outer;
        parts
    }

    fn part(&self, start: usize, quoted: bool, kind: PartKind) -> Part {
        Part { span: self.span_from(start), quoted, kind }
    }

    fn parts(&mut self, until: Until, quoted: bool, parts: &mut Vec<Part>) {
        loop {
            let start = self.pos;
            let plain = |b: &u8| SPECIAL[*b as usize] & (1 << until as u8) == 0;
            let rest = &self.bytes[start..self.end];
            self.pos += rest.iter().position(|b| !plain(b)).unwrap_or(rest.len());
            if self.pos > start {
                parts.push(self.part(start, quoted, PartKind::Literal));
            }
            if self.pos >= self.end || !self.special(until, quoted, parts) {
                return;
            }
        }
    }

    /// Parses what a special byte starts; false if the byte ends the sequence.
    fn special(&mut self, until: Until, quoted: bool, parts: &mut Vec<Part>) -> bool {
        match self.peek(0) {
            b'\\' => self.escape(until, quoted, parts),
            b'$' => self.dollar(until, quoted, parts),
            b'`' => self.backticks(quoted, parts),
            b'\'' if !quoted => self.single_quotes(parts),
            b'"' if until != Until::Quote => self.double_quotes(parts),
            b'<' | b'>' if self.peek(1) == b'(' && until == Until::Delimiter => {
                self.substitution(1, quoted, parts, PartKind::Process);
            }
            b'(' if until == Until::Delimiter && self.after_pattern_operator(parts) => {
                self.pattern_group(parts);
            }
            b'\'' => {
                self.pos += 1;
                parts.push(self.part(self.pos - 1, quoted, PartKind::Literal));
            }
            _ => return false,
        }
        true
    }

    fn escape(&mut self, until: Until, quoted: bool, parts: &mut Vec<Part>) {
        let start = self.pos;
        let Some(next) = self.text[start + 1..self.end].chars().next() else {
            self.pos = self.end;
            return parts.push(self.part(start, quoted, PartKind::Literal));
        };
        self.pos += 1;
        let escapes = match until {
            Until::Quote => matches!(next, '"' | '\\' | '$' | '`'),
            Until::End => matches!(next, '\\' | '$' | '`'),
            _ => true,
        };
        if next == '\n' {
            self.pos += 1;
        } else if escapes {
            self.pos += next.len_utf8();
            parts.push(self.part(start, quoted, PartKind::Escaped(next)));
        } else {
            parts.push(self.part(start, quoted, PartKind::Literal));
        }
    }

    fn single_quotes(&mut self, parts: &mut Vec<Part>) {
        let start = self.pos + 1;
        let rest = &self.bytes[start..self.end];
        let Some(length) = memchr::memchr(b'\'', rest) else { return self.unclosed(start - 1) };
        self.pos = start + length;
        if length > 0 {
            parts.push(self.part(start, true, PartKind::Literal));
        }
        self.pos += 1;
    }

    fn double_quotes(&mut self, parts: &mut Vec<Part>) {
        let start = self.pos;
        self.pos += 1;
        self.nested(|parser| parser.parts(Until::Quote, true, parts));
        if !self.take("\"") {
            self.unclosed(start);
        }
    }

    /// Gives up the rest of the script: what was opened at `start` is never closed.
    fn unclosed(&mut self, start: usize) {
        self.pos = self.end;
        self.error(start);
    }

    fn dollar(&mut self, until: Until, quoted: bool, parts: &mut Vec<Part>) {
        let start = self.pos;
        match self.peek(1) {
            b'(' if self.peek(2) == b'(' && self.arithmetic(3) => {
                parts.push(self.part(start, quoted, PartKind::Arithmetic));
            }
            b'(' => self.substitution(1, quoted, parts, PartKind::Command),
            b'{' => {
                let kind = self.nested(|parser| Some(parser.braces(quoted)));
                parts.push(self.part(start, quoted, kind.unwrap_or(PartKind::Literal)));
            }
            b'\'' if !quoted => self.ansi_quotes(parts),
            b'"' if until != Until::Quote => {
                self.pos += 1;
                self.double_quotes(parts);
            }
            _ => {
                let name = self.parameter_name(start + 1);
                self.pos = name.end as usize;
                let plain = name.start == name.end;
                let kind = PartKind::Parameter { name, operand: None };
                parts.push(self.part(start, quoted, if plain { PartKind::Literal } else { kind }));
            }
        }
    }

    /// An identifier, digit or special character; empty if there is none.
    fn parameter_name(&self, start: usize) -> Span {
        let end = self.name_end(start);
        let special = |b: &u8| b.is_ascii_digit() || b"@*#?-$!".contains(b);
        if end == start && start < self.end && self.bytes.get(start).is_some_and(special) {
            return Span::new(start, start + 1);
        }
        Span::new(start, end)
    }

    /// `${…}`
    fn braces(&mut self, quoted: bool) -> PartKind {
        let start = self.pos;
        self.pos += 2;
        let prefixed = matches!(self.peek(0), b'#' | b'!') && !matches!(self.peek(1), b'}' | b':');
        self.pos += usize::from(prefixed);
        let name = self.parameter_name(self.pos);
        self.pos = name.end as usize;
        let operand = self.pos;
        let mut parts = Vec::new();
        self.parts(Until::Brace, quoted, &mut parts);
        let span = self.span_from(operand);
        if !self.take("}") {
            self.unclosed(start);
        }
        let operand = (span.start < span.end).then_some(Word { span, parts });
        PartKind::Parameter { name, operand }
    }

    /// Skips `(( … ))`, whose content starts at `ahead`; false if it is something else.
    pub(super) fn arithmetic(&mut self, ahead: usize) -> bool {
        let mut open = 0;
        for at in self.pos + ahead..self.end {
            match self.bytes[at] {
                b'(' => open += 1,
                b')' if open > 0 => open -= 1,
                b')' if at + 1 < self.end && self.bytes[at + 1] == b')' => {
                    self.pos = at + 2;
                    return true;
                }
                b')' => return false,
                _ => {}
            }
        }
        false
    }

    /// `( … )` after a prefix of so many bytes.
    fn substitution(
        &mut self,
        prefix: usize,
        quoted: bool,
        parts: &mut Vec<Part>,
        kind: fn(List) -> PartKind,
    ) {
        let start = self.pos;
        self.pos += prefix + 1;
        let list = self.list();
        if !self.take(")") {
            self.script.unknown.push(self.span_from(start));
        }
        parts.push(self.part(start, quoted, kind(list)));
    }

    fn backticks(&mut self, quoted: bool, parts: &mut Vec<Part>) {
        let start = self.pos;
        self.pos += 1;
        let Some(close) = self.closing_backtick() else { return self.unclosed(start) };
        let outer = std::mem::replace(&mut self.end, close);
        let pending = std::mem::take(&mut self.pending);
        self.lenient += 1;
        let list = self.list_to_end();
        self.lenient -= 1;
        self.pending = pending;
        self.end = outer;
        self.pos = close + 1;
        parts.push(self.part(start, quoted, PartKind::Command(list)));
    }

    fn closing_backtick(&self) -> Option<usize> {
        let mut at = self.pos;
        while at < self.end {
            match self.bytes[at] {
                b'`' => return Some(at),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
        None
    }

    /// `$'…'`
    fn ansi_quotes(&mut self, parts: &mut Vec<Part>) {
        let start = self.pos;
        self.pos += 2;
        while self.pos < self.end {
            let from = self.pos;
            match self.peek(0) {
                b'\'' => {
                    self.pos += 1;
                    return;
                }
                b'\\' => self.ansi_escape(parts),
                _ => {
                    let rest = &self.bytes[from..self.end];
                    self.pos += memchr::memchr2(b'\'', b'\\', rest).unwrap_or(rest.len());
                    parts.push(self.part(from, true, PartKind::Literal));
                }
            }
        }
        self.unclosed(start);
    }

    /// The letters of <https://www.gnu.org/software/bash/manual/html_node/ANSI_002dC-Quoting.html>.
    /// Numeric escapes stay as written.
    fn ansi_escape(&mut self, parts: &mut Vec<Part>) {
        let start = self.pos;
        let Some(next) = self.text[start + 1..self.end].chars().next() else {
            self.pos = self.end;
            return;
        };
        self.pos += 1 + next.len_utf8();
        let value = match next {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'e' | 'E' => '\u{1b}',
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '\\' | '\'' | '"' | '?' => next,
            _ => return parts.push(self.part(start, true, PartKind::Literal)),
        };
        parts.push(self.part(start, true, PartKind::Escaped(value)));
    }

    /// Whether the byte before `(` makes it an extended pattern: `@(`, `?(`, `*(`, `+(`, `!(`.
    fn after_pattern_operator(&self, parts: &[Part]) -> bool {
        parts.last().is_some_and(|part| {
            part.span.end as usize == self.pos
                && matches!(part.kind, PartKind::Literal)
                && !part.quoted
                && b"@?*+!".contains(&self.bytes[self.pos - 1])
        })
    }

    fn pattern_group(&mut self, parts: &mut Vec<Part>) {
        let start = self.pos;
        let mut open = 0;
        while self.pos < self.end {
            match self.peek(0) {
                b'(' => open += 1,
                b')' => open -= 1,
                byte if open == 0 && is_delimiter(byte) => break,
                _ => {}
            }
            self.pos += 1;
            if open == 0 {
                break;
            }
        }
        parts.push(self.part(start, false, PartKind::Literal));
    }
}
