//! Upper case, lower case, and the cases of identifiers.

use go_template::{Executor, FunctionSpec, Value};

use super::args::{INT, Outcome, STRING, int, room, str};
use crate::unicode::{
    is_letter, is_lower, is_number, is_space, is_title, is_upper, to_lower, to_title, to_upper,
};

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("upper", &[STRING], STRING, |c, a| convert(c, a, upper)),
    FunctionSpec::new("lower", &[STRING], STRING, |c, a| convert(c, a, lower)),
    FunctionSpec::new("title", &[STRING], STRING, |c, a| convert(c, a, title)),
    FunctionSpec::new("untitle", &[STRING], STRING, |c, a| convert(c, a, untitle)),
    FunctionSpec::new("initials", &[STRING], STRING, initials),
    FunctionSpec::new("swapcase", &[STRING], STRING, |c, a| convert(c, a, swapcase)),
    FunctionSpec::new("snakecase", &[STRING], STRING, |c, a| convert(c, a, |t| joined(t, '_'))),
    FunctionSpec::new("kebabcase", &[STRING], STRING, |c, a| convert(c, a, |t| joined(t, '-'))),
    FunctionSpec::new("camelcase", &[STRING], STRING, |c, a| convert(c, a, camelcase)),
    FunctionSpec::new("plural", &[STRING, STRING, INT], STRING, plural).own_taint(),
];

fn convert(
    context: &mut Executor<'_>,
    arguments: &[Value],
    convert: fn(&str) -> String,
) -> Outcome {
    room(context, arguments[0].bytes().len(), 3)?;
    Ok(Value::from(convert(&str(&arguments[0]))))
}

fn upper(text: &str) -> String {
    text.chars().map(to_upper).collect()
}

fn lower(text: &str) -> String {
    text.chars().map(to_lower).collect()
}

/// `strings.Title`: a word ends at any character except letters, digits and underscores.
fn title(text: &str) -> String {
    let mut last = ' ';
    let is_separator = |c: char| {
        if c.is_ascii() {
            return !c.is_ascii_alphanumeric() && c != '_';
        }
        !is_letter(c) && !crate::unicode::is_digit(c) && is_space(c)
    };
    text.chars()
        .map(|c| {
            let starts_word = is_separator(std::mem::replace(&mut last, c));
            if starts_word { to_title(c) } else { c }
        })
        .collect()
}

/// goutils' `Uncapitalize`: the first letter of each word in lower case.
fn untitle(text: &str) -> String {
    let mut starts_word = true;
    text.chars()
        .map(|c| {
            if is_space(c) {
                starts_word = true;
                return c;
            }
            if std::mem::take(&mut starts_word) { to_lower(c) } else { c }
        })
        .collect()
}

/// goutils' `SwapCase`.
fn swapcase(text: &str) -> String {
    let mut after_space = true;
    text.chars()
        .map(|c| {
            if is_upper(c) || is_title(c) {
                after_space = false;
                to_lower(c)
            } else if is_lower(c) {
                if std::mem::take(&mut after_space) { to_title(c) } else { to_upper(c) }
            } else {
                after_space = is_space(c);
                c
            }
        })
        .collect()
}

/// goutils' `Initials`, which treats bytes as characters.
fn initials(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let mut after_gap = true;
    let mut initials = String::new();
    for &byte in arguments[0].bytes() {
        if is_space(char::from(byte)) {
            after_gap = true;
        } else if std::mem::take(&mut after_gap) {
            initials.push(char::from(byte));
        }
    }
    Ok(Value::from(initials))
}

fn plural(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [one, many, count] = arguments else { return Ok(Value::NIL) };
    let chosen = if int(count) == 1 { one } else { many };
    Ok(chosen.clone().decided_by(&mut context.tracker, count))
}

fn is_connector(c: char) -> bool {
    c == '-' || c == '_' || is_space(c)
}

/// xstrings' `ToPascalCase`.
fn camelcase(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    let mut last = loop {
        match chars.next() {
            None => return out,
            Some(c) if is_connector(c) => {
                // A lone connector is repeated as the last rune.
                out.push(c);
                if chars.as_str().is_empty() {
                    out.push(c);
                    return out;
                }
            }
            Some(c) => break c,
        }
    };
    let mut after_upper = is_upper(last);
    last = to_upper(last);
    for c in chars {
        let before = std::mem::replace(&mut last, c);
        if is_connector(c) && is_connector(before) {
            out.push(before);
            continue;
        }
        if is_connector(before) {
            after_upper = is_upper(c);
            last = to_upper(c);
            continue;
        }
        if after_upper {
            if is_upper(c) {
                last = to_lower(c);
            } else {
                after_upper = false;
            }
        }
        out.push(before);
    }
    out.push(last);
    out
}

