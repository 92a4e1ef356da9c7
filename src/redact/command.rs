//! Secrets in command lines: values of flags, and arguments of known tools.

use std::collections::BTreeSet;

use memchr::memmem;
use yaml_spans::Span;

use super::{
    Search, names,
    text::{is_name_byte, is_shell_reference, is_value, quote, quoted, word_end},
};

/// Flags that take a secret although their names do not suggest it.
const TOOL_FLAGS: [(&str, &str); 10] = [
    ("curl", "--proxy-user"),
    ("curl", "--user"),
    ("curl", "-u"),
    ("ldapmodify", "-w"),
    ("ldapsearch", "-w"),
    ("mongo", "-p"),
    ("mongodump", "-p"),
    ("mongosh", "-p"),
    ("redis-cli", "-a"),
    ("sshpass", "-p"),
];

/// Tools that take the password in the same word as the flag: `-phunter2`.
const ATTACHED_PASSWORD: [&str; 6] =
    ["mariadb", "mariadb-admin", "mariadb-dump", "mysql", "mysqladmin", "mysqldump"];

/// Finds secrets in all commands of the text.
pub(super) fn search(search: &mut Search<'_>) {
    flags(search);
    tool_flags(search);
    literals(search);
}

/// The tools whose flags are known.
pub(super) fn tools() -> impl Iterator<Item = &'static str> {
    TOOL_FLAGS.iter().map(|(tool, _)| *tool).chain(ATTACHED_PASSWORD)
}

/// The tool that a word runs, if its flags are known.
pub(super) fn tool(word: &str) -> Option<&'static str> {
    let name = word.rsplit('/').next()?;
    tools().find(|tool| *tool == name)
}

/// True for a flag whose value, the next word, is a secret.
pub(super) fn takes_secret(flag: &str, tool: Option<&str>) -> bool {
    let own = tool.is_some_and(|tool| TOOL_FLAGS.contains(&(tool, flag)));
    own || (!flag.contains(['=', ' ']) && names::is_secret(flag))
}

/// The length in bytes of the secret at the end of a word: `--password=…`, `PGPASSWORD=…`, `mysql -p…`.
pub(super) fn secret_in_flag(word: &str, tool: Option<&str>) -> Option<usize> {
    if let Some(password) = word.strip_prefix("-p")
        && tool.is_some_and(|tool| ATTACHED_PASSWORD.contains(&tool))
    {
        return (!password.is_empty() && !is_shell_reference(password)).then_some(password.len());
    }
    let (name, value) = word.strip_prefix("--from-literal=").unwrap_or(word).split_once('=')?;
    let named = word.starts_with("--from-literal=") || names::is_secret(name);
    let is_name = name.bytes().all(is_name_byte);
    (named && is_name && is_value(value, name)).then_some(value.len())
}

/// `--password hunter2`.
fn flags(search: &mut Search<'_>) {
    let text = search.text;
    let bytes = text.as_bytes();
    for at in memchr::memchr_iter(b'-', bytes) {
        let starts = at == 0 || matches!(bytes[at - 1], b' ' | b'\t' | b'\n' | b'"' | b'\'');
        if !starts {
            continue;
        }
        let length = bytes[at..].iter().take_while(|byte| is_name_byte(**byte)).count();
        let (flag, rest) = text[at..].split_at(length);
        if flag.len() > 2 && names::is_secret(flag) {
            let gap = gap(rest);
            if gap > 0 {
                add_word(&rest[gap..], at + length + gap, flag, search);
            }
        }
    }
}

/// The number of bytes between a flag and its value, which is the next word or the next list item; 0 without one.
fn gap(rest: &str) -> usize {
    let word = rest.trim_start_matches([' ', '\t']);
    if word.len() < rest.len() && !word.starts_with(['\n', '\r', '#', ',', '"', '\'']) {
        return rest.len() - word.len();
    }
    let item = rest.trim_start_matches(['"', '\'']).trim_start();
    let next = item.strip_prefix("- ").filter(|_| rest[..rest.len() - item.len()].contains('\n'));
    let next = next.or_else(|| item.strip_prefix(',')).map(str::trim_start);
    next.map_or(0, |next| rest.len() - next.len())
}

/// Adds the next word as a secret, unless it is another flag.
fn add_word(rest: &str, at: usize, flag: &str, search: &mut Search<'_>) {
    let word = rest.trim_start_matches([' ', '\t']);
    let at = at + rest.len() - word.len();
    let range = quote(word).map_or(0..word_end(word), |quote| quoted(word, quote));
    let value = &word[range.clone()];
    if !value.starts_with('-') && is_value(value, flag) {
        search.add(Span::new(at + range.start, at + range.end), None);
    }
}

/// `mysql -phunter2`, `curl -u user:hunter2`.
fn tool_flags(search: &mut Search<'_>) {
    let text = search.text;
    for name in tools().collect::<BTreeSet<_>>() {
        for at in memmem::find_iter(text.as_bytes(), name) {
            let end = at + name.len();
            if text[end..].starts_with([' ', '\t']) {
                command(name, end, search);
            }
        }
    }
}

/// Searches the words of one command after its name.
fn command(tool: &str, mut at: usize, search: &mut Search<'_>) {
    let text = search.text;
    let mut flag: Option<&str> = None;
    loop {
        at = skip_blank(text, at);
        let word = &text[at..];
        let length = quote(word).map_or_else(
            || word_end(word),
            |quote| {
                let end = quoted(word, quote).end;
                if word[end..].starts_with(quote) { end + quote.len() } else { end }
            },
        );
        if length == 0 {
            return;
        }
        let content = word[..length].trim_matches(['"', '\'']);
        if let Some(flag) = flag.take().filter(|flag| takes_secret(flag, Some(tool))) {
            add_word(word, at, flag, search);
        } else if let Some(secret) = secret_in_flag(content, Some(tool)) {
            let end = at + word[..length].trim_end_matches(['"', '\'']).len();
            search.add(Span::new(end - secret, end), None);
        }
        flag = content.starts_with('-').then_some(content);
        at += length;
    }
}

/// Skips white space and line continuations.
fn skip_blank(text: &str, mut at: usize) -> usize {
    loop {
        let blank = [" ", "\t", "\\\n", "\\\r\n"].into_iter().find(|b| text[at..].starts_with(b));
        match blank {
            Some(blank) => at += blank.len(),
            None => return at,
        }
    }
}

/// `--from-literal=name=hunter2` of `kubectl create secret`, also with quotes, or as two words.
fn literals(search: &mut Search<'_>) {
    const FLAG: &str = "--from-literal";
    let text = search.text;
    for at in memmem::find_iter(text.as_bytes(), FLAG) {
        let rest = &text[at + FLAG.len()..];
        let Some(pair) = rest.strip_prefix(['=', ' ']) else { continue };
        let range = quote(pair).map_or(0..word_end(pair), |quote| quoted(pair, quote));
        let Some((name, value)) = pair[range.clone()].split_once('=') else { continue };
        let start = text.len() - pair.len() + range.start + name.len() + 1;
        // `name="a b"`
        let own = &text[start..];
        let inner = quote(own).filter(|_| value.is_empty()).map(|quote| quoted(own, quote));
        let inner = inner.unwrap_or(0..value.len());
        let value = &own[inner.clone()];
        if !value.is_empty() && !is_shell_reference(value) {
            search.add(Span::new(start + inner.start, start + inner.end), None);
        }
    }
}
