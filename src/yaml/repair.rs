//! What kubectl reads and the parser does not: the text is changed at the place of the error, in a way
//! that means the same, and read again; places are counted back to the text as it is written.

use granit_parser::ErrorKind;

use super::problem::Place;

/// A text with changes that do not change what it means.
pub struct Patched<'t> {
    original: &'t str,
    text: Option<String>,
    patches: Vec<Patch>,
}

/// `removed` bytes at `at` of the original are read as `inserted`.
#[derive(Clone, Debug)]
struct Patch {
    at: usize,
    removed: usize,
    inserted: String,
}

/// Every repair reads the document again; a document that needs more work than this is not repaired.
const MOST_WORK: usize = 16 << 20;

impl<'t> Patched<'t> {
    /// YAML 1.1 takes U+0085 for a line break, wherever it stands.
    pub fn new(original: &'t str) -> Self {
        let breaks = memchr::memmem::find_iter(original.as_bytes(), "\u{85}");
        let patches: Vec<_> =
            breaks.map(|at| Patch { at, removed: 2, inserted: "\n".into() }).collect();
        let mut patched = Self { original, text: None, patches };
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
        let (mut from, mut to) = (0, 0);
        for patch in &self.patches {
            let start = to + patch.at - from;
            if offset < start {
                break;
            }
            (from, to) = (patch.at + patch.removed, start + patch.inserted.len());
            if offset < to {
                return patch.at;
            }
        }
        from + offset - to
    }

    /// Changes the text so that an error goes away; false when there is nothing to change.
    pub fn repair(&mut self, kind: &ErrorKind, place: &Place<'_>) -> bool {
        let found = self.patches_for(kind, place);
        let room = (self.patches.len() + 1).saturating_mul(self.original.len()) < MOST_WORK;
        if found.is_empty() || !room {
            return false;
        }
        self.patches.extend(found);
        self.patches.sort_by_key(|patch| patch.at);
        let count = self.patches.len();
        self.patches.dedup_by_key(|patch| patch.at);
        self.apply();
        self.patches.len() == count
    }

    fn patches_for(&self, kind: &ErrorKind, place: &Place<'_>) -> Vec<Patch> {
        let at = place.at - place.document.start as usize;
        let rest = &self.original[at..];
        let before = self.original[..at].chars().next_back();
        let one = |at: usize, removed: usize, inserted: &str| {
            vec![Patch { at, removed, inserted: inserted.to_owned() }]
        };
        match kind {
            // A comment may follow a closing quote or bracket, and `|`, without a space.
            ErrorKind::CommentNotSeparated if before.is_some_and(|c| "\"']}|>+-".contains(c)) => {
                let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
                one(at, end, "")
            }
            ErrorKind::UnknownQuotedScalarEscape => match place.bad_escape() {
                Some(escape) if escape.ends_with('\'') => one(at + escape.len() - 2, 1, ""),
                _ => Vec::new(),
            },
            // Nobody reads what follows `...`.
            ErrorKind::InvalidDocumentEnd => one(at, rest.len(), ""),
            ErrorKind::InvalidQuotedScalarIndent
            | ErrorKind::TabInIndentation
            | ErrorKind::TabNotAllowed
            | ErrorKind::TabInBlockIndentation => match (place.quote(), place.tab()) {
                (Some((start, Some(end))), _) => {
                    let base = place.document.start as usize;
                    self.indented(start - base, end - base, place.column + 1)
                }
                (None, Some(tab)) if place.bracket.is_some() => {
                    one(tab - place.document.start as usize, 1, " ")
                }
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// The lines of a quoted text, indented with so many spaces; its value has none of them.
    fn indented(&self, start: usize, end: usize, spaces: usize) -> Vec<Patch> {
        let breaks = memchr::memchr_iter(b'\n', &self.original.as_bytes()[start..end]);
        let patch = |at: usize| {
            let at = start + at + 1;
            let line = &self.original[at..];
            let blank = line.len() - line.trim_start_matches([' ', '\t']).len();
            Patch { at, removed: blank, inserted: " ".repeat(spaces) }
        };
        breaks.map(patch).collect()
    }

    fn apply(&mut self) {
        let mut text = String::with_capacity(self.original.len());
        let mut from = 0;
        for patch in &self.patches {
            text.push_str(self.original.get(from..patch.at).unwrap_or_default());
            text.push_str(&patch.inserted);
            from = from.max(patch.at + patch.removed);
        }
        text.push_str(&self.original[from..]);
        self.text = Some(text);
    }
}
