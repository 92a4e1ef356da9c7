//! Accepts what go-yaml accepts and the parser does not: patches the text at the parser's error so that it keeps its
//! meaning, and maps offsets in the patched text back to the original.

use std::{collections::BTreeMap, ops::Range};

use granit_parser::ErrorKind;

use crate::{diagnose::ErrorSite, whitespace};

/// A document with patches that keep its meaning. Offsets are those of the document.
pub(crate) struct Patched<'t> {
    original: &'t str,
    /// The patched text, once there is a patch.
    text: Option<String>,
    /// By their offset in the original.
    patches: BTreeMap<usize, Patch>,
    /// Applied patches: the range in the patched text, and the range in the original that it replaces.
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

/// Every round reads the document again; rounds stop when they have read this many bytes together.
const MOST_WORK: usize = 4 << 20;

/// Two patches can compete for the same offset without end.
const MOST_ROUNDS: usize = 1000;

impl<'t> Patched<'t> {
    /// Patches the line breaks that YAML 1.1 has and YAML 1.2 lacks. U+0085 becomes a line feed. U+2028 and U+2029
    /// lose the white space around them, as between quotes; elsewhere `whitespace` rejects them.
    pub(crate) fn new(original: &'t str) -> Self {
        let (patches, applied) = (BTreeMap::new(), Vec::new());
        let mut patched = Self { original, text: None, patches, applied, rounds: 0 };
        for at in memchr::memmem::find_iter(original.as_bytes(), NEXT_LINE) {
            patched.patches.insert(at, Patch::new(2, "\n"));
        }
        for at in whitespace::separators(original) {
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

    /// The text to parse.
    pub(crate) fn text(&self) -> &str {
        self.text.as_deref().unwrap_or(self.original)
    }

    /// The offset in the original of an offset in the patched text.
    pub(crate) fn original(&self, offset: usize) -> usize {
        let after = self.applied.partition_point(|(text, _)| text.start <= offset);
        self.unpatch(after, offset)
    }

    /// Like [`Patched::original`], for the end of a range.
    pub(crate) fn original_end(&self, offset: usize) -> usize {
        let after = self.applied.partition_point(|(text, _)| text.start < offset);
        self.unpatch(after, offset)
    }

    /// `after` is the number of patches that start before the offset or hold it.
    fn unpatch(&self, after: usize, offset: usize) -> usize {
        match self.applied[..after].last() {
            None => offset,
            Some((text, original)) if offset < text.end => original.start,
            Some((text, original)) => original.end + offset - text.end,
        }
    }

    /// Patches the text so that the parser gets past an error. False when no patch helps.
    pub(crate) fn patch(&mut self, kind: &ErrorKind, site: &ErrorSite<'_>) -> bool {
        let found = self.patches_for(kind, site);
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

    fn patches_for(&self, kind: &ErrorKind, site: &ErrorSite<'_>) -> Vec<(usize, Patch)> {
        let base = site.document.start as usize;
        let at = site.at - base;
        let rest = &self.original[at..];
        let before = self.original[..at].chars().next_back();
        match kind {
            // go-yaml accepts a comment right after a closing quote or bracket, and after `|`.
            ErrorKind::CommentNotSeparated if before.is_some_and(|c| "\"']}|>+-".contains(c)) => {
                let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                vec![(at, Patch::new(end, " ".repeat(end)))]
            }
            ErrorKind::UnknownQuotedScalarEscape => site
                .quote()
                .and_then(|(start, end)| Some(self.apostrophes(start - base, end? - base)))
                .unwrap_or_default(),
            // kubectl ignores what follows `...`.
            ErrorKind::InvalidDocumentEnd => vec![(at, Patch::new(rest.len(), ""))],
            ErrorKind::PlainScalarStartsWithDashFlowIndicator if rest.starts_with('-') => {
                vec![(at, Patch::new(1, "'-'"))]
            }
            ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::TabInIndentation
            | ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation => match (site.quote(), site.tab()) {
                (Some((start, Some(end))), _) => {
                    self.indented(start - base, end - base, site.column + 1)
                }
                (None, Some(tab)) if site.bracket.is_some() => {
                    vec![(tab - base, Patch::new(1, " "))]
                }
                _ => Vec::new(),
            },
            // libyaml and go-yaml read a block scalar whose `|` stands below its key, at the same column.
            ErrorKind::SimpleKeyExpected if self.is_block_below_key(at) => {
                vec![(at, Patch::new(0, " "))]
            }
            // In YAML 1.2, the `:` of the key `*name:` belongs to the alias.
            ErrorKind::UnknownAnchor
            | ErrorKind::SimpleKeyExpected
            | ErrorKind::InvalidSimpleKey => {
                alias_key(rest).map(|end| vec![(at + end, Patch::new(0, " "))]).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Whether the header of a block scalar stands alone on the line after `key:`.
    fn is_block_below_key(&self, at: usize) -> bool {
        let (before, rest) = self.original.split_at(at);
        let header = rest.lines().next().unwrap_or_default();
        let is_header = header.strip_prefix(['|', '>']).is_some_and(|options| {
            options.trim_end().chars().all(|c| matches!(c, '+' | '-' | '1'..='9'))
        });
        let above = before.trim_end_matches(' ').strip_suffix('\n');
        is_header && above.is_some_and(|above| above.trim_end().ends_with(':'))
    }

    /// Indents the continuation lines of a quoted scalar; the value does not change.
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

    /// Drops the backslash of `\'` between double quotes, which go-yaml reads as an apostrophe.
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
            // Skips a patch inside bytes that another patch removed.
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

/// Where the name of an alias ends that is a key: `*name:`.
fn alias_key(text: &str) -> Option<usize> {
    let name = text.strip_prefix('*')?;
    let letter = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let rest = name.trim_start_matches(letter);
    let is_key = rest.strip_prefix(':')?.chars().next().is_none_or(char::is_whitespace);
    (is_key && rest.len() < name.len()).then(|| text.len() - rest.len())
}
