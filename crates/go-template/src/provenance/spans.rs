//! The map from the byte ranges of a text to their origins.

use std::ops::Range;
use std::sync::OnceLock;

use super::{InputSet, Inputs, Position, PositionId, Provenance, Taint};

/// Consecutive bytes with one origin. Empty runs are meaningful: they mark where a branch that was
/// not taken would have printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Offset after the last byte; the run starts at the end of the previous one.
    pub end: u32,
    /// Offset of the first byte within `maker`; only meaningful for verbatim positions.
    pub(crate) offset: u32,
    /// The literal or action that made the bytes.
    pub(crate) maker: PositionId,
    /// The action that printed them last: the maker, or one further out.
    pub(crate) printer: PositionId,
    /// The inputs behind the bytes.
    pub taint: Taint,
}

/// The origins of all bytes of a text, as runs.
#[derive(Clone, Debug, Default)]
pub struct SpanMap {
    runs: Vec<Run>,
    /// The inputs of all runs together, computed on demand.
    summary: OnceLock<Taint>,
}

/// The origin of one part of the range given to [`SpanMap::trace`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Byte range of the text. Empty where a branch that was not taken would have printed.
    pub range: Range<usize>,
    /// Template positions, never empty: the literal or action that made the bytes (for literal text,
    /// exactly those bytes), then the enclosing calls (`template`, or a function that executes a
    /// template), and last the action of the template that was executed.
    pub chain: Vec<Position>,
    /// Inputs whose values flowed into the bytes.
    pub data: InputSet,
    /// Inputs that decided whether or which bytes were produced.
    pub control: InputSet,
    /// Whether the inputs are complete but coarser than they could be.
    pub approximate: bool,
}

impl SpanMap {
    /// A map of no bytes.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of mapped bytes.
    pub fn len(&self) -> usize {
        self.runs.last().map_or(0, |run| run.end as usize)
    }

    /// Whether there are no runs, not even empty ones.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// The runs, in the order of the bytes.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }

    /// The inputs of all runs together.
    pub(crate) fn summary(&self, inputs: &mut Inputs) -> Taint {
        let mut join = |taint, run: &Run| inputs.join(taint, run.taint);
        let all = *self.summary.get_or_init(|| self.runs.iter().fold(Taint::NONE, &mut join));
        inputs.join(all, Taint::NONE)
    }

    /// The inputs of the byte at offset `at`; none past the end.
    pub fn taint_at(&self, at: usize) -> Taint {
        let run = self.runs.partition_point(|run| run.end as usize <= at);
        self.runs.get(run).map_or(Taint::NONE, |run| run.taint)
    }

    /// The byte ranges and inputs of the runs that overlap `range`, clipped to it.
    pub fn parts(&self, range: Range<usize>) -> impl Iterator<Item = (Range<usize>, Taint)> + '_ {
        let first = self.runs.partition_point(|run| run.end as usize <= range.start);
        let (mut start, end) = (range.start, range.end);
        let clipped = move |run: &Run| {
            let part = start..(run.end as usize).min(end);
            start = part.end;
            (part, run.taint)
        };
        let behind = self.runs[first..].partition_point(|run| (run.end as usize) < end);
        let touched = self.runs[first..].iter().take(behind + 1);
        touched.map(clipped).filter(|(part, _)| !part.is_empty())
    }

    /// Appends `len` bytes made and printed by `maker`.
    pub(crate) fn push(&mut self, len: usize, maker: PositionId, taint: Taint) {
        let end = (self.len() + len) as u32;
        self.push_run(Run { end, offset: 0, maker, printer: maker, taint });
    }

    /// Appends the bytes `range` of what `maker` made, printed by `printer`.
    pub(crate) fn push_part(
        &mut self,
        range: Range<usize>,
        maker: PositionId,
        printer: PositionId,
        taint: Taint,
    ) {
        let end = (self.len() + range.len()) as u32;
        self.push_run(Run { end, offset: range.start as u32, maker, printer, taint });
    }

    /// Appends the part `range` of another map. Adds `extra` to the taint of every run and, if given,
    /// replaces the printer.
    pub(crate) fn append(
        &mut self,
        inputs: &mut Inputs,
        other: &Self,
        range: Range<usize>,
        extra: Taint,
        printer: Option<PositionId>,
    ) {
        let (from, to) = (range.start as u32, range.end as u32);
        let base = self.len() as u32;
        let first = other.runs.partition_point(|run| run.end < from);
        let mut next = first.checked_sub(1).map_or(0, |before| other.runs[before].end);
        for run in &other.runs[first..] {
            let start = std::mem::replace(&mut next, run.end);
            if start > to {
                break;
            }
            let (low, high) = (start.max(from), run.end.min(to));
            if low == high && start != run.end {
                continue;
            }
            let run = Run {
                end: base + (high - from),
                offset: run.offset + (low - start),
                maker: run.maker,
                printer: printer.unwrap_or(run.printer),
                taint: inputs.join(run.taint, extra),
            };
            self.push_run(run);
        }
    }

    /// Removes the bytes from offset `len` on.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.summary.take();
        let len = len as u32;
        let keep = self.runs.partition_point(|run| run.end <= len);
        let open = keep.checked_sub(1).map_or(0, |last| self.runs[last].end) < len;
        self.runs.truncate(keep + usize::from(open));
        if let (true, Some(run)) = (open, self.runs.last_mut()) {
            run.end = len;
        }
    }

    /// The origins of the bytes in `range`: the spans that overlap or touch it, clipped, in order.
    pub fn trace(&self, provenance: &Provenance, range: Range<usize>) -> Vec<Span> {
        let first = self.runs.partition_point(|run| (run.end as usize) < range.start);
        let mut next = first.checked_sub(1).map_or(0, |before| self.runs[before].end as usize);
        let mut spans = Vec::new();
        for run in &self.runs[first..] {
            let start = std::mem::replace(&mut next, run.end as usize);
            if start > range.end {
                break;
            }
            let clipped = start.max(range.start)..next.min(range.end);
            if clipped.is_empty() && start != next {
                continue;
            }
            spans.push(span(provenance, run, start, clipped));
        }
        spans
    }

    fn push_run(&mut self, run: Run) {
        let start = self.len() as u32;
        let before = self.runs.len().checked_sub(2).map_or(0, |i| self.runs[i].end);
        if run.end == start && run.taint.is_none() {
            return;
        }
        if let Some(last) = self.runs.last_mut() {
            let continues = run.offset == last.offset + (last.end - before);
            let same =
                (run.maker, run.printer, run.taint) == (last.maker, last.printer, last.taint);
            if same && continues && (last.end > before || run.end == start) {
                last.end = run.end;
                return;
            }
        }
        self.summary.take();
        self.runs.push(run);
    }
}

