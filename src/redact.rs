//! Finds and masks secrets, so that no format prints them: in place, and their values wherever they reappear.
//!
//! A masked text has the same length, lines and columns as the original, so that all positions stay valid. Fixes
//! apply to the files, never to masked texts.

mod broken;
mod command;
mod common;
mod kept;
mod mask;
mod names;
mod redactor;
mod text;
mod tree;
mod values;

use std::collections::BTreeSet;

use yaml_spans::{self as yaml, Node, Span};

pub(crate) use mask::Mask;
pub(crate) use names::is_secret;
pub(crate) use redactor::LastMask;
pub use redactor::{Redacted, Redactor};
pub use values::SecretValues;

/// Minimum length in bytes of values that are also masked in messages. Shorter ones are masked only in place.
const MIN_LENGTH: usize = 4;

/// The secrets of one text.
#[derive(Debug, Default)]
pub struct Secrets {
    /// The spans of the secrets, in order and without overlaps.
    pub(crate) spans: Vec<Span>,
    /// The values to mask in messages, line by line, as written and as parsed.
    values: BTreeSet<Box<str>>,
    /// The distinct lengths of the values in bytes.
    lengths: BTreeSet<usize>,
}

impl Secrets {
    /// Finds the secrets of a text: in the parsed tree if it is YAML, and line by line in any case.
    pub(crate) fn find(text: &str) -> Self {
        let mut search = Search { text, spans: Vec::new(), values: BTreeSet::new() };
        for document in yaml::parse(text) {
            match document {
                Ok(document) => tree::search(&document.root, &mut search),
                Err(problem) => broken::search(problem.span, &mut search),
            }
        }
        Self::of_search(search)
    }

    /// The same for a text that is parsed already: these are the roots of its documents.
    pub(crate) fn find_parsed(text: &str, documents: &[Node]) -> Self {
        let mut search = Search { text, spans: Vec::new(), values: BTreeSet::new() };
        documents.iter().for_each(|root| tree::search(root, &mut search));
        Self::of_search(search)
    }

    fn of_search(mut search: Search<'_>) -> Self {
        text::search(&mut search);
        search.add_repetitions();
        let lengths = search.values.iter().map(|value| value.len()).collect();
        Self { spans: merged(search.spans), values: search.values, lengths }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The text with masked secrets. Every character is replaced by one of the same width in bytes.
    pub(crate) fn blank(&self, text: &str) -> String {
        blanked(text, &self.spans)
    }

    /// Another text, such as a message, with `***` in place of the secrets; `None` if it contains none. Values for
    /// which `is_public` is true stay, and so do words that are none as they stand in the text.
    pub(crate) fn hide(&self, text: &str, is_public: impl Fn(&str) -> bool) -> Option<String> {
        let mut out = String::new();
        let mut done = 0;
        let mut at = 0;
        while at < text.len() {
            match self
                .value_at(text, at)
                .filter(|end| !is_public(&text[at..*end]) && !is_word(text, Span::new(at, *end)))
            {
                Some(end) => {
                    out.push_str(&text[done..at]);
                    out.push_str("***");
                    (done, at) = (end, end);
                }
                None => at += text[at..].chars().next().map_or(1, char::len_utf8),
            }
        }
        out.push_str(&text[done..]);
        (done > 0).then_some(out)
    }

    /// The end of the longest value that starts here and is a whole word.
    fn value_at(&self, text: &str, at: usize) -> Option<usize> {
        let joined = |at: usize| {
            let before = text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
            before && text[at..].chars().next().is_some_and(char::is_alphanumeric)
        };
        if self.lengths.is_empty() || joined(at) {
            return None;
        }
        let ends = self.lengths.iter().rev().map(|length| at + length);
        ends.into_iter().find(|&end| {
            text.get(at..end).is_some_and(|value| self.values.contains(value)) && !joined(end)
        })
    }
}

/// A search in progress.
struct Search<'a> {
    text: &'a str,
    spans: Vec<Span>,
    values: BTreeSet<Box<str>>,
}

