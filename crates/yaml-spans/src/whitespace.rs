//! Rejects white space that the parser accepts and go-yaml does not: tabs as indentation, and the line breaks of
//! YAML 1.1 in unquoted scalars.

use crate::{ParseError, Span, Style};

/// The scalars and outermost brackets of a document, each in the order they are written.
#[derive(Default)]
pub(crate) struct Layout {
    pub(crate) scalars: Vec<ScalarExtent>,
    pub(crate) brackets: Vec<Span>,
}

/// Where a scalar is written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarExtent {
    pub(crate) span: Span,
    pub(crate) style: Style,
    /// The column its lines must reach: for a plain scalar, one more than that of the collection around it.
    pub(crate) column: usize,
}

impl ScalarExtent {
    fn is_quoted(&self) -> bool {
        matches!(self.style, Style::SingleQuoted | Style::DoubleQuoted)
    }
}

/// Whether a text holds anything that [`check`] can reject: a tab, U+2028 or U+2029.
pub(crate) fn needs_check(text: &str) -> bool {
    memchr::memchr(b'\t', text.as_bytes()).is_some() || separators(text).next().is_some()
}

/// The first white space of a document that go-yaml rejects.
pub(crate) fn check(text: &str, document: Span, layout: &Layout) -> Option<ParseError> {
    let base = document.start as usize;
    let chunk = &text[document.range()];
    let tab = Tabs { text, layout, blank: (0, 0) }
        .at_line_starts(base, chunk)
        .map(|at| ParseError::tab(Span::new(at, at + 1)));
    let is_quoted = |at: usize| {
        last(&layout.scalars, at).is_some_and(|s| at < s.span.end as usize && s.is_quoted())
    };
    let separator = separators(chunk).map(|at| base + at).find(|&at| !is_quoted(at)).map(|at| {
        let reason = "this invisible U+2028 or U+2029 ends a line for Kubernetes; \
                          quote the text, or remove it";
        ParseError::new(Span::new(at, at + '\u{2028}'.len_utf8()), reason)
    });
    match (tab, separator) {
        (Some(tab), Some(separator)) if separator.span < tab.span => Some(separator),
        (tab, separator) => tab.or(separator),
    }
}

/// The offsets of U+2028 and U+2029.
pub(crate) fn separators(text: &str) -> impl Iterator<Item = usize> {
    // Both characters start with these two bytes.
    let found = memchr::memmem::find_iter(text.as_bytes(), b"\xE2\x80");
    found.filter(|&at| text[at..].starts_with(['\u{2028}', '\u{2029}']))
}

/// The last scalar that starts at or before an offset.
fn last(scalars: &[ScalarExtent], at: usize) -> Option<&ScalarExtent> {
    let after = scalars.partition_point(|scalar| scalar.span.start as usize <= at);
    scalars[..after].last()
}

/// Looks for tabs where go-yaml expects spaces.
struct Tabs<'a> {
    text: &'a str,
    layout: &'a Layout,
    /// The end of a scalar, and the offset up to which only white space follows it. Remembered so that
    /// many blank lines are scanned once.
    blank: (u32, usize),
}

impl Tabs<'_> {
    /// Judges the first tab of each line's indentation; later ones are further to the right.
    fn at_line_starts(&mut self, base: usize, chunk: &str) -> Option<usize> {
        let mut at = 0;
        while let Some(found) = memchr::memchr(b'\t', &chunk.as_bytes()[at..]) {
            let line = chunk[..at + found].rfind('\n').map_or(0, |found| found + 1);
            let start = &chunk[line..];
            let indent = start.bytes().take_while(|byte| b" -?:".contains(byte)).count();
            if start.as_bytes()[indent] == b'\t' && self.is_wrong(base + line, indent) {
                return Some(base + line + indent);
            }
            at = memchr::memchr(b'\n', start.as_bytes())? + line + 1;
        }
        None
    }

    /// Whether go-yaml rejects the tab that follows `indent` bytes of a line.
    fn is_wrong(&mut self, line: usize, indent: usize) -> bool {
        let at = line + indent;
        let spaces = self.text[line..at].bytes().all(|byte| byte == b' ');
        match last(&self.layout.scalars, at) {
            Some(scalar) if at < scalar.span.end as usize => {
                !scalar.is_quoted() && spaces && indent < scalar.column
            }
            // Blank lines after a plain scalar belong to it.
            Some(scalar) if scalar.style == Style::Plain && self.is_blank_after(scalar, at) => {
                spaces && indent < scalar.column
            }
            _ => {
                let brackets = &self.layout.brackets;
                let after = brackets.partition_point(|bracket| bracket.start as usize <= at);
                brackets[..after].last().is_none_or(|bracket| at >= bracket.end as usize)
            }
        }
    }

    /// Whether there is only white space between a scalar and an offset.
    fn is_blank_after(&mut self, scalar: &ScalarExtent, at: usize) -> bool {
        let end = scalar.span.end;
        let known = if self.blank.0 == end { self.blank.1 } else { end as usize };
        let blank = !scalar.span.is_empty() && self.text[known.min(at)..at].trim().is_empty();
        if blank {
            self.blank = (end, at);
        }
        blank
    }
}
