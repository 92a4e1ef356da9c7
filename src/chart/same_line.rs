//! The line of a script, in a file or in values, that a template prints as it is.

use yaml_spans::{Location, Source, Span};

/// The longest text, in bytes, that is searched.
const LONGEST: usize = 256 << 10;

/// The only line of what an input holds that is a printed line but for its indentation. `at` is empty for a whole file.
pub(super) fn of(at: &Location, printed: &str) -> Option<Location> {
    let Location { source, span } = at;
    let lines = match span.range().is_empty() {
        true => 1..=source.line_count(),
        false => source.line_of(span.start)..=source.line_of(span.end),
    };
    let printed = printed.trim();
    if printed.is_empty() || source.text.len() > LONGEST {
        return None;
    }
    let mut same = lines.filter(|line| source.line_text(*line).trim() == printed);
    let line = same.next()?;
    same.next().is_none().then(|| Location { span: trimmed(source, line), source: source.clone() })
}

/// A line without the blanks around it.
fn trimmed(source: &Source, line: usize) -> Span {
    let (text, start) = (source.line_text(line), source.line_span(line).start as usize);
    let start = start + (text.len() - text.trim_start().len());
    Span::new(start, start + text.trim().len())
}