impl Search<'_> {
    /// Adds the secret at a span; `parsed` is its value if that differs from the written text.
    fn add(&mut self, span: Span, parsed: Option<&str>) {
        let Some(written) = self.text.get(span.range()).filter(|text| !text.trim().is_empty())
        else {
            return;
        };
        self.spans.push(span);
        let text = parsed.unwrap_or(written);
        if is_file(text) {
            self.values.extend(recognisable(text));
            return;
        }
        for line in written.lines().chain(parsed.into_iter().flat_map(str::lines)) {
            let words = line.split_whitespace().filter(|word| is_unmistakable(word));
            let whole = Some(line.trim()).filter(|line| line.len() >= MIN_LENGTH);
            self.values.extend(words.chain(whole).map(Box::from));
        }
    }

    /// Adds the content of a private key. Where it reappears, only its unmistakable words are masked.
    fn add_key(&mut self, span: Span) {
        let Some(written) = self.text.get(span.range()).filter(|text| !text.trim().is_empty())
        else {
            return;
        };
        self.spans.push(span);
        let quoted = |c: char| c.is_whitespace() || "\"'\\".contains(c);
        let lines = written.lines().filter(|line| text::is_key_line(line)).map(str::trim);
        let words = written.split(quoted).filter(|word| is_unmistakable(word));
        self.values.extend(lines.chain(words).map(Box::from));
    }

    /// Masks unmistakable values everywhere in the text. Common words such as `postgres` are passwords of many test
    /// databases, but no secrets elsewhere.
    fn add_repetitions(&mut self) {
        const MAX: usize = 200;
        let values: Vec<Box<str>> = self.values.iter().cloned().collect();
        for value in values.iter().filter(|value| is_unmistakable(value)).take(MAX) {
            text::search_value(value, self);
        }
    }
}

/// True for a value that is a word of the message itself: a field, a segment of a path, or a common word that does not
/// stand as a value.
fn is_word(text: &str, span: Span) -> bool {
    let word = &text[span.range()];
    let opens = text[..span.start as usize].ends_with(['`', '"', '\'', '=', ':', '/']);
    let closes = text[span.end as usize..].starts_with(['`', '"', '\'', '@']);
    kept::is_field(word)
        || kept::is_segment(text, span)
        || common::is_common(word) && !opens && !closes
}

/// True for a value of several lines, such as a configuration file: most of its words are no secrets.
fn is_file(value: &str) -> bool {
    value.lines().filter(|line| !line.trim().is_empty()).nth(1).is_some()
}

/// What a file as the value of a secret contains that is itself recognisable as a secret.
fn recognisable(text: &str) -> BTreeSet<Box<str>> {
    let mut inner = Search { text, spans: Vec::new(), values: BTreeSet::new() };
    text::search(&mut inner);
    let words = text.split_whitespace().filter(|word| is_unmistakable(word));
    inner.values.extend(words.map(Box::from));
    inner.values
}

/// True for values of at least 8 bytes with letters and digits, which rarely occur by chance.
fn is_unmistakable(value: &str) -> bool {
    let has = |which: fn(char) -> bool| value.chars().any(which);
    value.len() >= 8 && has(|c| c.is_ascii_digit()) && has(char::is_alphabetic)
}

fn merged(mut spans: Vec<Span>) -> Vec<Span> {
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// The text with masked spans. Line breaks and indentation stay.
fn blanked(text: &str, spans: &[Span]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for span in spans {
        out.push_str(&text[done..span.start as usize]);
        let mut indent = false;
        for c in text[span.range()].chars() {
            indent = c == '\n' || (indent && c == ' ');
            out.push(if indent || c == '\r' { c } else { blank(c) });
        }
        done = span.end as usize;
    }
    out.push_str(&text[done..]);
    out
}

fn blank(c: char) -> char {
    match c.len_utf8() {
        1 => '*',
        2 => '·',
        3 => '•',
        _ => '🔒',
    }
}

#[cfg(test)]
mod tests;
