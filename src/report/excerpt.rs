//! Excerpts of sources for miette.
//!
//! miette's own sources scan the whole text for every label and panic on columns past 65,535. An excerpt holds only
//! the lines around the labels, and cuts long lines to a window.

use miette::{LabeledSpan, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use yaml_spans::{Position, Source, Span, char_start};

use super::text;

/// Lines shown above and below a label.
pub(crate) const CONTEXT: usize = 1;

/// A label over more lines than this is shown at its first line only.
const MAX_LINES: usize = 6;

/// A labelled span to show.
#[derive(Clone, Copy)]
pub(crate) struct Mark<'a> {
    pub(crate) span: Span,
    pub(crate) text: &'a str,
    pub(crate) primary: bool,
}

/// Consecutive lines of a source with their labels.
pub(crate) struct Excerpt {
    name: String,
    text: String,
    first: usize,
    lines: Vec<Line>,
    pub(crate) labels: Vec<LabeledSpan>,
    /// The start in the source of the label with the same index.
    starts: Vec<Position>,
}

/// The shown part of a line.
struct Line {
    whole: Span,
    shown: Span,
    /// The offset of the shown part in the text of the excerpt.
    at: usize,
}

/// Limits of an excerpt.
#[derive(Clone, Copy)]
pub(crate) struct Cut {
    /// Maximum characters of a line.
    pub(crate) width: usize,
    /// Characters of a line beside the line number.
    pub(crate) room: usize,
    /// The replacement of text that is cut.
    pub(crate) ellipsis: &'static str,
}

/// The lines around marks of a source, shown under a name; those of the primary mark first.
pub(crate) fn excerpts(source: &Source, name: &str, marks: &[Mark<'_>], cut: Cut) -> Vec<Excerpt> {
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

/// Lines shown in one excerpt.
struct Chunk {
    first: usize,
    lines: Vec<Line>,
}

impl Chunk {
    /// The lines around a span, without those up to the line `shown` unless the span is in them.
    fn new(source: &Source, span: Span, shown: usize, cut: Cut) -> Self {
        let (top, bottom) = around(source, span);
        let first = top.max((shown + 1).min(source.line_of(span.start)));
        let lines = (first..=bottom).map(|line| Line::new(source, line, span, cut)).collect();
        Self { first, lines }
    }

    /// Adds the lines around another span if they follow directly and the visible parts contain it.
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

/// The first and the last line to show for a span.
fn around(source: &Source, span: Span) -> (usize, usize) {
    let (first, last) = (source.line_of(span.start), source.line_of(span.end));
    // The empty line after the last line break is shown only if the span is there.
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
            self.text.extend(source.slice(line.shown).chars().flat_map(text::visible));
            if line.shown.end < line.whole.end {
                self.text.push_str(cut.ellipsis);
            }
            // miette cannot label an empty line.
            if line.whole.is_empty() && marks.iter().any(|mark| mark.span == line.whole) {
                self.text.push(' ');
            }
            self.text.push('\n');
        }
    }

    /// The room of a label below a range of the excerpt's text. It starts at the middle of the range, or at the margin
    /// if the range has several lines.
    fn label_width(&self, start: usize, end: usize, cut: Cut) -> usize {
        let line = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let indent = match self.text[start..end].contains('\n') {
            true => 0,
            false => self.text[line..char_start(&self.text, start.midpoint(end)) as usize]
                .chars()
                .count(),
        };
        cut.room.saturating_sub(indent + ELBOW).max(NARROW)
    }

    fn add_label(&mut self, source: &Source, mark: &Mark<'_>, cut: Cut) {
        let at = |offset: u32| {
            let index = source.line_of(offset).saturating_sub(self.first);
            let line = &self.lines[index.min(self.lines.len() - 1)];
            let end = offset.clamp(line.shown.start, line.shown.end);
            let before = source.slice(Span { start: line.shown.start, end });
            line.at + before.chars().flat_map(text::visible).map(char::len_utf8).sum::<usize>()
        };
        let (start, end) = (at(mark.span.start), at(mark.span.end));
        let label =
            text::wrap(&text::one_line(mark.text), self.label_width(start, end, cut)).join("\n");
        let label = (!label.is_empty()).then_some(label);
        let span = SourceSpan::from((start, end.saturating_sub(start)));
        self.labels.push(match mark.primary {
            true => LabeledSpan::new_primary_with_span(label, span),
            false => LabeledSpan::new_with_span(label, span),
        });
        self.starts.push(source.position(mark.span.start));
    }
}

/// The characters between the line of a label and its text: `╰── `.
const ELBOW: usize = 4;

/// A label has at least this width.
const NARROW: usize = 40;

impl Line {
    /// A line; a long one is cut to a window around the mark.
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

/// Moves a mark into the text, to character boundaries, and limits its number of lines.
fn clipped<'a>(source: &Source, mark: Mark<'a>) -> Mark<'a> {
    let text = &source.text;
    let start = char_start(text, mark.span.start as usize);
    let end = char_start(text, mark.span.end as usize).max(start);
    // The line break after a block is not part of the problem.
    let end = start + text[start..end].trim_end_matches(['\n', '\r']).len();
    let span = Span::new(start, end);
    let (first, last) = (source.line_of(span.start), source.line_of(span.end));
    let end = match last - first >= MAX_LINES {
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
            // Without context, miette asks for the position of a label, to print the header.
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
