//! What an editor shows between two complete checks: the findings of the first render, and those that only a complete
//! check finds where they were.

use std::collections::BTreeSet;

use lsp_types::Range;
use yaml_spans::Span;

use super::{
    position::{Encoding, Lines},
    snapshot::{Mark, MarkKey, Place, Snapshot},
};

/// Adds to a draft what the last complete check found besides. `known` is what a draft of the same texts found: what is
/// among it and no longer in the draft is gone.
pub(super) fn merged(
    mut draft: Snapshot,
    last: &Snapshot,
    known: &BTreeSet<MarkKey>,
    encoding: Encoding,
) -> Snapshot {
    for (path, marks) in &last.marks {
        let text = |of: &Snapshot| of.documents.open.get(path).map(|one| one.text.clone());
        let (before, after) = (text(last), text(&draft));
        let edit = before.as_deref().zip(after.as_deref());
        let edit = edit.map(|(before, after)| Edit::between(before, after, encoding));
        for mark in marks {
            let moved = |range: Range| edit.as_ref().map_or(Some(range), |edit| edit.moved(range));
            let Some(range) = moved(mark.range) else { continue };
            let is_plain = known.contains(&last.key(path, mark));
            let related = mark.related.iter().filter(|place| place.path != *path || edit.is_none());
            let related: Vec<Place> = related.cloned().collect();
            let (message, fixes) = (mark.message.clone(), Vec::new());
            let finding = draft.findings.len();
            let old = Mark { finding, range, message, related, fixes };
            draft.findings.push(last.findings[mark.finding].clone());
            draft.keep(path, old, is_plain);
        }
    }
    for marks in draft.marks.values_mut() {
        marks.sort_by_key(|mark| (mark.range.start.line, mark.range.start.character));
    }
    draft
}

impl Snapshot {
    /// What the marks are about.
    pub(super) fn keys(&self) -> impl Iterator<Item = MarkKey> {
        let all = self.marks.iter();
        all.flat_map(|(path, marks)| marks.iter().map(|mark| self.key(path, mark)))
    }

    /// Whether an editor shows the same for both.
    pub(super) fn shows_the_same(&self, other: &Self) -> bool {
        let shown = |of: &Self| -> BTreeSet<(MarkKey, String)> {
            let all = of.marks.iter().flat_map(|(path, marks)| {
                marks.iter().map(move |mark| (of.key(path, mark), mark.message.clone()))
            });
            all.collect()
        };
        shown(self) == shown(other)
    }

    /// Keeps a mark of an older check. Its message speaks of all value sets, that of the draft only of the first.
    fn keep(&mut self, path: &std::path::Path, old: Mark, is_plain: bool) {
        let key = self.key(path, &old);
        let marks = self.marks.get(path).map(Vec::as_slice).unwrap_or_default();
        let known = marks.iter().position(|mark| self.key(path, mark) == key);
        match (known, self.marks.get_mut(path)) {
            (Some(at), Some(marks)) => {
                let range = marks[at].range;
                marks[at] = Mark { range, ..old };
            }
            _ if is_plain => {}
            _ => self.marks.entry(path.to_owned()).or_default().push(old),
        }
    }
}

/// The one place at which two texts differ.
struct Edit<'t> {
    before: Lines<'t>,
    after: Lines<'t>,
    /// The bytes of the old text that are replaced.
    replaced: std::ops::Range<usize>,
    /// The lengths of both texts.
    lengths: [usize; 2],
}

impl<'t> Edit<'t> {
    fn between(before: &'t str, after: &'t str, encoding: Encoding) -> Self {
        let same = |(a, b): &(u8, u8)| a == b;
        let start = before.bytes().zip(after.bytes()).take_while(same).count();
        let shortest = before.len().min(after.len()) - start;
        let rest = before.bytes().rev().zip(after.bytes().rev());
        let end = rest.take_while(same).take(shortest).count();
        Self {
            before: Lines::new(before, encoding),
            after: Lines::new(after, encoding),
            replaced: start..before.len() - end,
            lengths: [before.len(), after.len()],
        }
    }

    /// Where a range of the old text is in the new one; `None` if it is edited.
    fn moved(&self, range: Range) -> Option<Range> {
        let [start, end] = [range.start, range.end].map(|at| self.before.offset(at));
        let [old, new] = self.lengths;
        let later = |at: usize| (at + new - old) as u32;
        match (end <= self.replaced.start, start >= self.replaced.end) {
            (true, _) => {
                let (start, end) = (start as u32, end as u32);
                Some(self.after.range(Span { start, end }))
            }
            (_, true) => Some(self.after.range(Span { start: later(start), end: later(end) })),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::Position;

    use super::*;

    fn moved(before: &str, after: &str, [start, end]: [(u32, u32); 2]) -> Option<Range> {
        let at = |(line, character)| Position { line, character };
        Edit::between(before, after, Encoding::Utf16).moved(Range::new(at(start), at(end)))
    }

    #[test]
    fn ranges_move_with_the_text_around_an_edit() {
        let range = |start: (u32, u32), end: (u32, u32)| {
            Range::new(Position::new(start.0, start.1), Position::new(end.0, end.1))
        };
        let last = [(2, 0), (2, 1)];
        assert_eq!(moved("a\nb\nc\n", "a\nb\nx\nc\n", last), Some(range((3, 0), (3, 1))));
        assert_eq!(moved("a\nb\nc\n", "a\nc\n", last), Some(range((1, 0), (1, 1))));
        assert_eq!(moved("a\nb\nc\n", "c\n", last), Some(range((0, 0), (0, 1))));
        assert_eq!(moved("a\nb\nc\n", "a\nb\nc\nd\n", last), Some(range((2, 0), (2, 1))));
        assert_eq!(moved("a\nb\nc\n", "a\nb\nd\n", last), None);
        assert_eq!(moved("é😀b\n", "é😀😀b\n", [(0, 3), (0, 4)]), Some(range((0, 5), (0, 6))));
    }
}
