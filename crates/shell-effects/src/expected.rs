//! Failures of which a script says in words that they do not matter: in a comment, or in the message that follows them.

use crate::{
    ast::{Span, Statement},
    shell::Shell,
};

/// How a comment or message says that a failure does not matter, in lower case.
const EXPECTED: [&str; 37] = [
    "already",
    "allowed to fail",
    "are fine",
    "are ok",
    "best effort",
    "best-effort",
    "can fail",
    "can safely fail",
    "could fail",
    "does not matter",
    "doesn't matter",
    "do not care",
    "don't care",
    "do not fail",
    "don't fail",
    "even if",
    "expected to fail",
    "fine if",
    "harmless",
    "if exists",
    "if it exists",
    "ignor",
    "is fine",
    "is ok",
    "may be missing",
    "may fail",
    "may not exist",
    "might fail",
    "might not exist",
    "never fail",
    "non-critical",
    "non-fatal",
    "not critical",
    "not fatal",
    "ok if",
    "optional",
    "tolerat",
];

/// How a message says that there was nothing to do.
const DONE: [&str; 2] = ["already", "exist"];

/// How many lines above a statement are searched for its comment.
const WINDOW: usize = 20;

/// How many characters of a comment or message are read.
const LONGEST: usize = 500;

impl Shell<'_> {
    /// Whether the script says that the failure of the statement at the span does not matter: in what it runs after the
    /// failure, from the offset `after` on, in the comment behind that, or in the comment above the statement.
    pub(crate) fn says_expected(&self, span: Span, after: u32) -> bool {
        let text = self.source.value.as_str();
        let above = line_break_before(text, span.range().start).map_or("", |at| &text[..at]);
        let end = line_end(text, span.range().end);
        let said = text.get(after as usize..end).unwrap_or_default();
        says_so(said)
            || says_skipped(said)
            || comment_above(above).any(says_so)
            || is_explained_below(&text[end..])
    }

    /// Whether all that a script says about the failure of a pipeline of a statement, behind its `||`, is that the work was done
    /// before: `create || echo "exists"`.
    pub(crate) fn says_done(&self, statement: &Statement, index: usize) -> bool {
        let Some(fallback) = statement.fallback(index) else { return false };
        let (span, message) = (statement.span, statement.pipeline(fallback));
        let text = self.source.value.as_str();
        let above = line_break_before(text, span.range().start).map_or("", |at| &text[..at]);
        let end = line_end(text, span.range().end);
        let said = text.get(message.span.range().start..end).unwrap_or_default();
        let said = said.chars().take(LONGEST).collect::<String>().to_lowercase();
        let others = EXPECTED.iter().filter(|words| !DONE.contains(words));
        self.prints(message)
            && DONE.iter().any(|words| said.contains(words))
            && !others.into_iter().any(|words| said.contains(words))
            && !comment_above(above).any(says_so)
    }
}

/// The line break before an offset. Longer indentations and statements have no comment above them.
fn line_break_before(text: &str, offset: usize) -> Option<usize> {
    let from = offset.saturating_sub(LONGEST);
    let breaks = text.as_bytes()[from..offset].iter().rposition(|byte| *byte == b'\n');
    breaks.map(|at| from + at)
}

/// The end of the line, or of as much of it as is read.
fn line_end(text: &str, offset: usize) -> usize {
    let rest = &text[offset..];
    let end = rest.char_indices().enumerate().find(|(n, (_, c))| *n == LONGEST || *c == '\n');
    offset + end.map_or(rest.len(), |(_, (at, _))| at)
}

/// The lines of the comment at the end of the text, from the last to the first. A comment is for all lines below it that
/// end with `|| true`.
fn comment_above(text: &str) -> impl Iterator<Item = &str> {
    let ends_so = |line: &str| ["|| true", "|| :"].iter().any(|end| line.ends_with(end));
    let mut lines = text.lines().rev().map(str::trim).take(WINDOW).peekable();
    while lines.next_if(|line| ends_so(line)).is_some() {}
    lines.take_while(|line| line.starts_with('#'))
}

/// Whether the comment below a statement names what hides its failure: `# pg_restore ends with 1 for warnings, hence || true`.
fn is_explained_below(text: &str) -> bool {
    let lines = text.lines().skip(1).take(WINDOW).map(|line| line.trim());
    let mut comment = lines.take_while(|line| line.starts_with('#'));
    comment.any(|line| line.chars().take(LONGEST).collect::<String>().contains("|| true"))
}

/// Whether a message says that there was nothing of the name that the command tried: `|| echo "not in the set (skipped)"`.
fn says_skipped(text: &str) -> bool {
    const ABSENT: [&str; 4] = ["not in ", "not found", "no such", "missing"];
    let text: String = text.chars().take(LONGEST).collect::<String>().to_lowercase();
    text.contains("skip") && ABSENT.iter().any(|words| text.contains(words))
}

fn says_so(text: &str) -> bool {
    let text: String = text.chars().take(LONGEST).collect::<String>().to_lowercase();
    EXPECTED.iter().any(|words| text.contains(words))
}
