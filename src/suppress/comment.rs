//! Parses `# joblint: ignore[rule, …] reason` in YAML, in template comments and in scripts.

use yaml_spans::{Edit, Source, Span};

/// A comment that ignores rules.
pub(super) struct Comment {
    /// Each rule with the span of its name.
    pub(super) rules: Vec<(String, Span)>,
    /// Whether a reason follows.
    pub(super) reason: bool,
    /// The line that the ignore applies to.
    pub(super) line: Line,
    /// Removes the comment.
    pub(super) removal: Option<Edit>,
}

/// The line that an ignore applies to, from 1.
#[derive(Clone, Copy)]
pub(super) enum Line {
    /// The line of the comment itself.
    Same(usize),
    /// The first line of content below the comment.
    Next(usize),
}

/// The ignore comments of a text.
pub(super) fn all(source: &Source) -> Vec<Comment> {
    let found = memchr::memmem::find_iter(source.text.as_bytes(), "joblint:");
    let mut content = ContentLines { source, known: 0..0 };
    found.filter_map(|at| comment(source, at, &mut content)).collect()
}

fn comment(source: &Source, at: usize, content: &mut ContentLines<'_>) -> Option<Comment> {
    let line = source.line_of(at as u32);
    let span = source.line_span(line);
    let before = &source.text[span.start as usize..at];
    let opening =
        ["{{-/*", "{{- /*", "{{/*", "#"].iter().find(|mark| before.trim_end().ends_with(**mark))?;
    let start = span.start as usize + before.trim_end().len() - opening.len();
    // Without a blank before it, `#` is a part of a YAML scalar.
    let text = source.text[span.start as usize..start].trim_end_matches('#');
    if *opening == "#" && text.ends_with(|c: char| !c.is_whitespace()) {
        return None;
    }
    let after = &source.text[at + "joblint:".len()..span.end as usize];
    let list = after.trim_start().strip_prefix("ignore")?.trim_start().strip_prefix('[')?;
    let (list, rest) = list_end(list)?;
    let from = list.as_ptr() as usize - source.text.as_ptr() as usize;
    let reason =
        rest.trim().trim_end_matches("}}").trim_end_matches(['-', ' ']).trim_end_matches("*/");
    let alone = source.text[span.start as usize..start].trim().is_empty();
    Some(Comment {
        rules: named(list, from),
        reason: !reason.trim_matches([':', '-', ' ']).is_empty(),
        line: if alone { Line::Next(content.after(line)) } else { Line::Same(line) },
        removal: removal(source, line, start, alone),
    })
}

/// Splits at the bracket that closes the list; `policy[NAME]` has brackets of its own.
fn list_end(text: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    let closes = |c: char| match c {
        '[' => {
            depth += 1;
            false
        }
        ']' if depth > 0 => {
            depth -= 1;
            false
        }
        other => other == ']',
    };
    text.split_once(closes)
}

fn named(list: &str, from: usize) -> Vec<(String, Span)> {
    let mut at = from;
    let mut rules = Vec::new();
    for part in list.split(',') {
        let name = part.trim();
        let start = at + (part.len() - part.trim_start().len());
        if !name.is_empty() {
            rules.push((name.to_owned(), Span::new(start, start + name.len())));
        }
        at += part.len() + 1;
    }
    rules
}

/// Finds the lines of content below comments, in ascending order; reads every line once.
struct ContentLines<'a> {
    source: &'a Source,
    /// Lines after each of which the next content is on the line at the end of the range.
    known: std::ops::Range<usize>,
}

impl ContentLines<'_> {
    fn after(&mut self, line: usize) -> usize {
        if !self.known.contains(&line) {
            self.known = line..next_line(self.source, line).unwrap_or(usize::MAX);
        }
        if self.known.end == usize::MAX { line } else { self.known.end }
    }
}

/// The next line that holds more than a comment or a document separator.
fn next_line(source: &Source, line: usize) -> Option<usize> {
    let is_content = |line: &usize| {
        let text = source.line_text(*line).trim();
        !(text.is_empty()
            || text.starts_with('#')
            || text.starts_with("---")
            || is_template_comment(text)
            || is_silent_action(text))
    };
    (line + 1..=source.line_count()).find(is_content)
}

fn is_template_comment(text: &str) -> bool {
    let inner = text.strip_prefix("{{").map(|text| text.trim_start_matches(['-', ' ']));
    inner.is_some_and(|text| text.starts_with("/*")) && text.ends_with("}}")
}

/// True for a template line that prints nothing: control flow or an assignment.
fn is_silent_action(text: &str) -> bool {
    let words = ["if", "else", "with", "range", "define", "block", "end"];
    let inner = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}"));
    inner.is_some_and(|text| {
        let text = text.trim_start_matches(['-', ' ']);
        let word = text.split([' ', '-']).next().unwrap_or_default();
        !text.contains("}}")
            && (words.contains(&word) || word.starts_with('$') && text.contains('='))
    })
}

/// Removes the whole line if it holds only the comment, else the comment with the space before it.
fn removal(source: &Source, line: usize, start: usize, alone: bool) -> Option<Edit> {
    let own = source.line_span(line);
    let span = if alone {
        Span { start: own.start, end: source.line_span(line + 1).start }
    } else {
        let text = source.text[..start].trim_end_matches([' ', '\t']);
        Span::new(text.len(), own.end as usize)
    };
    let template = source.text[start..].starts_with("{{");
    (alone || !template).then_some(Edit { span, text: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(text: &str) -> Option<(Vec<String>, bool, bool, usize)> {
        let mut found = all(&Source::new("a.yaml", text)).into_iter();
        let comment = found.next()?;
        assert!(found.next().is_none());
        let names = comment.rules.into_iter().map(|(name, _)| name).collect();
        let (same, line) = match comment.line {
            Line::Same(line) => (true, line),
            Line::Next(line) => (false, line),
        };
        Some((names, comment.reason, same, line))
    }

    #[test]
    fn reads_every_form() {
        let names =
            |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert_eq!(only("a: 1 # joblint: ignore[x]"), Some((names(&["x"]), false, true, 1)));
        assert_eq!(
            only("# joblint: ignore[x, y] why\n# more\n\na: 1"),
            Some((names(&["x", "y"]), true, false, 4))
        );
        assert_eq!(
            only("{{- /* joblint: ignore[x] why */ -}}\na: 1"),
            Some((names(&["x"]), true, false, 2))
        );
        assert_eq!(
            only("{{/* joblint: ignore[x] */}}\na: 1"),
            Some((names(&["x"]), false, false, 2))
        );
        let guarded = "# joblint: ignore[x] why\n{{- if .Values.a }}\n{{- $b := 1 -}}\na: 1";
        assert_eq!(only(guarded), Some((names(&["x"]), true, false, 4)));
        assert_eq!(
            only("a: 1 # joblint: ignore[policy[no-latest], x] why"),
            Some((names(&["policy[no-latest]", "x"]), true, true, 1))
        );
        assert_eq!(only("joblint: ignore[x]"), None);
        assert_eq!(only("# joblint: something"), None);
        assert_eq!(only("k# joblint: ignore[x] why"), None);
    }
}
