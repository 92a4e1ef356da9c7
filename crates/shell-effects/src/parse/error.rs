//! Syntax errors, and which of them every shell finds.

use super::{CLOSERS, Parser};
use crate::ast::{CommandKind, Script, SyntaxError};

/// What opens and what closes it. The operators of bash are missing: plain `sh` takes `[[` for a word.
const PAIRS: [(&str, &str); 9] = [
    ("if", "fi"),
    ("while", "done"),
    ("until", "done"),
    ("for", "done"),
    ("case", "esac"),
    ("{", "}"),
    ("(", ")"),
    ("'", "'"),
    ("\"", "\""),
];

/// What bash and ksh read differently from a plain `sh`. Arrays are missing: a plain `sh` reads no script with `a=(b c)`.
const EXTENSIONS: [&str; 13] =
    ["function ", "select ", "[[", "((", "<(", ">(", "<<<", "$'", "$\"", "&>", "|&", ";&", ";;&"];

impl Parser<'_> {
    /// Notes a syntax error from `start` to here.
    pub(super) fn error(&mut self, start: usize) {
        let span = self.span_from(start);
        self.script.unknown.push(span);
        let text = &self.text[start..];
        let is_arithmetic = text.trim_start_matches("for").trim_start().starts_with("((");
        if self.lenient > 0 || is_arithmetic {
            return;
        }
        let begins = |word: &str| {
            let rest = text.strip_prefix(word);
            let is_letter = |c: char| word.len() > 1 && c.is_alphanumeric();
            rest.is_some_and(|rest| !rest.starts_with(is_letter))
        };
        let closer = CLOSERS.iter().chain(&[")", ";;"]).copied().find(|word| begins(word));
        let error = match PAIRS.iter().find(|(opens, _)| begins(opens)) {
            Some((opens, closes)) => Some(SyntaxError::Unclosed { span, opens, closes }),
            None => closer.map(|word| SyntaxError::Stray { span, word }),
        };
        self.script.errors.extend(error);
    }
}

/// The first syntax error of a script, if the shell called `name` finds one as well. In case of doubt there is none.
pub(crate) fn certain_error(script: &Script, text: &str, name: &str) -> Option<SyntaxError> {
    if script.errors.is_empty() || script.errors.len() < script.unknown.len() {
        return None;
    }
    let is_certain = match name {
        "bash" => !continues_in_word(text),
        "sh" | "dash" | "ash" => {
            !continues_in_word(text) && !has_extension(text) && !has_quote_in_braces(text)
        }
        _ => false,
    };
    let first = script.errors.iter().min_by_key(|error| error.span()).copied()?;
    Some(first).filter(|error| is_certain && !ends_before(script, text, error.span().start))
}

/// Whether the script ends before an offset: a shell reads on only when it has run what it has read.
fn ends_before(script: &Script, text: &str, at: u32) -> bool {
    let before = script.body.statements.iter().take_while(|statement| statement.span.end <= at);
    before.flat_map(|statement| &statement.first.commands).any(|command| match &command.kind {
        CommandKind::Simple(simple) => {
            let name = simple.words.first().map_or("", |word| word.span.text(text));
            name == "exit" || name == "exec" && simple.words.len() > 1
        }
        _ => false,
    })
}

/// Whether a line goes on in the middle of a word, which may then be a keyword.
fn continues_in_word(text: &str) -> bool {
    text.match_indices("\\\n").any(|(at, _)| !text[..at].ends_with([' ', '\t', '\n']))
}

fn has_extension(text: &str) -> bool {
    let plain = text.replace("$((", "");
    EXTENSIONS.iter().any(|extension| plain.contains(extension))
}

/// `${NAME"}"`, `${NAME:-'}'}`: shells differ in where this ends.
fn has_quote_in_braces(text: &str) -> bool {
    text.split("${").skip(1).any(|rest| {
        let end = rest.find('}').unwrap_or(rest.len());
        rest[..end].contains(['"', '\''])
    })
}
