//! The differences between two renders, and whether they name the changed input.

use std::{ops::Range, sync::Arc};

use go_template::provenance::{Input, Inputs, Position, Span, Step};
use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::Traced;

/// A range of the output and the range that replaces it; either can be empty.
pub struct Change {
    pub file: Arc<str>,
    old: Range<usize>,
    new: Range<usize>,
}

type File = (String, Vec<Span>);

static NOTHING: File = (String::new(), Vec::new());

/// All differences between two renders.
pub fn changes(before: &Traced, after: &Traced) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, old, new) in pairs(before, after) {
        let file = |(old, new)| Change { file: name.clone(), old, new };
        changes.extend(differences(&old.0, &new.0).into_iter().map(file));
    }
    changes
}

/// All differences between two renders, aligned by template position instead of by bytes: what a
/// position printed before stands for what it prints now. This finds moved text where a byte diff
/// is ambiguous.
pub fn changes_by_place(before: &Traced, after: &Traced) -> Vec<Change> {
    let mut changes = Vec::new();
    for (name, old, new) in pairs(before, after) {
        let tokens = |(text, spans): &'_ File| -> Vec<(Vec<Position>, String)> {
            let token = |span: &Span| (span.chain.clone(), text[span.range.clone()].to_owned());
            printed(spans).map(token).collect()
        };
        let range = |file: &File, range: Range<usize>| {
            let spans: Vec<_> = printed(&file.1).collect();
            let start = spans.get(range.start).map_or(file.0.len(), |span| span.range.start);
            let end = if range.is_empty() { start } else { spans[range.end - 1].range.end };
            start..end
        };
        for op in capture_diff_slices(Algorithm::Myers, &tokens(old), &tokens(new)) {
            if !matches!(op, DiffOp::Equal { .. }) {
                let (old, new) = (range(old, op.old_range()), range(new, op.new_range()));
                changes.push(Change { file: name.clone(), old, new });
            }
        }
    }
    changes
}

fn printed(spans: &[Span]) -> impl Iterator<Item = &Span> {
    spans.iter().filter(|span| !span.range.is_empty())
}

/// The files that differ.
fn pairs<'t>(before: &'t Traced, after: &'t Traced) -> Vec<(&'t Arc<str>, &'t File, &'t File)> {
    let mut names: Vec<_> = before.files.keys().chain(after.files.keys()).collect();
    names.sort();
    names.dedup();
    let file = |traced: &'t Traced, name: &Arc<str>| traced.files.get(name).unwrap_or(&NOTHING);
    let pair = |name| (name, file(before, name), file(after, name));
    names.into_iter().map(pair).filter(|(_, old, new)| old.0 != new.0).collect()
}

impl Change {
    /// Why the change does not name the input, if it does not: all removed and all added bytes must
    /// name it. Equal bytes around a change make its position ambiguous; any of the possible
    /// positions will do.
    pub fn silence(&self, before: &mut Traced, after: &mut Traced, input: Input) -> Option<String> {
        let (old_text, old_spans) = before.files.get(&self.file).unwrap_or(&NOTHING);
        let (new_text, new_spans) = after.files.get(&self.file).unwrap_or(&NOTHING);
        let inputs = &before.rendered.provenance.inputs;
        let input = bumped(inputs, input);
        let steps: Vec<_> = inputs.steps(input).into_iter().cloned().collect();
        let after_inputs = &mut after.rendered.provenance.inputs;
        let mirrored = mirror(after_inputs, &steps);
        let after_inputs = &*after_inputs;
        // The space around text that is not printed is not printed either.
        let is_whole = old_text.is_empty() || new_text.is_empty();
        let old = Side { inputs, input, text: old_text, spans: old_spans, is_whole };
        let (inputs, input) = (after_inputs, mirrored);
        let new = Side { inputs, input, text: new_text, spans: new_spans, is_whole };
        let (old_unnamed, new_unnamed) = (old.unnamed(&self.old), new.unnamed(&self.new));
        if old_unnamed.is_none() && new_unnamed.is_none() {
            return None;
        }
        let show = |text: &str, range: &Range<usize>| {
            let from =
                (0..=range.start.saturating_sub(60)).rev().find(|at| text.is_char_boundary(*at));
            let to = (range.end + 40..text.len()).find(|at| text.is_char_boundary(*at));
            let (from, to) = (from.unwrap_or(0), to.unwrap_or(text.len()));
            format!(
                "{:?}[{:?}]{:?}",
                &text[from..range.start],
                &text[range.clone()],
                &text[range.end..to]
            )
        };
        let unnamed = [("old", old_unnamed), ("new", new_unnamed)];
        let which: Vec<_> =
            unnamed.into_iter().filter_map(|(name, found)| Some((name, found?))).collect();
        Some(format!(
            "  {}\n  {}\n  {}\n  {which:?}",
            self.file,
            show(old_text, &self.old),
            show(new_text, &self.new)
        ))
    }

    /// The spans that the change touches, by index.
    pub fn spans(&self, before: &Traced) -> Vec<(Arc<str>, usize)> {
        let Some((_, spans)) = before.files.get(&self.file) else { return Vec::new() };
        let touches = |span: &Span| match self.old.is_empty() {
            true => span.range.start <= self.old.start && self.old.start <= span.range.end,
            false => span.range.start < self.old.end && self.old.start < span.range.end,
        };
        let touched = spans.iter().enumerate().filter(|(_, span)| touches(span));
        touched.map(|(number, _)| (self.file.clone(), number)).collect()
    }
}

