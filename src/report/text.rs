//! Makes texts of files and rules safe to print.
//!
//! A file must not be able to colour, move, reverse or hide the output, nor to give commands to the CI system that
//! reads it.

use std::borrow::Cow;

use job_lifecycle::ObjectName;

/// The text on one line, with control characters as escapes.
pub(crate) fn one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_control(c) || c == '\n' || c == '\t') {
        return Cow::Borrowed(text);
    }
    let lines: Vec<_> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let spaced = lines.join(" ").replace('\t', " ");
    Cow::Owned(spaced.chars().flat_map(visible).collect())
}

/// The text with control characters as escapes. Its line breaks, which may be those of Windows, and tabs stay.
pub(crate) fn lines(text: &str) -> Cow<'_, str> {
    let stays = |at: usize, c: char| !is_control(c) || text[at..].starts_with("\r\n");
    if text.char_indices().all(|(at, c)| stays(at, c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (at, c) in text.char_indices() {
        match stays(at, c) {
            true => out.push(c),
            false => out.extend(visible(c)),
        }
    }
    Cow::Owned(out)
}

/// The character, or its escape if it is a control character other than a line break or a tab.
pub(crate) fn visible(c: char) -> impl Iterator<Item = char> {
    let escape = is_control(c).then(|| c.escape_default());
    let plain = escape.is_none().then_some(c);
    escape.into_iter().flatten().chain(plain)
}

/// True for control characters, and for those that are invisible or change the direction of text.
fn is_control(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{FEFF}' => true,
        '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        c => c.is_control(),
    }
}

/// How a format writes the first character of a workflow command, so that it is none.
#[derive(Clone, Copy)]
pub(crate) struct Escapes {
    colon: &'static str,
    hash: &'static str,
}

/// In texts for people.
pub(crate) const PLAIN: Escapes = Escapes { colon: "\\u{3a}", hash: "\\u{23}" };
/// In XML and HTML.
pub(crate) const MARKUP: Escapes = Escapes { colon: "&#58;", hash: "&#35;" };
/// In strings of JSON.
const JSON: Escapes = Escapes { colon: "\\u003a", hash: "\\u0023" };

/// An output in which no line is a command to GitHub Actions, Azure Pipelines or Gitea: `::` at its start, `##[` and
/// `##vso[` anywhere in it.
///
/// Facts: [GitHub's runner](https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs) skips
/// white space before `::` and finds `##[` in the middle of a line; the agent of Azure Pipelines finds `##vso[` there.
pub(crate) fn without_commands(text: String, escapes: Escapes) -> String {
    let is_command = |line: &str| starts_command(line) || next_hash(line).is_some();
    if !text.lines().any(is_command) {
        return text;
    }
    text.split_inclusive('\n').map(|line| without_command(line, escapes)).collect()
}

/// A line that is no workflow command. It may continue a line: `::` counts at its own start.
fn without_command(line: &str, escapes: Escapes) -> String {
    let mut rest = line;
    let mut out = String::with_capacity(line.len());
    if starts_command(line) {
        let start = line.len() - line.trim_start().len();
        out.push_str(&line[..start]);
        out.push_str(escapes.colon);
        rest = &line[start + 1..];
    }
    while let Some(at) = next_hash(rest) {
        out.push_str(&rest[..at]);
        out.push_str(escapes.hash);
        rest = &rest[at + 1..];
    }
    out + rest
}

fn starts_command(line: &str) -> bool {
    line.trim_start().starts_with("::")
}

/// The first `##[` or `##vso[`, in any case of letters.
fn next_hash(line: &str) -> Option<usize> {
    memchr::memchr_iter(b'#', line.as_bytes()).find(|at| {
        let name = line[at + 1..].strip_prefix('#');
        let name = name.map(|name| name.trim_start_matches(|c: char| c.is_ascii_alphanumeric()));
        name.is_some_and(|rest| rest.starts_with('['))
    })
}

/// Text of files for standard error and other plain outputs: its control characters are escapes, and no line is a
/// workflow command.
pub(crate) fn safe(text: &str) -> String {
    without_commands(lines(text).into_owned(), PLAIN)
}

/// JSON in which control characters and workflow commands are escaped; it has the same meaning.
pub(crate) fn json(text: String) -> String {
    if !text.contains(is_control) {
        return without_commands(text, JSON);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match is_control(c) {
            true => {
                let units = &mut [0; 2];
                let escapes = c.encode_utf16(units).iter().map(|unit| format!("\\u{unit:04x}"));
                out.extend(escapes);
            }
            false => out.push(c),
        }
    }
    without_commands(out, JSON)
}

/// The kind and name of an object: Job `migrate`.
pub(crate) fn titled(object: &ObjectName) -> String {
    match (&object.name, &object.generate_name) {
        (Some(name), _) => format!("{} `{name}`", object.kind),
        (None, Some(prefix)) => format!("{} `{prefix}*`", object.kind),
        (None, None) => object.kind.clone(),
    }
}

/// Wraps the text at spaces into lines of at most `width` characters; longer words overflow.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut free = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        match lines.last_mut() {
            Some(line) if length < free => {
                line.push(' ');
                line.push_str(word);
                free -= length + 1;
            }
            _ => {
                lines.push(word.to_owned());
                free = width.saturating_sub(length);
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_visible() {
        assert_eq!(one_line("plain `text`"), "plain `text`");
        assert_eq!(one_line("a\n  b\r\n\tc \u{1b}[31m\u{202e}d"), "a b c \\u{1b}[31m\\u{202e}d");
    }

    #[test]
    fn no_line_is_a_workflow_command() {
        let plain = |text: &str| without_commands(text.to_owned(), PLAIN);
        assert_eq!(plain("a::b #[ ## [c\n: :"), "a::b #[ ## [c\n: :");
        assert_eq!(plain("::error::x\n  ::set-output"), "\\u{3a}:error::x\n  \\u{3a}:set-output");
        assert_eq!(plain("a ##[error]b ###vso[x]"), "a \\u{23}#[error]b #\\u{23}#vso[x]");
        assert_eq!(json("[\"##[x]\u{9b}\"]".to_owned()), "[\"\\u0023#[x]\\u009b\"]");
    }

    #[test]
    fn wraps_at_spaces() {
        assert_eq!(wrap("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrap("aaaaaaaa b", 5), ["aaaaaaaa", "b"]);
        assert_eq!(wrap("", 5), Vec::<String>::new());
    }
}
