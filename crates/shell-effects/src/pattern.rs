//! Matches command lines, statements and requests against catalogue entries.

use super::catalogue::{Catalogue, Entry, Language};

/// The best entry for something and the last of its words that the entry named.
#[derive(Clone, Copy)]
pub(super) struct Match<'c> {
    pub entry: &'c Entry,
    /// Index of a word; for statements and requests a byte range of the text.
    pub last: (usize, usize),
    /// A flag or text that makes it safe was there.
    pub excused: bool,
    weight: usize,
}

/// The entry that says most about a command line.
pub(super) fn command<'c>(catalogue: &'c Catalogue, words: &[&str]) -> Option<Match<'c>> {
    let name = program_name(words.first()?);
    best(catalogue.program(name).filter_map(|entry| match_command(entry, words)))
}

/// The entry that says most about one statement.
pub(super) fn statement<'c>(
    catalogue: &'c Catalogue,
    language: Language,
    text: &str,
) -> Option<Match<'c>> {
    best(catalogue.statements(language).filter_map(|entry| match_statement(entry, language, text)))
}

/// The entry that says most about an HTTP request.
pub(super) fn request<'c>(
    catalogue: &'c Catalogue,
    method: &str,
    words: &[&str],
) -> Option<Match<'c>> {
    best(catalogue.requests().filter_map(|entry| match_request(entry, method, words)))
}

/// The name of a program without its folder and without what only tells versions apart.
pub(super) fn program_name(word: &str) -> &str {
    let base = word.rsplit('/').next().unwrap_or(word);
    let base = base.strip_suffix(".exe").unwrap_or(base);
    let stem = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    match stem {
        "python" | "pip" | "ruby" | "node" | "php" => stem,
        _ => SAME.iter().find(|(name, _)| *name == base).map_or(base, |(_, same)| same),
    }
}

/// Programs that take the words of another one.
const SAME: [(&str, &str); 7] = [
    ("awslocal", "aws"),
    ("bao", "vault"),
    ("forgejo", "gitea"),
    ("keydb-cli", "redis-cli"),
    ("mcli", "mc"),
    ("valkey-cli", "redis-cli"),
    ("ycqlsh", "cqlsh"),
];

/// Whether the flag is among the words: whole, with `=value`, or one letter of a cluster like `-xvf`.
pub(super) fn has_flag(words: &[&str], flag: &str) -> bool {
    words.iter().any(|word| is_flag(word, flag))
}

fn is_flag(word: &str, flag: &str) -> bool {
    let Some(rest) = word.strip_prefix(flag) else { return in_cluster(word, flag) };
    rest.is_empty() || rest.starts_with('=') || in_cluster(word, flag)
}

fn in_cluster(word: &str, flag: &str) -> bool {
    let (Some(letters), Some(letter)) = (word.strip_prefix('-'), flag.strip_prefix('-')) else {
        return false;
    };
    let cluster = letters.len() <= 5 && letters.bytes().all(|b| b.is_ascii_alphabetic());
    letter.len() == 1 && cluster && letters.contains(letter)
}

/// The values of a flag: `-o x`, `-o=x`, `--out x`; for `last` the last operand, for
/// `sources` all others.
pub(super) fn flag_values<'v>(values: &[&'v str], flag: &str) -> Vec<&'v str> {
    if matches!(flag, "last" | "sources") {
        let operands = values.iter().skip(1).filter(|word| !word.starts_with('-')).copied();
        let mut operands: Vec<_> = operands.collect();
        let last = operands.pop();
        return if flag == "last" { last.into_iter().collect() } else { operands };
    }
    let mut found = Vec::new();
    for (index, value) in values.iter().enumerate() {
        if let Some(rest) = value.strip_prefix(flag) {
            let next = values.get(index + 1).copied();
            found.extend(if rest.is_empty() { next } else { rest.strip_prefix('=') });
        }
    }
    found
}

/// The later of two that weigh the same wins: users' entries come last.
fn best<'c>(matches: impl Iterator<Item = Match<'c>>) -> Option<Match<'c>> {
    matches.max_by_key(|found| found.weight)
}

fn match_command<'c>(entry: &'c Entry, words: &[&str]) -> Option<Match<'c>> {
    let mut tokens = entry.run.as_deref()?.split_whitespace();
    tokens.next();
    let (mut at, mut last, mut weight) = (1, 0, 10);
    for token in tokens {
        let found = match token.starts_with('-') {
            true => words.iter().position(|word| is_flag(word, token))?,
            false => subcommand(words, &mut at, token)?,
        };
        last = found;
        weight += if token == "*" { 1 } else { 10 };
    }
    if !entry.when.is_empty() {
        weight += 5;
        let flag = entry.when.iter().find(|item| mentions(words, item))?;
        last = words.iter().position(|word| is_flag(word, flag)).unwrap_or(last);
    }
    let added = entry.insert.iter().filter(|insert| insert.starts_with('-'));
    let excused = entry.unless.iter().chain(added).any(|item| mentions(words, item));
    Some(Match { entry, last: (last, last), excused, weight })
}

/// The next word that is neither a flag nor, perhaps, the value of one must be `token`.
fn subcommand(words: &[&str], at: &mut usize, token: &str) -> Option<usize> {
    let mut value_may_follow = false;
    while let Some(word) = words.get(*at) {
        *at += 1;
        if word.starts_with('-') && word.len() > 1 {
            value_may_follow = !word.contains('=');
        } else if token == "*" && std::mem::take(&mut value_may_follow) {
            // More flags take a value than do not.
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

/// `*` is any word, `describe-*` any that starts so.
fn is_name(word: &str, name: &str) -> bool {
    name.strip_suffix('*').map_or(word == name, |start| word.starts_with(start))
}

/// A flag among the words, or a text in one of them.
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
    Some(Match { entry, last, excused, weight })
}

/// The bytes of the last word of `pattern` in `text`, which must start with the pattern.
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

/// The words of a statement and their offsets; what is neither letter, digit nor `_` separates them.
pub(super) fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let separator = |c: char| !(c.is_alphanumeric() || c == '_' || c == '$' || c == '\\');
    let start = text.as_ptr() as usize;
    let words = text.split(separator).filter(|word| !word.is_empty());
    words.map(move |word| (word.as_ptr() as usize - start, word))
}

/// Whether the words of `item` stand in `text` one after the other.
fn contains_words(text: &str, item: &str) -> bool {
    let wanted: Vec<_> = item.split_whitespace().collect();
    let words: Vec<_> = words_of(text).map(|(_, word)| word).collect();
    words.windows(wanted.len().max(1)).any(|window| window == wanted)
}

fn match_request<'c>(entry: &'c Entry, method: &str, words: &[&str]) -> Option<Match<'c>> {
    let (wanted, url) = match entry.request.as_deref()?.split_once(' ') {
        Some((wanted, url)) => (wanted, url),
        None => (entry.request.as_deref()?, ""),
    };
    if wanted.split('|').all(|name| name != method) {
        return None;
    }
    let last = words.iter().position(|word| word.contains(url) && word.contains("://"));
    let last = last.or_else(|| words.iter().position(|word| word.contains(url)))?;
    if !entry.when.is_empty() && !entry.when.iter().any(|item| mentions(words, item)) {
        return None;
    }
    let excused = entry.unless.iter().any(|item| mentions(words, item));
    let weight = 10 + url.len() + 5 * usize::from(!entry.when.is_empty());
    Some(Match { entry, last: (last, last), excused, weight })
}
