//! White space where go-yaml is stricter than the parser: tabs that indent, and the line breaks of
//! YAML 1.1 in texts without quotes.

use super::{Problem, Style, problem};
use crate::Span;

/// Where a scalar is written.
#[derive(Clone, Copy, Debug)]
pub struct Scalar {
    pub span: Span,
    pub style: Style,
    /// The column that lines of it must reach: for plain text one more than that of the collection
    /// around it.
    pub column: usize,
}

/// Texts with a tab, U+2028 or U+2029 need a look; others are done.
pub fn needs_check(text: &str) -> bool {
    memchr::memchr(b'\t', text.as_bytes()).is_some() || separators(text).next().is_some()
}

/// The first white space that kubectl stumbles over in a document. The scalars and the outermost
/// brackets are in the order they are written.
pub fn check(text: &str, document: Span, scalars: &[Scalar], brackets: &[Span]) -> Option<Problem> {
    let base = document.start as usize;
    let chunk = &text[document.range()];
    let mut tabs = Tabs { text, scalars, brackets, blank: (0, 0) };
    let tab = tabs
        .at_line_starts(base, chunk)
        .map(|at| Problem::new(Span::new(at, at + 1), problem::TAB));
    let separator = separators(chunk)
        .map(|at| base + at)
        .find(|&at| !last(scalars, at).is_some_and(|s| at < s.span.end as usize && is_quoted(s)))
        .map(|at| {
            let reason = "this invisible U+2028 or U+2029 ends a line for Kubernetes; \
                          quote the text, or remove it";
            Problem::new(Span::new(at, at + '\u{2028}'.len_utf8()), reason)
        });
    match (tab, separator) {
        (Some(tab), Some(separator)) if separator.span < tab.span => Some(separator),
        (tab, separator) => tab.or(separator),
    }
}

/// The places of U+2028 and U+2029.
pub fn separators(text: &str) -> impl Iterator<Item = usize> {
    // Both characters start with these two bytes.
    let found = memchr::memmem::find_iter(text.as_bytes(), b"\xE2\x80");
    found.filter(|&at| text[at..].starts_with(['\u{2028}', '\u{2029}']))
}

fn is_quoted(scalar: &Scalar) -> bool {
    matches!(scalar.style, Style::SingleQuoted | Style::DoubleQuoted)
}

/// The last scalar that starts at or before an offset.
fn last(scalars: &[Scalar], at: usize) -> Option<&Scalar> {
    let after = scalars.partition_point(|scalar| scalar.span.start as usize <= at);
    scalars[..after].last()
}

/// Looks for tabs where go-yaml expects an indentation of spaces.
struct Tabs<'a> {
    text: &'a str,
    scalars: &'a [Scalar],
    brackets: &'a [Span],
    /// White space that was looked at: from the end of a scalar up to an offset.
    blank: (u32, usize),
}

impl Tabs<'_> {
    /// Only the first tab of what a line starts with can be wrong: what follows it is further right.
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

    /// Judges the tab that follows `indent` bytes of a line.
    fn is_wrong(&mut self, line: usize, indent: usize) -> bool {
        let at = line + indent;
        let spaces = self.text[line..at].bytes().all(|byte| byte == b' ');
        match last(self.scalars, at) {
            Some(scalar) if at < scalar.span.end as usize => {
                !is_quoted(scalar) && spaces && indent < scalar.column
            }
            // A plain text takes the blank lines after it.
            Some(scalar) if scalar.style == Style::Plain && self.is_blank_after(scalar, at) => {
                spaces && indent < scalar.column
            }
            _ => {
                let after = self.brackets.partition_point(|bracket| bracket.start as usize <= at);
                self.brackets[..after].last().is_none_or(|bracket| at >= bracket.end as usize)
            }
        }
    }

    /// Whether there is nothing but white space between a scalar and an offset.
    fn is_blank_after(&mut self, scalar: &Scalar, at: usize) -> bool {
        let end = scalar.span.end;
        let known = if self.blank.0 == end { self.blank.1 } else { end as usize };
        let blank = !scalar.span.is_empty() && self.text[known.min(at)..at].trim().is_empty();
        if blank {
            self.blank = (end, at);
        }
        blank
    }
}
