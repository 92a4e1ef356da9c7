//! How far a block scalar (`|` or `>`) extends.

use crate::{Span, text::line_start};

/// Narrows the span that the parser gives a block scalar: from the first character after the indentation of
/// its first non-empty line to the end of the last line that is part of the value.
pub(crate) fn trim(text: &str, span: Span, value: &str) -> Span {
    let (at, end) = (span.start as usize, span.end as usize);
    if value.trim_matches('\n').is_empty() {
        return Span { start: span.start, end: span.start };
    }
    let indent = indent(text, at, value);
    let first = line_start(text, at) + indent;
    let mut last = end;
    while last > first {
        let line = text[..last]
            .strip_suffix('\n')
            .map_or(&text[..last], |line| line.strip_suffix('\r').unwrap_or(line));
        let begin = line_start(text, line.len());
        last = line.len();
        let empty = line[begin..].len() <= indent && line[begin..].bytes().all(|b| b == b' ');
        if !empty {
            break;
        }
        last = begin;
    }
    let breaks = value.len() - value.trim_end_matches('\n').len();
    let kept: usize = text[last..end].split_inclusive('\n').take(breaks).map(str::len).sum();
    Span::new(first, last + kept)
}

/// The indentation of a block scalar in spaces, measured on its first non-empty line, which holds `at`.
pub(crate) fn indent(text: &str, at: usize, value: &str) -> usize {
    let spaces = |text: &str| text.bytes().take_while(|byte| *byte == b' ').count();
    let written = spaces(&text[line_start(text, at)..]);
    written.saturating_sub(spaces(value.trim_start_matches('\n')))
}