/// What a perturbation of the input changes: a whole container if its keys change, all parts of a
/// version, and `IsInstall` together with `IsUpgrade`.
fn bumped(inputs: &Inputs, input: Input) -> Input {
    let path = inputs.path(input);
    let is_part = path.starts_with("Capabilities.KubeVersion.") || path.starts_with("Release.Is");
    match inputs.step(input) {
        (Some(container), Step::Keys) => container,
        (Some(parent), _) if is_part => parent,
        _ => input,
    }
}

/// The same input in the tables of another render.
fn mirror(inputs: &mut Inputs, steps: &[Step]) -> Input {
    let (Some(Step::Key(root)), below) = (steps.first(), &steps[1..]) else {
        return Input::APPROXIMATE;
    };
    let root = inputs.root(root);
    below.iter().fold(root, |at, step| match step {
        Step::Key(key) => inputs.child(at, key),
        Step::Index(index) => inputs.item(at, *index as usize),
        Step::Keys => inputs.keys(at),
    })
}

/// One of the two renders.
struct Side<'s> {
    inputs: &'s Inputs,
    input: Input,
    text: &'s str,
    spans: &'s [Span],
    /// Whether the whole file appears or disappears.
    is_whole: bool,
}

impl Side<'_> {
    /// The first bytes of a range that do not name the input; `None` if all do, at this position or
    /// at another one where removing the same bytes gives the same text.
    fn unnamed(&self, range: &Range<usize>) -> Option<String> {
        if range.is_empty() {
            return None;
        }
        let bytes = self.text.as_bytes();
        let first = self.gap(range)?;
        let mut up = range.clone();
        while up.start > 0 && bytes[up.start - 1] == bytes[up.end - 1] {
            up = up.start - 1..up.end - 1;
            self.gap(&up)?;
        }
        let mut down = range.clone();
        while down.end < bytes.len() && bytes[down.start] == bytes[down.end] {
            down = down.start + 1..down.end + 1;
            self.gap(&down)?;
        }
        let span = self.spans.iter().find(|span| span.range.contains(&first.start))?;
        let named = |set| {
            let members = self.inputs.members(set);
            let paths: Vec<_> = members.iter().map(|one| self.inputs.path(*one)).collect();
            paths.join(" ")
        };
        let bytes = String::from_utf8_lossy(&bytes[first]);
        Some(format!("{bytes:?} names {} and by control {}", named(span.data), named(span.control)))
    }

    /// The first part of a range that does not name the input.
    fn gap(&self, range: &Range<usize>) -> Option<Range<usize>> {
        let Self { inputs, input, .. } = *self;
        let from = self.spans.partition_point(|span| span.range.end <= range.start);
        let touched = self.spans[from..].iter().take_while(|span| span.range.start < range.end);
        let touched = touched.filter(|span| !span.range.is_empty());
        let silent = touched
            .filter(|span| !inputs.covers(span.data, input) && !inputs.covers(span.control, input));
        let mut parts =
            silent.map(|span| span.range.start.max(range.start)..span.range.end.min(range.end));
        parts.find(|part| !self.is_whole || !self.text[part.clone()].trim().is_empty())
    }
}

/// Pairs of ranges that differ: by lines, then by characters within paired lines.
fn differences(old: &str, new: &str) -> Vec<(Range<usize>, Range<usize>)> {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let old_texts: Vec<&str> = old_lines.iter().map(|range| &old[range.clone()]).collect();
    let new_texts: Vec<&str> = new_lines.iter().map(|range| &new[range.clone()]).collect();
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old_texts, &new_texts) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (a, b) = (op.old_range(), op.new_range());
        if a.len() == b.len() {
            for (a, b) in a.zip(b) {
                within(old, new, old_lines[a].clone(), new_lines[b].clone(), &mut found);
            }
        } else {
            let range = |lines: &[Range<usize>], range: Range<usize>, len: usize| {
                let start = lines.get(range.start).map_or(len, |line| line.start);
                let end = if range.is_empty() { start } else { lines[range.end - 1].end };
                start..end
            };
            let (a, b) = (range(&old_lines, a, old.len()), range(&new_lines, b, new.len()));
            within(old, new, a, b, &mut found);
        }
    }
    found
}

fn within(
    old: &str,
    new: &str,
    a: Range<usize>,
    b: Range<usize>,
    found: &mut Vec<(Range<usize>, Range<usize>)>,
) {
    let old_chars: Vec<(usize, char)> = old[a.clone()].char_indices().collect();
    let new_chars: Vec<(usize, char)> = new[b.clone()].char_indices().collect();
    let chars = |chars: &[(usize, char)]| chars.iter().map(|(_, c)| *c).collect::<Vec<_>>();
    for op in capture_diff_slices(Algorithm::Myers, &chars(&old_chars), &chars(&new_chars)) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let range = |chars: &[(usize, char)], range: Range<usize>, all: &Range<usize>| {
            let at = |n: usize| chars.get(n).map_or(all.end, |(at, _)| all.start + at);
            at(range.start)..at(range.end)
        };
        found.push((range(&old_chars, op.old_range(), &a), range(&new_chars, op.new_range(), &b)));
    }
}

fn lines(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split_inclusive('\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            range
        })
        .collect()
}
