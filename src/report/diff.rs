//! The lines that a fix removes and adds.

use yaml_spans::{Edit, Source, Span};

use crate::diagnostic::Fix;

/// Maximum length in bytes of the lines that one hunk compares.
const MAX_BYTES: u32 = 4000;

/// A changed line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// Line number before the fix, and text.
    Removed(usize, String),
    /// Line number after the fix, and text.
    Added(usize, String),
}

/// The lines that a fix changes. `None` if there are more than `max`, or none is visibly different.
pub(crate) fn preview(fix: &Fix, max: usize) -> Option<Vec<Change>> {
    let source = &fix.source;
    let mut edits: Vec<&Edit> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    let mut changes = Vec::new();
    // The number of lines that earlier edits add.
    let mut shift = 0;
    let mut rest = &*edits;
    while let Some(first) = rest.first() {
        let (top, mut bottom) = lines(source, first);
        let mut count = 0;
        while let Some(edit) = rest.get(count).filter(|edit| lines(source, edit).0 <= bottom) {
            bottom = bottom.max(lines(source, edit).1);
            count += 1;
        }
        shift = hunk(source, &rest[..count], (top, bottom), shift, &mut changes)?;
        if changes.len() > max {
            return None;
        }
        rest = &rest[count..];
    }
    (!changes.is_empty()).then_some(changes)
}

/// The first and the last line that an edit touches.
fn lines(source: &Source, edit: &Edit) -> (usize, usize) {
    (source.line_of(edit.span.start), source.line_of(edit.span.end))
}

/// Appends the changes of the edits between two lines; returns the number of lines added so far.
fn hunk(
    source: &Source,
    edits: &[&Edit],
    (top, bottom): (usize, usize),
    shift: isize,
    changes: &mut Vec<Change>,
) -> Option<isize> {
    let span = source.line_span(top).to(source.line_span(bottom));
    if span.end - span.start > MAX_BYTES {
        return None;
    }
    let moved = |edit: &Edit| -> Option<Edit> {
        let start = edit.span.start.checked_sub(span.start)?;
        let end = edit.span.end.checked_sub(span.start)?;
        Some(Edit { span: Span { start, end }, text: edit.text.clone() })
    };
    let edits: Vec<Edit> = edits.iter().map(|edit| moved(edit)).collect::<Option<_>>()?;
    // An edit may include the line break of the last line.
    let old = source.text.get(span.start as usize..)?;
    let end = edits.iter().map(|edit| edit.span.end).max()?.max(span.end - span.start);
    let old = old.get(..end as usize)?;
    let new = Edit::apply(old, &edits)?;
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[same..], &new[same..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tail.take_while(|(old, new)| old == new).count();
    for (index, line) in old_rest[..old_rest.len() - tail].iter().enumerate() {
        changes.push(Change::Removed(top + same + index, (*line).to_owned()));
    }
    for (index, line) in new_rest[..new_rest.len() - tail].iter().enumerate() {
        let number = (top + same + index).saturating_add_signed(shift);
        changes.push(Change::Added(number, (*line).to_owned()));
    }
    Some(shift + new.len() as isize - old.len() as isize)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::finding::Applicability;

    fn changes(text: &str, edits: &[(usize, usize, &str)]) -> Option<Vec<String>> {
        let edit = |&(start, end, text): &(usize, usize, &str)| Edit {
            span: Span::new(start, end),
            text: text.to_owned(),
        };
        let fix = Fix {
            title: String::new(),
            applicability: Applicability::Safe,
            source: Arc::new(Source::new("a.yaml", text)),
            edits: edits.iter().map(edit).collect(),
        };
        let line = |change: &Change| match change {
            Change::Removed(line, text) => format!("{line} - {text}"),
            Change::Added(line, text) => format!("{line} + {text}"),
        };
        Some(preview(&fix, 4)?.iter().map(line).collect())
    }

    #[test]
    fn shows_changed_lines_only() {
        let text = "a: 1\r\nb: 2\r\nc: 3\r\n";
        assert_eq!(changes(text, &[(9, 10, "5")]).unwrap(), ["2 - b: 2", "2 + b: 5"]);
        assert_eq!(changes(text, &[(6, 6, "x: 0\r\n")]).unwrap(), ["2 + x: 0"]);
        assert_eq!(changes(text, &[(6, 12, "")]).unwrap(), ["2 - b: 2"]);
        assert_eq!(changes(text, &[(12, 18, "")]).unwrap(), ["3 - c: 3"]);
        assert_eq!(changes(text, &[(3, 4, "1")]), None);
    }

    #[test]
    fn added_lines_have_their_numbers_after_the_fix() {
        let text = "a: 1\nb: 2\nc: 3\nd: 4\n";
        assert_eq!(
            changes(text, &[(15, 15, "y: 0\n"), (0, 0, "x: 0\n")]).unwrap(),
            ["1 + x: 0", "5 + y: 0"]
        );
        assert_eq!(changes(text, &[(0, 20, "")]).map(|changes| changes.len()), Some(4));
        assert_eq!(changes(text, &[(0, 20, "1\n2\n")]), None);
    }
}