fn span(provenance: &Provenance, run: &Run, start: usize, range: Range<usize>) -> Span {
    let Provenance { inputs, positions } = provenance;
    let mut chain = positions.chain(run.maker);
    if positions.is_verbatim(run.maker) {
        let into = run.offset + (range.start - start) as u32;
        chain[0].start += into;
        chain[0].end = chain[0].start + range.len() as u32;
    }
    if run.printer != run.maker {
        let printer = positions.chain(run.printer);
        if !chain.ends_with(&printer) {
            chain.extend(printer);
        }
    }
    let Taint { data, control } = run.taint;
    let approximate = inputs.is_approximate(data) || inputs.is_approximate(control);
    Span { range, chain, data, control, approximate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::FileId;

    fn at(start: u32, end: u32) -> Position {
        Position { file: FileId(0), start, end }
    }

    #[test]
    fn literal_text_traces_to_its_own_bytes() {
        let mut provenance = Provenance::default();
        let Provenance { inputs, positions } = &mut provenance;
        let text = positions.add(at(10, 20), None, true);
        let mut map = SpanMap::new();
        map.push(10, text, Taint::NONE);
        let mut part = SpanMap::new();
        part.append(inputs, &map, 3..8, Taint::NONE, None);
        assert_eq!(part.len(), 5);
        let spans = part.trace(&provenance, 1..3);
        assert_eq!(spans[0].chain, [at(14, 16)]);
        assert_eq!(spans[0].range, 1..3);
    }

    #[test]
    fn slices_keep_the_origin_of_each_piece() {
        let mut provenance = Provenance::default();
        let Provenance { inputs, positions } = &mut provenance;
        let tag = inputs.root("tag");
        let call = positions.add(at(50, 60), None, false);
        let a = positions.add(at(0, 4), Some(call), true);
        let b = positions.add(at(4, 12), Some(call), false);
        let mut map = SpanMap::new();
        map.push(4, a, Taint::NONE);
        map.push(6, b, Taint::of(tag));
        let mut part = SpanMap::new();
        part.append(inputs, &map, 2..7, Taint::NONE, Some(call));
        let spans = part.trace(&provenance, 0..5);
        assert_eq!(spans.len(), 2);
        assert_eq!(spans[0].chain, [at(2, 4), at(50, 60)]);
        assert_eq!(spans[1].chain, [at(4, 12), at(50, 60)]);
        assert_eq!(spans[1].range, 2..5);
        assert_eq!(spans[1].data, InputSet::of(tag));
    }

    #[test]
    fn empty_runs_survive_and_truncation_clips() {
        let mut provenance = Provenance::default();
        let Provenance { inputs, positions } = &mut provenance;
        let flag = inputs.root("flag");
        let action = positions.add(at(0, 9), None, false);
        let mut map = SpanMap::new();
        map.push(3, action, Taint::NONE);
        map.push(0, action, Taint::of(flag));
        map.push(3, action, Taint::NONE);
        assert_eq!(map.runs().len(), 3);
        map.truncate(4);
        assert_eq!(map.len(), 4);
        let spans = map.trace(&provenance, 0..4);
        assert_eq!(
            spans.iter().map(|span| span.range.clone()).collect::<Vec<_>>(),
            [0..3, 3..3, 3..4]
        );
    }
}
