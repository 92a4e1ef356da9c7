//! White space where go-yaml is stricter than the parser: tabs that indent, and the line breaks of
//! YAML 1.1 in texts without quotes.

use super::{Problem, Style, problem};
use crate::source::Span;

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
    let tab = memchr::memchr_iter(b'\t', chunk.as_bytes())
        .map(|at| base + at)
        .find(|&at| indents(text, at, scalars, brackets))
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

fn separators(text: &str) -> impl Iterator<Item = usize> {
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

/// Whether a tab stands where go-yaml expects an indentation of spaces.
fn indents(text: &str, at: usize, scalars: &[Scalar], brackets: &[Span]) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |found| found + 1);
    let before = &text[line..at];
    let only = |allowed: &[u8]| before.bytes().all(|byte| allowed.contains(&byte));
    let short = |scalar: &Scalar| only(b" \t") && before.len() < scalar.column;
    match last(scalars, at) {
        Some(scalar) if at < scalar.span.end as usize => !is_quoted(scalar) && short(scalar),
        // A plain text takes the blank lines after it.
        Some(scalar)
            if scalar.style == Style::Plain
                && !scalar.span.is_empty()
                && text[scalar.span.end as usize..at].trim().is_empty() =>
        {
            short(scalar)
        }
        _ => {
            let after = brackets.partition_point(|bracket| bracket.start as usize <= at);
            let inside = brackets[..after].last().is_some_and(|b| at < b.end as usize);
            !inside && only(b" \t-?:")
        }
    }
}