/// The kinds of words that xstrings splits a text into.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    Invalid,
    Number,
    Upper,
    Alphabet,
    Connector,
    Punctuation,
    Other,
}

/// xstrings' `ToSnakeCase` and `ToKebabCase`.
fn joined(text: &str, connector: char) -> String {
    let mut out = String::new();
    if text.is_empty() {
        return out;
    }
    let (mut kind, mut word, mut rest) = next_word(text);
    let breaks = |kind| !matches!(kind, Word::Connector | Word::Punctuation);
    while !rest.is_empty() {
        if kind != Word::Connector {
            push_lower(&mut out, kind, word, connector);
        }
        let (before, last) = (kind, word);
        (kind, word, rest) = next_word(rest);
        match before {
            Word::Number => {
                join_letters(&mut out, (&mut kind, &mut word, &mut rest), connector);
            }
            Word::Connector => push_lower(&mut out, before, last, connector),
            Word::Punctuation => {}
            _ if kind != Word::Number => {
                if breaks(kind) {
                    out.push(connector);
                }
            }
            _ if rest.is_empty() => {}
            _ => {
                let number = word;
                (kind, word, rest) = next_word(rest);
                if kind == Word::Alphabet {
                    out.push(connector);
                    push_lower(&mut out, Word::Number, number, connector);
                    join_letters(&mut out, (&mut kind, &mut word, &mut rest), connector);
                } else {
                    push_lower(&mut out, Word::Number, number, connector);
                    if breaks(kind) {
                        out.push(connector);
                    }
                }
            }
        }
    }
    push_lower(&mut out, kind, word, connector);
    out
}

/// Appends a number together with the lower-case letters and numbers behind it.
fn join_letters<'t>(
    out: &mut String,
    (kind, word, rest): (&mut Word, &mut &'t str, &mut &'t str),
    connector: char,
) {
    while matches!(*kind, Word::Alphabet | Word::Number) {
        push_lower(out, *kind, word, connector);
        (*kind, *word, *rest) = next_word(rest);
    }
    if !matches!(*kind, Word::Invalid | Word::Punctuation | Word::Connector) {
        out.push(connector);
    }
}

fn push_lower(out: &mut String, kind: Word, word: &str, connector: char) {
    if !matches!(kind, Word::Upper | Word::Connector) {
        return out.push_str(word);
    }
    out.extend(word.chars().map(|c| if is_connector(c) { connector } else { to_lower(c) }));
}

/// The first word of a text, and the rest.
fn next_word(text: &str) -> (Word, &str, &str) {
    let mut chars = text.chars();
    let Some(first) = chars.next() else { return (Word::Invalid, "", "") };
    let tail = chars.as_str();
    let run = |test: &dyn Fn(char) -> bool| tail.find(|c| !test(c)).unwrap_or(tail.len());
    let is_small = |c: char| is_alphabet(c) && !is_upper(c);
    let (kind, len) = if is_connector(first) {
        (Word::Connector, run(&is_connector))
    } else if is_punctuation(first) {
        (Word::Punctuation, run(&is_punctuation))
    } else if is_upper(first) {
        (Word::Upper, upper_len(tail))
    } else if is_alphabet(first) {
        (Word::Alphabet, run(&is_small))
    } else if is_number(first) {
        (Word::Number, run(&is_number))
    } else {
        let ends = |c| is_connector(c) || is_alphabet(c) || is_number(c) || is_punctuation(c);
        (Word::Other, run(&|c| !ends(c)))
    };
    let (word, rest) = text.split_at(first.len_utf8() + len);
    (kind, word, rest)
}

/// The length of the rest of a word after its upper-case first letter: `TTP` of `HTTPStatus`.
fn upper_len(tail: &str) -> usize {
    let Some(next) = tail.chars().next() else { return 0 };
    if is_upper(next) {
        let len = tail.find(|c| !is_upper(c)).unwrap_or(tail.len());
        let before_letter = tail[len..].chars().next().is_some_and(is_alphabet);
        let last = tail[..len].chars().next_back().map_or(0, char::len_utf8);
        return if before_letter { len - last } else { len };
    }
    tail.find(|c| !is_alphabet(c) || is_upper(c)).unwrap_or(tail.len())
}

/// Whether a character is a letter of an alphabet, which Chinese characters are not.
fn is_alphabet(c: char) -> bool {
    let is_han = matches!(c, '\u{4e00}'..='\u{9fcc}' | '\u{3400}'..='\u{4d85}')
        || matches!(c, '\u{20000}'..='\u{2b81d}');
    is_letter(c) && !is_han
}

fn is_punctuation(c: char) -> bool {
    crate::unicode::is_punctuation(c)
}
