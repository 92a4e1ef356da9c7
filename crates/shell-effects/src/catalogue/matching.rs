//! Finds the entry that matches a command line, statement or request best.

use super::{Catalogue, Entry, Language};
use crate::command_line::{has_flag, is_flag, program_name};

/// An entry and what it matched.
#[derive(Clone)]
pub(crate) struct Match<'c> {
    pub(crate) entry: &'c Entry,
    /// The indices of the matched words after the program; empty for statements and requests.
    pub(crate) words: Vec<usize>,
    /// The last matched word: its index twice, or for statements its byte range.
    pub(crate) last: (usize, usize),
    /// A flag or text makes the command safe.
    pub(crate) excused: bool,
    /// How specific the match is.
    weight: usize,
}

impl Catalogue {
    /// The most specific entry about a command line.
    pub(crate) fn command(&self, words: &[&str]) -> Option<Match<'_>> {
        let name = program_name(words.first()?);
        best(self.program(name).filter_map(|entry| match_command(entry, words)))
    }

    /// The most specific entry about one statement.
    pub(crate) fn statement(&self, language: Language, text: &str) -> Option<Match<'_>> {
        best(self.statements(language).filter_map(|entry| match_statement(entry, language, text)))
    }

    /// The most specific entry about an HTTP request.
    pub(crate) fn request(&self, method: &str, words: &[&str]) -> Option<Match<'_>> {
        best(self.requests().filter_map(|entry| match_request(entry, method, words)))
    }
}

/// Of equally specific entries the last wins, because users' entries come last.
fn best<'c>(matches: impl Iterator<Item = Match<'c>>) -> Option<Match<'c>> {
    matches.max_by_key(|found| found.weight)
}

fn match_command<'c>(entry: &'c Entry, words: &[&str]) -> Option<Match<'c>> {
    let mut tokens = entry.run.as_deref()?.split_whitespace();
    tokens.next();
    let (mut at, mut last, mut weight) = (1, 0, 10);
    let mut matched = Vec::new();
    for token in tokens {
        let found = match token.starts_with('-') {
            true => words.iter().position(|word| is_flag(word, token))?,
            false => subcommand(words, &mut at, token)?,
        };
        last = found;
        matched.push(found);
        weight += if token == "*" { 1 } else { 10 };
    }
    if !entry.when.is_empty() {
        weight += 5;
        let flag = entry.when.iter().find(|item| mentions(words, item))?;
        last = words.iter().position(|word| is_flag(word, flag)).unwrap_or(last);
    }
    let added = entry.insert.iter().filter(|insert| insert.starts_with('-'));
    let excused = entry.unless.iter().chain(added).any(|item| mentions(words, item));
    Some(Match { entry, words: matched, last: (last, last), excused, weight })
}

/// The index of the next subcommand, if it is `token`. Flags and words that may be their values are skipped.
fn subcommand(words: &[&str], at: &mut usize, token: &str) -> Option<usize> {
    let mut value_may_follow = false;
    while let Some(word) = words.get(*at) {
        *at += 1;
        if word.starts_with('-') && word.len() > 1 {
            value_may_follow = !word.contains('=');
        } else if token == "*" && std::mem::take(&mut value_may_follow) {
            // Most flags take a value.
        } else if token.split('|').any(|name| is_name(word, name)) {
            return Some(*at - 1);
        } else if word.starts_with('$') {
            // `kubectl $FLAGS create`
        } else if !std::mem::take(&mut value_may_follow) {
            return None;
        }
    }
    None
}

/// `*` matches any word, `describe-*` any word with that prefix.
fn is_name(word: &str, name: &str) -> bool {
    name.strip_suffix('*').map_or(word == name, |start| word.starts_with(start))
}

/// Whether the words have a flag, or an argument contains a text.
fn mentions(words: &[&str], item: &str) -> bool {
    match item.starts_with('-') {
        true => has_flag(words, item),
        false => words.iter().skip(1).any(|word| word.contains(item)),
    }
}

