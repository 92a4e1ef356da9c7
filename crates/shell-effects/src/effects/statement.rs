//! Splits the text that a database client reads into statements.

use std::{iter, ops::Range};

use crate::catalogue::Language;

/// The byte ranges of the statements that take effect: those of a transaction that is rolled back do not.
pub(super) fn kept(text: &str, language: Language) -> Vec<Range<usize>> {
    let mut kept: Vec<Range<usize>> = Vec::new();
    let mut begun = None;
    for range in split(text, language) {
        let statement = text.get(range.clone()).unwrap_or_default().to_ascii_uppercase();
        let words: Vec<_> = statement.split([' ', '\n', '\t', ';']).collect();
        match &*words {
            // `BEGIN … END` of a procedure holds statements of its own.
            ["BEGIN"]
            | ["BEGIN", "TRANSACTION" | "WORK" | "TRAN", ..]
            | ["START", "TRANSACTION", ..] => {
                begun = Some(kept.len());
            }
            ["COMMIT" | "END", ..] => begun = None,
            // A savepoint is not the start.
            ["ROLLBACK"] | ["ROLLBACK", "TRANSACTION" | "WORK" | "TRAN"] => {
                kept.truncate(begun.take().unwrap_or(kept.len()));
            }
            _ => {}
        }
        kept.push(range);
    }
    kept
}

/// The byte ranges of the statements, without leading blanks and comments. Mongo shell code is split into lines, since
/// its entries match a call anywhere; a program is one statement.
pub(super) fn split(text: &str, language: Language) -> Vec<Range<usize>> {
    match language {
        Language::Mongo => return split_mongo(text),
        Language::Code => return iter::once(0..text.len()).collect(),
        _ => {}
    }
    // `(a)--(b)` is a pattern of Cypher (<https://neo4j.com/docs/cypher-manual/current/syntax/comments/>).
    let comments: &[&str] = if language == Language::Cypher { &["//"] } else { &["--", "#"] };
    let mut splitter = Splitter { text, bytes: text.as_bytes(), at: 0, comments };
    let mut statements = Vec::new();
    while splitter.at < text.len() {
        splitter.skip_space();
        let start = splitter.at;
        splitter.skip_statement();
        let end = start + text[start..splitter.at].trim_end_matches([';', ' ', '\n', '\r']).len();
        if end > start {
            statements.push(start..end);
        }
        splitter.at = splitter.at.max(start + 1);
        while splitter.at < text.len() && !text.is_char_boundary(splitter.at) {
            splitter.at += 1;
        }
    }
    statements
}

/// The length of the string or comment at the beginning of a text for PostgreSQL.
///
/// Source: <https://www.postgresql.org/docs/current/sql-syntax-lexical.html>
pub(crate) fn opaque(text: &str) -> Option<usize> {
    let mut splitter = Splitter { text, bytes: text.as_bytes(), at: 0, comments: &["--"] };
    splitter.skip_opaque().then_some(splitter.at)
}

/// Lines and `;`-separated parts. Code with a condition or an error handler stays whole, so that the catalogue's
/// `unless` can find it.
fn split_mongo(text: &str) -> Vec<Range<usize>> {
    let guarded = ["try", "if (", "if(", "||", "?", "forEach"];
    let whole = 0..text.len();
    if guarded.iter().any(|word| text.contains(word)) {
        return vec![whole];
    }
    let mut statements = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices([';', '\n']) {
        statements.push(start..at);
        start = at + 1;
    }
    statements.push(start..text.len());
    statements
}

struct Splitter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    /// What a comment begins with that ends with its line.
    comments: &'static [&'static str],
}

impl Splitter<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn skip_past(&mut self, mark: &str) {
        let found = self.rest().find(mark).map(|at| self.at + at + mark.len());
        self.at = found.unwrap_or(self.text.len());
    }

    fn is_comment(&self) -> bool {
        self.comments.iter().any(|mark| self.rest().starts_with(mark))
    }

    /// Skips blanks, `;`, and comments (`--`, `#`, `/* */`).
    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', ';']).len();
            match self.rest() {
                _ if self.is_comment() => self.skip_past("\n"),
                rest if rest.starts_with("/*") => self.skip_past("*/"),
                _ => return,
            }
        }
    }

    /// Skips to the end of a statement: `;`, the end of a `\command` line, `\gexec`, or before a `GO` line.
    fn skip_statement(&mut self) {
        let meta = self.rest().starts_with('\\');
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b';' => {
                    self.at += 1;
                    return;
                }
                b'\n' if meta || self.go_follows() => return,
                b'\\' if self.rest().starts_with("\\g") => return self.skip_past("\n"),
                _ if self.skip_opaque() => {}
                _ => self.at += 1,
            }
        }
    }

    /// Skips a string or a comment; `false` if there is none here.
    fn skip_opaque(&mut self) -> bool {
        match self.bytes.get(self.at) {
            Some(&quote @ (b'\'' | b'"')) => self.skip_quoted(quote),
            Some(b'$') => self.skip_dollars(),
            Some(b'-' | b'/') if self.is_comment() => self.skip_past("\n"),
            Some(b'/') if self.rest().starts_with("/*") => self.skip_past("*/"),
            _ => return false,
        }
        true
    }

    fn go_follows(&self) -> bool {
        let line = self.bytes[self.at + 1..].split(|b| *b == b'\n').next().unwrap_or_default();
        line.trim_ascii().eq_ignore_ascii_case(b"go")
    }

    fn skip_quoted(&mut self, quote: u8) {
        let rest = &self.bytes[self.at + 1..];
        let length = memchr::memchr(quote, rest).map_or(rest.len(), |at| at + 1);
        self.at += 1 + length;
    }

    /// Skips `$$ … $$` and `$tag$ … $tag$`; any other `$` is part of a name.
    fn skip_dollars(&mut self) {
        let rest = self.rest();
        let letters = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
        let length = 1 + rest[1..].chars().take_while(letters).count();
        if rest.as_bytes().get(length) != Some(&b'$') {
            self.at += 1;
            return;
        }
        let tag = rest[..=length].to_owned();
        self.at += tag.len();
        self.skip_past(&tag);
    }
}
