//! The lines of a source that a finding shows, as miette's source code.
//!
//! miette's own sources scan the whole text for every label and panic on columns past 65,535. This one
//! holds nothing but the lines around the labels, long ones cut to a window.

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use yaml_spans::{Position, Source, Span, char_start};

use super::text;

/// Lines shown above and below a label.
pub const CONTEXT: usize = 1;

/// A label that covers more lines than this is shown at its first line only.
const MOST_LINES: usize = 6;

/// A place to show, with what it says.
#[derive(Clone, Copy)]
pub struct Mark<'a> {
    pub span: Span,
    pub text: &'a str,
    pub primary: bool,
}

/// Neighbouring lines of a source with their labels.
pub struct Excerpt {
    name: String,
    text: String,
    first: usize,
    lines: Vec<Line>,
    pub labels: Vec<LabeledSpan>,
    /// Where the label of the same index starts in the source.
    starts: Vec<Position>,
}

/// The shown part of a line.
struct Line {
    whole: Span,
    shown: Span,
    /// Where the shown part starts in the text of the excerpt.
    at: usize,
}

/// How an excerpt is cut.
#[derive(Clone, Copy)]
pub struct Cut {
    /// Characters of a line at most.
    pub width: usize,
    /// Characters of a label's line at most.
    pub label_width: usize,
    /// What stands for what is cut away.
    pub ellipsis: &'static str,
}

