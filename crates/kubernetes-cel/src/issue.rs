//! What is wrong with an expression, in the words of the API server.

use std::fmt::Write;
use std::ops::Range;

/// Bytes of a line that is shown.
const LONGEST_LINE: usize = 16_384;

/// One reason why the API server refuses an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// The bytes of the expression that are wrong.
    pub range: Range<usize>,
    /// The byte at which the API server points.
    pub at: usize,
    /// The API server's words, without position.
    pub message: String,
    /// When the API server finds it.
    pub stage: Stage,
}

/// When the API server refuses an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// While it parses the expression and checks types. It points at the text.
    Compilation,
    /// While it prepares the evaluation. It does not point at the text.
    Instantiation,
}

impl Issue {
    pub(crate) fn new(range: Range<usize>, message: impl Into<String>) -> Self {
        Self { at: range.start, range, message: message.into(), stage: Stage::Compilation }
    }

    /// The issue as the API server prints it, with the line of the expression.
    pub fn display(&self, text: &str) -> String {
        if self.stage == Stage::Instantiation {
            return self.message.clone();
        }
        let before = text.get(..self.at).unwrap_or(text);
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[start..].split('\n').next().unwrap_or_default().replace('\t', " ");
        let column = before[start..].chars().count();
        let number = before.matches('\n').count() + 1;
        let mut display = format!("ERROR: <input>:{number}:{}: {}", column + 1, self.message);
        if line.len() > LONGEST_LINE {
            return display;
        }
        let _ = write!(display, "\n | {line}\n | ");
        // Wide characters push the mark: cel-go uses a wide dot below each of them.
        for character in before[start..].chars() {
            display.push(if character.len_utf8() > 1 { '．' } else { '.' });
        }
        let wide =
            text[self.at.min(text.len())..].chars().next().is_some_and(|next| next.len_utf8() > 1);
        let _ = write!(display, "{}", if wide { '＾' } else { '^' });
        display
    }
}

/// All issues as the API server prints them.
pub fn display(issues: &[Issue], text: &str) -> String {
    let issues: Vec<_> = issues.iter().map(|issue| issue.display(text)).collect();
    issues.join("\n")
}

/// Why the API server refuses an expression, as it says so in the status of a request: `compilation failed: …`.
pub fn refusal(issues: &[Issue], text: &str) -> String {
    let is_instantiation = issues.iter().any(|issue| issue.stage == Stage::Instantiation);
    let what = if is_instantiation { "program instantiation failed" } else { "compilation failed" };
    format!("{what}: {}", display(issues, text))
}
