//! Template lines that contain a key of a rendered object verbatim.

use std::sync::Arc;

use job_lifecycle::Object;
use yaml_spans::{Entry, Source, Span};

/// A line of a template that starts with a key.
#[derive(Clone, Debug)]
pub(super) struct Line {
    pub(super) source: Arc<Source>,
    /// Without the line break.
    pub(super) span: Span,
    pub(super) number: usize,
    key: Span,
}

impl Line {
    /// The line of the executed template that contains the key of an entry. `None` if a helper or an action prints
    /// the key, or something precedes it on the line.
    pub(super) fn of(object: &Object, entry: &Entry) -> Option<Self> {
        Self::anywhere(object, entry).filter(|line| line.source.path == object.source.path)
    }

    /// The same for a line of the template or of a helper.
    pub(super) fn anywhere(object: &Object, entry: &Entry) -> Option<Self> {
        let written = object.source.origin.as_ref()?.written(entry.key_span);
        let (source, key) = (written.at.source, written.at.span);
        let is_literal = source.slice(key) == object.source.slice(entry.key_span);
        if written.is_foreign || !source.editable || !is_literal {
            return None;
        }
        let number = source.line_of(key.start);
        let line = Self { span: source.line_span(number), number, key, source };
        line.indent().trim().is_empty().then_some(line)
    }

    /// The text before the key.
    pub(super) fn indent(&self) -> &str {
        self.source.slice(Span { start: self.span.start, end: self.key.start })
    }

    /// The trimmed span of the value: everything after the colon.
    pub(super) fn value(&self) -> Option<Span> {
        let rest = Span { start: self.key.end, end: self.span.end };
        let text = self.source.slice(rest);
        let value = text.trim_start_matches(['"', '\'']).strip_prefix(':')?;
        let value = value.trim();
        let start = rest.start as usize + (value.as_ptr() as usize - text.as_ptr() as usize);
        Some(Span::new(start, start + value.len()))
    }

    /// The line itself if its value starts on another line.
    pub(super) fn without_value(self) -> Option<Self> {
        self.value()?.is_empty().then_some(self)
    }

    /// True when the more indented lines below contain a text.
    pub(super) fn block_has(&self, text: &str) -> bool {
        let own = self.indent().len();
        let lines = (self.number + 1..=self.source.line_count())
            .map(|number| self.source.line_text(number));
        let inside = |line: &&str| {
            let trimmed = line.trim_start();
            trimmed.is_empty() || trimmed.starts_with("{{") || line.len() - trimmed.len() > own
        };
        lines.take_while(inside).any(|line| line.contains(text))
    }

    /// The line with its line break.
    pub(super) fn whole(&self) -> Span {
        let next = self.source.line_span(self.number + 1).start;
        Span { start: self.span.start, end: next.max(self.span.end) }
    }
}
