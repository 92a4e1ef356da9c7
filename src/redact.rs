//! Secrets are never printed: what formats see is a report whose texts have them blanked out.
//!
//! A masked text has the length, the lines and the columns of the one it stands for, so that every
//! place in it holds. Fixes are applied to the files, never to what is masked here.

mod command;
mod names;
mod redactor;
mod text;
mod tree;

use std::collections::BTreeSet;

use yaml_spans::{self as yaml, Span};

pub use names::is_secret;
pub use redactor::{Redacted, Redactor};

/// Shorter values are blanked where they stand, but not looked for in messages.
const SHORTEST: usize = 4;

/// The secrets of one text.
#[derive(Debug, Default)]
pub struct Secrets {
    /// Where they stand: in order, without overlaps.
    pub spans: Vec<Span>,
    /// As they would appear in a message: as written and as read, line by line.
    values: BTreeSet<Box<str>>,
    /// The lengths of the values in bytes.
    lengths: BTreeSet<usize>,
}

impl Secrets {
    /// Finds the secrets of a text: by the tree where it is YAML, by its lines everywhere.
    pub fn find(text: &str) -> Self {
        let mut found = Found { text, spans: Vec::new(), values: BTreeSet::new() };
        for document in yaml::parse(text) {
            match document {
                Ok(document) => tree::search(&document.root, &mut found),
                Err(problem) => text::search_secret(problem.span, &mut found),
            }
        }
        text::search(&mut found);
        found.add_repetitions();
        let lengths = found.values.iter().map(|value| value.len()).collect();
        Self { spans: merged(found.spans), values: found.values, lengths }
    }

    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// The text with its secrets blanked out, every character by one of the same width in bytes.
    pub fn blank(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for span in &self.spans {
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

    /// A text with the secrets in it replaced by `***`; `None` when it holds none. A value that `known`
    /// says is to be seen anyway is no secret.
    pub fn hide(&self, text: &str, known: impl Fn(&str) -> bool) -> Option<String> {
        let mut out = String::new();
        let mut done = 0;
        let mut at = 0;
        while at < text.len() {
            match self.value_at(text, at).filter(|end| !known(&text[at..*end])) {
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

    /// The end of the longest value that stands here as a word.
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

/// What a search has found so far.
struct Found<'a> {
    text: &'a str,
    spans: Vec<Span>,
    values: BTreeSet<Box<str>>,
}

impl Found<'_> {
    /// Notes the secret at a span; `read` is its value where that differs from what is written.
    fn add(&mut self, span: Span, read: Option<&str>) {
        let Some(written) = self.text.get(span.range()).filter(|text| !text.trim().is_empty())
        else {
            return;
        };
        self.spans.push(span);
        for line in written.lines().chain(read.into_iter().flat_map(str::lines)) {
            let words = line.split_whitespace().filter(|word| is_unmistakable(word));
            let whole = Some(line.trim()).filter(|line| line.len() >= SHORTEST);
            self.values.extend(words.chain(whole).map(Box::from));
        }
    }

    /// A value that nobody writes by chance is a secret everywhere in the text. A word like `postgres`
    /// is not: it is the password of half the world's test databases.
    fn add_repetitions(&mut self) {
        const MOST: usize = 200;
        let values: Vec<Box<str>> = self.values.iter().cloned().collect();
        for value in values.iter().filter(|value| is_unmistakable(value)).take(MOST) {
            text::search_value(value, self);
        }
    }
}

/// Long, of letters and digits.
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
