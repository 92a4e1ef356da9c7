//! The lines of a document, by their offsets in the text.

use crate::source::Span;

/// A line: how many spaces it starts with, and its bytes without the break.
#[derive(Clone, Copy)]
pub struct Line {
    pub indent: usize,
    pub start: usize,
    pub end: usize,
}

impl Line {
    /// What stands in it, without the spaces around.
    pub fn body<'t>(&self, text: &'t str) -> &'t str {
        trim_end(&text[self.start + self.indent..self.end])
    }

    pub fn is_blank(&self) -> bool {
        self.start + self.indent == self.end
    }

    /// What follows a dash at an offset, if one stands there.
    pub fn after_dash<'t>(&self, text: &'t str, at: usize) -> Option<&'t str> {
        let after = text[at..self.end].strip_prefix('-')?;
        is_end_or_space(after).then_some(after)
    }
}

/// The text without the spaces at its start. The standard library's way is to search for what is none.
pub fn trim_start(text: &str) -> &str {
    let spaces = text.bytes().take_while(|byte| *byte == b' ').count();
    &text[spaces..]
}

/// The text without the spaces at its end.
pub fn trim_end(text: &str) -> &str {
    let spaces = text.bytes().rev().take_while(|byte| *byte == b' ').count();
    &text[..text.len() - spaces]
}

pub fn is_end_or_space(text: &str) -> bool {
    text.is_empty() || text.starts_with(' ')
}

/// The lines that are still to come; a copy looks ahead.
#[derive(Clone, Copy)]
pub struct Lines<'t> {
    text: &'t str,
    at: usize,
    end: usize,
}

impl<'t> Lines<'t> {
    pub fn new(text: &'t str, place: Span) -> Self {
        Self { text, at: place.start as usize, end: place.end as usize }
    }

    /// The next line that is not blank, and the number of line breaks before it.
    pub fn next_with_content(&mut self) -> Option<(Line, usize)> {
        let mut breaks = 1;
        loop {
            let line = self.next()?;
            if !line.is_blank() {
                return Some((line, breaks));
            }
            breaks += 1;
        }
    }

    /// Whether the last line that came ends the document, without a break.
    pub fn is_past_end(&self) -> bool {
        self.at > self.end
    }
}

impl Iterator for Lines<'_> {
    type Item = Line;

    fn next(&mut self) -> Option<Line> {
        if self.at >= self.end {
            return None;
        }
        let rest = &self.text.as_bytes()[self.at..self.end];
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let indent = rest[..length].iter().take_while(|byte| **byte == b' ').count();
        let line = Line { indent, start: self.at, end: self.at + length };
        self.at = line.end + 1;
        Some(line)
    }
}
