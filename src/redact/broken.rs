//! Secrets in documents that cannot be parsed: all data of an object of kind Secret.

use std::sync::LazyLock;

use regex::Regex;
use yaml_spans::{Span, char_start};

use super::{Search, kept, text::template_default};

/// `kind: Secret` in block and flow style, in JSON, and with tags and anchors.
static KIND: LazyLock<Regex> = LazyLock::new(|| {
    let kind = r#"(?m)(?:^|[\s{,-])["']?kind["']?\s*:\s*(?:[!&]\S*\s+)*["']?Secret(?:List)?["']?\s*(?:[,}\]#]|$)"#;
    Regex::new(kind).expect("a valid expression")
});

/// Finds all data of a document that cannot be parsed, if it is a Secret. `problem` is somewhere in it.
pub(super) fn search(problem: Span, search: &mut Search<'_>) {
    let text = search.text;
    let at = char_start(text, problem.start as usize);
    let start = text[..at].rfind("\n---").map_or(0, |at| at + 1);
    let end = text[at..].find("\n---").map_or(text.len(), |length| at + length);
    let document = &text[start..end];
    // Most texts do not even have the word, and need no expression.
    if !document.contains("Secret") || !KIND.is_match(document) {
        return;
    }
    let mut state = State::default();
    let mut flow_end = start;
    for (at, line) in (Lines { text, at: start, end }) {
        let Some(opened) = data_in_flow(line).filter(|_| at >= flow_end) else {
            if at >= flow_end {
                state.line(at, line, search);
            }
            continue;
        };
        flow_end = flow(at + opened, end, search);
    }
}

/// Where a line is in a document in block style.
#[derive(Default)]
struct State {
    /// The indentation of the `data:` above.
    data: Option<usize>,
    /// The indentation of the key above whose value is a block scalar.
    literal: Option<usize>,
}

impl State {
    fn line(&mut self, at: usize, line: &str, search: &mut Search<'_>) {
        let indent = indent_of(line);
        if self.data.is_some_and(|outer| indent > outer) {
            return self.datum(at, line, indent, search);
        }
        if !line.trim().is_empty() {
            let key = line.trim_start().trim_start_matches("- ").split(':').next();
            let key = key.map(|key| key.trim().trim_matches(['"', '\'']));
            self.data = matches!(key, Some("data" | "stringData")).then_some(indent);
            self.literal = None;
        }
    }

    /// A line below `data:`.
    fn datum(&mut self, at: usize, line: &str, indent: usize, search: &mut Search<'_>) {
        if let Some(default) = template_default(line) {
            search.add(Span::new(at + default.start, at + default.end), None);
        }
        if line.contains("{{") {
            return;
        }
        let in_literal = self.literal.is_some_and(|outer| indent > outer);
        let colon = line.find(':').filter(|_| !in_literal);
        let value = colon.map_or(indent, |colon| colon + 1);
        if !in_literal {
            self.literal =
                colon.and(line[value..].trim_start().starts_with(['|', '>']).then_some(indent));
        }
        let start = line.len() - line[value..].trim_start().len();
        let span = Span::new(at + start, at + line.trim_end().len());
        if in_literal && is_opening(line, indent, &search.text[at + line.len()..]) {
            search.spans.push(span);
        } else {
            search.add(span, Some(&scalars(&line[start..])));
        }
    }
}

/// True for a line that only opens a mapping of a configuration file: `http:`. Its name is no secret elsewhere.
fn is_opening(line: &str, indent: usize, below: &str) -> bool {
    let next = below.lines().find(|line| !line.trim().is_empty());
    line.trim().strip_suffix(':').is_some_and(kept::is_name)
        && next.is_some_and(|next| indent_of(next) > indent)
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The scalars of a value in block style, one per line: without quotes, brackets and a comment.
fn scalars(value: &str) -> String {
    let value = value.split(" #").next().unwrap_or_default();
    let parts = value.split([',', '[', ']', '{', '}']);
    let parts: Vec<_> = parts.map(|part| part.trim().trim_matches(['"', '\''])).collect();
    parts.join("\n")
}

/// The offset of the bracket after `data:` in a line of flow style or JSON.
fn data_in_flow(line: &str) -> Option<usize> {
    static DATA: LazyLock<Regex> = LazyLock::new(|| {
        let data = r#"(?:^|[\s{,])["']?(?:data|stringData)["']?\s*:\s*(?:[!&]\S*\s+)*[{\[]"#;
        Regex::new(data).expect("a valid expression")
    });
    DATA.find(line).map(|found| found.end() - 1)
}

/// Adds all values between a bracket and its end, or the end of the document. Returns where it ends.
fn flow(open: usize, end: usize, search: &mut Search<'_>) -> usize {
    let text = search.text;
    let mut depth = 0;
    let mut at = open;
    while at < end {
        let rest = &text[at..end];
        match rest.as_bytes()[0] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 1 => return at + 1,
            b'}' | b']' => depth -= 1,
            b',' | b':' => {}
            byte if byte.is_ascii_whitespace() => {}
            byte => {
                let (value, after) = scalar(rest, byte);
                let is_key = rest[after..].trim_start_matches([' ', '\t']).starts_with(':');
                if !is_key {
                    search.add(Span::new(at + value.start, at + value.end), None);
                }
                at += after;
                continue;
            }
        }
        at += 1;
    }
    end
}

/// The content of a scalar in flow style, and its end. A quote that nothing closes ends with the line.
fn scalar(text: &str, first: u8) -> (std::ops::Range<usize>, usize) {
    let line = &text[..text.find('\n').unwrap_or(text.len())];
    if matches!(first, b'"' | b'\'') {
        let mut escaped = false;
        for (at, c) in line.char_indices().skip(1) {
            if c == char::from(first) && !escaped {
                return (1..at, at + 1);
            }
            escaped = c == '\\' && first == b'"' && !escaped;
        }
        return (1..line.len(), line.len());
    }
    let ends = |(at, c): (usize, char)| {
        let is_key = c == ':' && line[at + 1..].starts_with([' ', '{', '[', '"', '\'']);
        matches!(c, ',' | '{' | '}' | '[' | ']') || is_key || c == ':' && at + 1 == line.len()
    };
    let end = line.char_indices().find(|found| ends(*found)).map_or(line.len(), |(at, _)| at);
    (0..line[..end].trim_end().len(), end.max(1))
}

/// The lines of a part of a text with their offsets.
struct Lines<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Iterator for Lines<'a> {
    type Item = (usize, &'a str);

    fn next(&mut self) -> Option<Self::Item> {
        let (at, rest) = (self.at, self.text.get(self.at..self.end)?);
        if rest.is_empty() {
            return None;
        }
        let length = rest.find('\n').map_or(rest.len(), |length| length + 1);
        self.at += length;
        Some((at, rest[..length].trim_end_matches('\n')))
    }
}
