//! Provenance of the space inside a trimmed text: it would be trimmed too if the text before or
//! after it were missing.

use std::{collections::BTreeSet, ops::Range};

use foldhash::HashSet;
use go_template::{
    Text, Tracker, Value,
    provenance::{CommonInputs, Input, InputSet, SpanMap, Taint},
};

/// The runs of space in `range` that survive only because of the text around them, in order, each
/// with the inputs that can remove all of that text.
pub(super) fn kept(
    tracker: &mut Tracker,
    value: &Value,
    range: Range<usize>,
) -> Vec<(Range<usize>, Taint)> {
    let Some(spans) = value.as_text().and_then(Text::spans) else { return Vec::new() };
    let visible = |byte: &u8| !byte.is_ascii_whitespace();
    let bytes = &value.bytes()[range.clone()];
    let ends = [bytes.iter().position(visible), bytes.iter().rposition(visible)];
    let ends = ends.map(|at| spans.taint_at(range.start + at.unwrap_or(0)));
    let ambient = tracker.control();
    let ambient: BTreeSet<Input> = tracker.inputs().members(ambient).into_iter().collect();
    let [first, last] = ends.map(|taint| {
        let named = tracker.inputs().flatten(taint);
        let mut named = tracker.inputs().members(named);
        named.retain(|input| !ambient.contains(input));
        named
    });
    if first.is_empty() && last.is_empty() {
        return Vec::new();
    }
    let parts = parts(value.bytes(), spans, range);
    let mut kept = vec![InputSet::EMPTY; parts.len()];
    add_common_inputs(tracker, &first, parts.iter().zip(&mut kept));
    add_common_inputs(tracker, &last, parts.iter().zip(&mut kept).rev());
    let spaces = parts.iter().zip(kept).filter(|(_, by)| !by.is_empty());
    spaces.map(|(part, control)| (part.range.clone(), Taint { control, ..Taint::NONE })).collect()
}

/// Bytes of one origin that are either all space or contain none.
struct TextPart {
    range: Range<usize>,
    taint: Taint,
    is_space: bool,
}

fn parts(bytes: &[u8], spans: &SpanMap, range: Range<usize>) -> Vec<TextPart> {
    let mut parts = Vec::new();
    for (run, taint) in spans.parts(range) {
        let mut start = run.start;
        for piece in bytes[run].chunk_by(|a, b| a.is_ascii_whitespace() == b.is_ascii_whitespace())
        {
            let range = start..start + piece.len();
            start = range.end;
            parts.push(TextPart { range, taint, is_space: piece[0].is_ascii_whitespace() });
        }
    }
    parts
}

/// Adds to each space the inputs that all visible parts on one side of it have in common: each of
/// these inputs could remove all of these parts.
fn add_common_inputs<'p>(
    tracker: &mut Tracker,
    named: &[Input],
    parts: impl Iterator<Item = (&'p TextPart, &'p mut InputSet)>,
) {
    let inputs = tracker.inputs();
    let (mut by, mut seen) = (InputSet::EMPTY, HashSet::default());
    let mut common = CommonInputs::of(named);
    for (part, kept) in parts {
        if part.is_space {
            *kept = inputs.union(*kept, by);
        } else if seen.insert(part.taint) {
            let set = inputs.flatten(part.taint);
            let is_less = common.retain_covered(inputs, set);
            if common.is_empty() {
                return;
            }
            if by.is_empty() || is_less {
                let join = |all, input: Input| inputs.union(all, InputSet::of(input));
                by = common.iter().fold(InputSet::EMPTY, join);
            }
        }
    }
}
