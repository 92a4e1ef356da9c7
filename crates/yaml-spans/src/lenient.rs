//! What kubectl reads and the parser does not: the text is changed at the place of the error, in a way
//! that means the same, and read again; places are counted back to the text as it is written.

use std::{collections::BTreeMap, ops::Range};

use granit_parser::ErrorKind;

use super::{breaks, problem::Place};

/// A text with changes that do not change what it means.
pub struct Patched<'t> {
    original: &'t str,
    text: Option<String>,
    /// By their offset in the original.
    patches: BTreeMap<usize, Patch>,
    /// What was applied: the bytes of the text, and those of the original that they stand for.
    applied: Vec<(Range<usize>, Range<usize>)>,
    rounds: usize,
}

/// `removed` bytes of the original are read as `inserted`.
#[derive(Clone, Debug, PartialEq)]
struct Patch {
    removed: usize,
    inserted: String,
}

impl Patch {
    fn new(removed: usize, inserted: impl Into<String>) -> Self {
        Self { removed, inserted: inserted.into() }
    }
}

/// U+0085.
const NEXT_LINE: &[u8] = "\u{85}".as_bytes();

/// Every repair reads the document again; a document that needs more work than this is not repaired.
const MOST_WORK: usize = 4 << 20;

/// Two repairs can want the same place, one after the other without end.
const MOST_ROUNDS: usize = 1000;

impl<'t> Patched<'t> {
    /// YAML 1.1 has three more line breaks. U+0085 is one like any other. Of U+2028 and U+2029 between
    /// quotes only the white space around them matters, and elsewhere they are refused later.
    pub fn new(original: &'t str) -> Self {
        let (patches, applied) = (BTreeMap::new(), Vec::new());
        let mut patched = Self { original, text: None, patches, applied, rounds: 0 };
        for at in memchr::memmem::find_iter(original.as_bytes(), NEXT_LINE) {
            patched.patches.insert(at, Patch::new(2, "\n"));
        }
        for at in breaks::separators(original) {
            let (before, rest) = original.split_at(at);
            let (found, after) = rest.split_at('\u{2028}'.len_utf8());
            let start = before.trim_end_matches([' ', '\t']).len();
            let end = original.len() - after.trim_start_matches([' ', '\t']).len();
            patched.patches.insert(start, Patch::new(end - start, found));
        }
        if !patched.patches.is_empty() {
            patched.apply();
        }
        patched
    }

    pub fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(self.original)
    }

    /// The offset in the original of an offset in the text.
    pub fn original(&self, offset: usize) -> usize {
        let after = self.applied.partition_point(|(text, _)| text.start <= offset);
        self.place(after, offset)
    }

    /// The same for an offset where something ends.
    pub fn original_end(&self, offset: usize) -> usize {
        let after = self.applied.partition_point(|(text, _)| text.start < offset);
        self.place(after, offset)
    }

    /// `after` counts the patches that lie before the offset or hold it.
    fn place(&self, after: usize, offset: usize) -> usize {
        match self.applied[..after].last() {
            None => offset,
            Some((text, original)) if offset < text.end => original.start,
            Some((text, original)) => original.end + offset - text.end,
        }
    }

    /// Changes the text so that an error goes away; false when there is nothing to change.
    pub fn repair(&mut self, kind: &ErrorKind, place: &Place<'_>) -> bool {
        let found = self.patches_for(kind, place);
        self.rounds += 1;
        if self.rounds.saturating_mul(self.original.len()) > MOST_WORK || self.rounds > MOST_ROUNDS
        {
            return false;
        }
        let mut changed = false;
        for (at, patch) in found {
            changed |= self.patches.get(&at) != Some(&patch);
            self.patches.insert(at, patch);
        }
        if changed {
            self.apply();
        }
        changed
    }

    fn patches_for(&self, kind: &ErrorKind, place: &Place<'_>) -> Vec<(usize, Patch)> {
        let base = place.document.start as usize;
        let at = place.at - base;
        let rest = &self.original[at..];
        let before = self.original[..at].chars().next_back();
        match kind {
            // A comment may follow a closing quote or bracket, and `|`, without a space.
            ErrorKind::CommentNotSeparated if before.is_some_and(|c| "\"']}|>+-".contains(c)) => {
                let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                vec![(at, Patch::new(end, " ".repeat(end)))]
            }
            ErrorKind::UnknownQuotedScalarEscape => place
                .quote()
                .and_then(|(start, end)| Some(self.apostrophes(start - base, end? - base)))
                .unwrap_or_default(),
            // Nobody reads what follows `...`.
            ErrorKind::InvalidDocumentEnd => vec![(at, Patch::new(rest.len(), ""))],
            ErrorKind::PlainScalarStartsWithDashFlowIndicator if rest.starts_with('-') => {
                vec![(at, Patch::new(1, "'-'"))]
            }
            ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::TabInIndentation
            | ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation => match (place.quote(), place.tab()) {
                (Some((start, Some(end))), _) => {
                    self.indented(start - base, end - base, place.column + 1)
                }
                (None, Some(tab)) if place.bracket.is_some() => {
                    vec![(tab - base, Patch::new(1, " "))]
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The lines of a quoted text, indented with so many spaces; its value has none of them.
    fn indented(&self, start: usize, end: usize, spaces: usize) -> Vec<(usize, Patch)> {
        let text = &self.original[start..end];
        let lines = text.split_inclusive('\n').scan(start, |at, line| {
            *at += line.len();
            Some((*at, &self.original[*at..]))
        });
        let mut patches = Vec::new();
        for (at, line) in lines.take_while(|(at, _)| *at < end) {
            let marker = line.strip_prefix("...").map(|rest| rest.chars().next());
            if marker.is_some_and(|next| next.is_none_or(char::is_whitespace)) {
                return Vec::new();
            }
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            patches.push((at, Patch::new(blank, " ".repeat(spaces))));
        }
        let breaks = memchr::memmem::find_iter(text.as_bytes(), NEXT_LINE);
        let inserted = format!("\n{}", " ".repeat(spaces));
        patches.extend(breaks.map(|at| (start + at, Patch::new(2, inserted.clone()))));
        patches
    }

    /// `\'` between double quotes is an apostrophe to go-yaml.
    fn apostrophes(&self, start: usize, end: usize) -> Vec<(usize, Patch)> {
        let bytes = &self.original.as_bytes()[..end];
        let (mut patches, mut at) = (Vec::new(), start);
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr::memchr(b'\\', rest)) {
            at += found;
            if bytes.get(at + 1) == Some(&b'\'') {
                patches.push((at, Patch::new(1, "")));
            }
            at += 2;
        }
        patches
    }

    fn apply(&mut self) {
        let mut text = String::with_capacity(self.original.len());
        let mut from = 0;
        self.applied.clear();
        for (&at, patch) in &self.patches {
            // A line that another patch took away needs no indentation.
            let Some(kept) = self.original.get(from..at) else { continue };
            text.push_str(kept);
            let start = text.len();
            text.push_str(&patch.inserted);
            from = at + patch.removed;
            self.applied.push((start..text.len(), at..from));
        }
        text.push_str(self.original.get(from..).unwrap_or_default());
        self.text = Some(text);
    }
}
