//! Redirections and here-documents.

use super::Parser;
use crate::ast::{Heredoc, Part, PartKind, Redirect, RedirectOperator, Span, Word};

/// A here-document whose body has not been read yet.
pub(super) struct PendingHeredoc {
    index: usize,
    delimiter: String,
    /// The delimiter is quoted, so nothing is expanded.
    literal: bool,
    /// `<<-`: leading tabs are removed.
    strip_tabs: bool,
}

/// An operator comes before its own prefixes.
const OPERATORS: [(&str, RedirectOperator); 12] = [
    ("<<<", RedirectOperator::HereString),
    ("<<-", RedirectOperator::Heredoc),
    ("<<", RedirectOperator::Heredoc),
    ("<>", RedirectOperator::ReadWrite),
    ("<&", RedirectOperator::Duplicate),
    ("<", RedirectOperator::Read),
    (">>", RedirectOperator::Append),
    (">&", RedirectOperator::Duplicate),
    (">|", RedirectOperator::Write),
    (">", RedirectOperator::Write),
    ("&>>", RedirectOperator::Append),
    ("&>", RedirectOperator::Write),
];

impl Parser<'_> {
    /// The redirection at the current position.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.pos;
        let at = start + self.descriptor_length();
        let descriptor = (at > start).then(|| Span::new(start, at));
        let rest = &self.bytes[at..self.end];
        let found = OPERATORS.iter().find(|(text, _)| rest.starts_with(text.as_bytes()));
        let (text, operator) = *found?;
        let process = text.len() == 1 && rest.get(1) == Some(&b'(');
        if process || (descriptor.is_some() && text.starts_with('&')) {
            return None;
        }
        self.pos = at + text.len();
        self.skip_blanks();
        let empty = Word { span: Span::new(self.pos, self.pos), parts: Vec::new() };
        let target = self.word(false).unwrap_or(empty);
        let heredoc = (operator == RedirectOperator::Heredoc)
            .then(|| self.announce_heredoc(&target, text == "<<-"));
        Some(Redirect { span: self.span_from(start), descriptor, operator, target, heredoc })
    }

    /// The length of a descriptor (`2` or `{name}`) before an operator.
    fn descriptor_length(&self) -> usize {
        let rest = &self.bytes[self.pos..self.end];
        let length = match rest.first() {
            Some(b'{') => {
                let name = self.name_end(self.pos + 1) - self.pos;
                if name > 1 && rest.get(name) == Some(&b'}') { name + 1 } else { 0 }
            }
            _ => rest.iter().take_while(|b| b.is_ascii_digit()).count(),
        };
        if matches!(rest.get(length), Some(b'<' | b'>')) { length } else { 0 }
    }

    fn announce_heredoc(&mut self, target: &Word, strip_tabs: bool) -> usize {
        let index = self.script.heredocs.len();
        let span = Span::new(self.pos, self.pos);
        self.script.heredocs.push(Heredoc { span, body: Word { span, parts: Vec::new() } });
        let written = target.span.text(self.text);
        let delimiter = target.literal(self.text).unwrap_or_else(|| written.to_owned());
        let literal = written.contains(['\'', '"', '\\']);
        self.pending.push(PendingHeredoc { index, delimiter, literal, strip_tabs });
        index
    }

    /// Reads the bodies of the here-documents that started on the line before.
    pub(super) fn read_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let start = self.pos;
            let (end, next) = self.heredoc_end(&pending);
            let mut parts = if pending.literal {
                self.pos = end;
                vec![Part { span: Span::new(start, end), quoted: true, kind: PartKind::Literal }]
            } else {
                self.lenient += 1;
                let parts = self.nested(|parser| parser.text_to(end));
                self.lenient -= 1;
                parts
            };
            if pending.strip_tabs {
                parts = self.without_tabs(parts);
            }
            let span = Span::new(start, end);
            self.script.heredocs[pending.index] = Heredoc { span, body: Word { span, parts } };
            self.pos = next;
        }
    }

    /// The end of the body and the start of the line after the delimiter.
    fn heredoc_end(&self, pending: &PendingHeredoc) -> (usize, usize) {
        let mut line = self.pos;
        while line < self.end {
            let rest = &self.bytes[line..self.end];
            let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
            let text = self.text[line..line + length].trim_end_matches('\r');
            let text = if pending.strip_tabs { text.trim_start_matches('\t') } else { text };
            let next = (line + length + 1).min(self.end);
            if text == pending.delimiter {
                return (line, next);
            }
            line = next;
        }
        (self.end, self.end)
    }

    fn without_tabs(&self, parts: Vec<Part>) -> Vec<Part> {
        let mut stripped = Vec::with_capacity(parts.len());
        for part in parts {
            if !matches!(part.kind, PartKind::Literal) {
                stripped.push(part);
                continue;
            }
            let mut at = part.span.start as usize;
            for line in part.span.text(self.text).split_inclusive('\n') {
                let first = at == 0 || self.bytes[at - 1] == b'\n';
                let text = if first { line.trim_start_matches('\t') } else { line };
                let span = Span::new(at + line.len() - text.len(), at + line.len());
                stripped.push(Part { span, quoted: true, kind: PartKind::Literal });
                at += line.len();
            }
        }
        stripped
    }
}