fn match_statement<'c>(entry: &'c Entry, language: Language, text: &str) -> Option<Match<'c>> {
    let pattern = entry.statement.as_deref()?;
    let upper = text.to_ascii_uppercase();
    let (last, weight) = match language.is_program() {
        true => {
            let at = text.find(pattern)?;
            ((at, at + pattern.trim_end_matches('(').len()), pattern.len())
        }
        false => match_words(pattern, &upper)?,
    };
    let contains = |item: &String| match language.is_program() {
        true => text.contains(item.as_str()),
        false => contains_words(&upper, item),
    };
    if !entry.when.is_empty() && !entry.when.iter().any(contains) {
        return None;
    }
    let excused = entry.unless.iter().any(contains);
    let weight = weight + 5 * usize::from(!entry.when.is_empty());
    Some(Match { entry, words: Vec::new(), last, excused, weight })
}

/// The byte range of the last word of `pattern` in `text`, which must start with the pattern; and the weight.
fn match_words(pattern: &str, text: &str) -> Option<((usize, usize), usize)> {
    let mut words = words_of(text);
    let (mut last, mut weight, mut skip) = ((0, 0), 0, false);
    for token in pattern.split_whitespace() {
        if token == "*" {
            skip = true;
            continue;
        }
        let found = if skip {
            words.find(|(_, word)| is_one_of(token, word))?
        } else {
            words.next().filter(|(_, word)| is_one_of(token, word))?
        };
        skip = false;
        last = (found.0, found.0 + found.1.len());
        weight += 10;
    }
    Some((last, weight))
}

fn is_one_of(names: &str, word: &str) -> bool {
    names.split('|').any(|name| name.eq_ignore_ascii_case(word))
}

/// The words of a statement and their offsets. Words consist of letters, digits, `_`, `$` and `\`.
pub(crate) fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let separator = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$' || c == '\\');
    let start = text.as_ptr() as usize;
    let words = text.split(separator).filter(|word| !word.is_empty());
    words.map(move |word| (word.as_ptr() as usize - start, word))
}

/// Whether `text` contains the words of `item` in sequence.
fn contains_words(text: &str, item: &str) -> bool {
    let wanted: Vec<_> = item.split_whitespace().collect();
    let words: Vec<_> = words_of(text).map(|(_, word)| word).collect();
    words.windows(wanted.len().max(1)).any(|window| window == wanted)
}

/// A word without the names of its variables, which say nothing about a URL: `https://$OPEN_SEARCH_HOST/_bulk`.
fn without_variables(word: &str) -> String {
    let mut parts = word.split('$');
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let behind = match part.strip_prefix('{') {
            Some(braced) => braced.split_once('}').map_or("", |(_, behind)| behind),
            None => part.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_'),
        };
        rest.push('$');
        rest.push_str(behind);
    }
    rest
}

fn match_request<'c>(entry: &'c Entry, method: &str, words: &[&str]) -> Option<Match<'c>> {
    let (wanted, url) = match entry.request.as_deref()?.split_once(' ') {
        Some((wanted, url)) => (wanted, url),
        None => (entry.request.as_deref()?, ""),
    };
    if wanted.split('|').all(|name| name != method) {
        return None;
    }
    let url = url.to_ascii_lowercase();
    let holds = |word: &str| without_variables(word).to_ascii_lowercase().contains(&url);
    let last = words.iter().position(|word| holds(word) && word.contains("://"));
    let last = last.or_else(|| words.iter().position(|word| holds(word)))?;
    if !entry.when.is_empty() && !entry.when.iter().any(|item| mentions(words, item)) {
        return None;
    }
    let excused = entry.unless.iter().any(|item| mentions(words, item));
    let weight = 10 + url.len() + 5 * usize::from(!entry.when.is_empty());
    Some(Match { entry, words: Vec::new(), last: (last, last), excused, weight })
}