/// The lines around some places of a source, shown under a name; those of the primary place first.
pub fn excerpts(source: &Source, name: &str, marks: &[Mark<'_>], cut: Cut) -> Vec<Excerpt> {
    let mut marks: Vec<Mark<'_>> = marks.iter().map(|mark| clipped(source, *mark)).collect();
    marks.sort_by_key(|mark| (mark.span, !mark.primary));
    let mut chunks: Vec<(Chunk, Vec<Mark<'_>>)> = Vec::new();
    for mark in marks {
        if let Some((chunk, own)) = chunks.last_mut()
            && chunk.extend(source, mark.span, cut)
        {
            own.push(mark);
            continue;
        }
        let shown = chunks.last().map_or(0, |(chunk, _)| chunk.first + chunk.lines.len() - 1);
        chunks.push((Chunk::new(source, mark.span, shown, cut), vec![mark]));
    }
    chunks.sort_by_key(|(_, marks)| !marks.iter().any(|mark| mark.primary));
    let excerpt = |(chunk, marks): (Chunk, Vec<_>)| Excerpt::new(source, name, chunk, &marks, cut);
    chunks.into_iter().map(excerpt).collect()
}

/// Lines that are to be shown together.
struct Chunk {
    first: usize,
    lines: Vec<Line>,
}

impl Chunk {
    /// The lines around a place, but for those `shown` already, unless the place is in them.
    fn new(source: &Source, span: Span, shown: usize, cut: Cut) -> Self {
        let (top, bottom) = around(source, span);
        let first = top.max((shown + 1).min(source.line_of(span.start)));
        let lines = (first..=bottom).map(|line| Line::new(source, line, span, cut)).collect();
        Self { first, lines }
    }

    /// Adds the lines of another place when they follow and it is in what is shown of them.
    fn extend(&mut self, source: &Source, span: Span, cut: Cut) -> bool {
        let next = self.first + self.lines.len();
        let (top, bottom) = around(source, span);
        let visible = |offset: u32| {
            let shown = source.line_of(offset).checked_sub(self.first);
            let shown = shown.and_then(|index| self.lines.get(index));
            shown.is_none_or(|line| line.shown.start <= offset && offset <= line.shown.end)
        };
        let fits = (self.first..=next + 1).contains(&top);
        if !fits || !visible(span.start) || !visible(span.end) {
            return false;
        }
        self.lines.extend((next..=bottom).map(|line| Line::new(source, line, span, cut)));
        true
    }
}

/// First and last line to show for a place.
fn around(source: &Source, span: Span) -> (usize, usize) {
    let (first, last) = (source.line_of(span.start), source.line_of(span.end));
    // The empty line after the last line break is shown only when the place is there.
    let count = source.line_count() - usize::from(source.text.ends_with('\n'));
    (first.saturating_sub(CONTEXT).max(1), (last + CONTEXT).min(count.max(last)))
}

impl Excerpt {
    fn new(source: &Source, name: &str, chunk: Chunk, marks: &[Mark<'_>], cut: Cut) -> Self {
        let Chunk { first, lines } = chunk;
        let mut excerpt = Self {
            name: name.to_owned(),
            text: String::new(),
            first,
            lines,
            labels: Vec::new(),
            starts: Vec::new(),
        };
        excerpt.write(source, marks, cut);
        for mark in marks {
            excerpt.add_label(source, mark, cut);
        }
        excerpt
    }

    fn write(&mut self, source: &Source, marks: &[Mark<'_>], cut: Cut) {
        for line in &mut self.lines {
            if line.shown.start > line.whole.start {
                self.text.push_str(cut.ellipsis);
            }
            line.at = self.text.len();
            self.text.extend(source.slice(line.shown).chars().map(text::visible));
            if line.shown.end < line.whole.end {
                self.text.push_str(cut.ellipsis);
            }
            // miette puts no label on a line without a character.
            if line.whole.is_empty() && marks.iter().any(|mark| mark.span == line.whole) {
                self.text.push(' ');
            }
            self.text.push('\n');
        }
    }

    fn add_label(&mut self, source: &Source, mark: &Mark<'_>, cut: Cut) {
        let at = |offset: u32| {
            let index = source.line_of(offset).saturating_sub(self.first);
            let line = &self.lines[index.min(self.lines.len() - 1)];
            let end = offset.clamp(line.shown.start, line.shown.end);
            let before = source.slice(Span { start: line.shown.start, end });
            line.at + before.chars().map(|c| text::visible(c).len_utf8()).sum::<usize>()
        };
        let (start, end) = (at(mark.span.start), at(mark.span.end));
        let label = text::wrap(&text::one_line(mark.text), cut.label_width).join("\n");
        let label = (!label.is_empty()).then_some(label);
        let span = SourceSpan::from((start, end.saturating_sub(start)));
        self.labels.push(match mark.primary {
            true => LabeledSpan::new_primary_with_span(label, span),
            false => LabeledSpan::new_with_span(label, span),
        });
        self.starts.push(source.position(mark.span.start));
    }
}

impl Line {
    /// A line, cut to a window around the place of the mark in it when it is long.
    fn new(source: &Source, number: usize, mark: Span, cut: Cut) -> Self {
        let whole = source.line_span(number);
        let text = source.slice(whole);
        let line = |shown| Line { whole, shown, at: 0 };
        if text.len() <= cut.width || text.chars().nth(cut.width).is_none() {
            return line(whole);
        }
        let around = mark.start.clamp(whole.start, whole.end) - whole.start;
        let around = if around as usize == text.len() { 0 } else { around as usize };
        let before = text[..around].char_indices().rev().take(cut.width / 2);
        let mut start = before.last().map_or(around, |(at, _)| at);
        if text[..start].chars().nth(cut.ellipsis.len()).is_none() {
            start = 0;
        }
        let length = text[start..].char_indices().nth(cut.width).map(|(at, _)| at);
        let end = length.map_or(text.len(), |length| start + length);
        let base = whole.start as usize;
        line(Span::new(base + start, base + end))
    }
}

/// A mark inside of the text, on character boundaries, and not over too many lines.
fn clipped<'a>(source: &Source, mark: Mark<'a>) -> Mark<'a> {
    let text = &source.text;
    let start = char_start(text, mark.span.start as usize);
    let end = char_start(text, mark.span.end as usize).max(start);
    // The line break behind a block is not part of what is wrong with it.
    let end = start + text[start..end].trim_end_matches(['\n', '\r']).len();
    let span = Span::new(start, end);
    let (first, last) = (source.line_of(span.start), source.line_of(span.end));
    let end = match last - first >= MOST_LINES {
        true => source.line_span(first).end.max(span.start),
        false => span.end,
    };
    Mark { span: Span { end, ..span }, ..mark }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        context_before: usize,
        _context_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let (start, end) = (span.offset(), span.offset() + span.len());
        let (start, end, line, column) = match context_before {
            // The header asks for the very place of a label.
            0 => {
                let label = self.labels.iter().position(|label| label.inner() == span);
                let at = label.map_or(Position { line: 1, column: 1 }, |label| self.starts[label]);
                (start, end, at.line - 1, at.column - 1)
            }
            _ => (0, self.text.len(), self.first - 1, 0),
        };
        let data = self.text.as_bytes().get(start..end).ok_or(MietteError::OutOfBounds)?;
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            data,
            SourceSpan::from((start, end - start)),
            line,
            column,
            self.lines.len(),
        )))
    }
}
