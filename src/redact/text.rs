//! Secrets that are recognisable by the words around them: in scripts, URLs, comments and invalid documents.

use memchr::memmem;
use yaml_spans::{Span, char_start};

use super::{MIN_LENGTH, Search, command, kept, names};

/// Maximum length of a name before a `=` or `:`.
const MAX_NAME: usize = 128;

/// Finds secrets in a text of any language.
pub(super) fn search(search: &mut Search<'_>) {
    assignments(search);
    urls(search);
    headers(search);
    statements(search);
    command::search(search);
    private_keys(search);
}

/// Finds every occurrence of a secret value.
pub(super) fn search_value(value: &str, search: &mut Search<'_>) {
    for line in value.lines().map(str::trim).filter(|line| line.len() >= MIN_LENGTH) {
        for at in memmem::find_iter(search.text.as_bytes(), line) {
            let span = Span::new(at, at + line.len());
            if !kept::is_key(search.text, span) {
                search.add(span, None);
            }
        }
    }
}

/// True for text that only refers to a secret: `$(DB_PASSWORD)`, `${X}`, `{{ .Values.x }}`.
pub(super) fn is_reference(text: &str) -> bool {
    let text = text.trim();
    text.starts_with("$(")
        || text.starts_with('`')
        || text.contains("{{")
        || (text.starts_with("${") && ![":-", ":="].iter().any(|default| text.contains(default)))
}

/// True for references as a shell reads them, which include `$DB_PASSWORD` and `$USER.key`.
pub(super) fn is_shell_reference(text: &str) -> bool {
    let name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    is_reference(text)
        || text.trim().strip_prefix('$').is_some_and(|rest| {
            let capitals =
                rest.bytes().take_while(|byte| name(*byte) && !byte.is_ascii_lowercase());
            rest.bytes().all(name) || capitals.count() > 1
        })
}

/// True for `true`, `off` and similar values, which are never secrets.
pub(super) fn is_switch(text: &str) -> bool {
    matches!(text, "true" | "false" | "yes" | "no" | "on" | "off" | "null" | "~")
}

/// `name=value`, `name: value`, `"name": "value"`, `${NAME:-value}`.
fn assignments(search: &mut Search<'_>) {
    let text = search.text;
    let mut done = 0;
    for at in memchr::memchr2_iter(b'=', b':', text.as_bytes()) {
        if at < done {
            continue;
        }
        let Some(name) = SecretName::before(text, at).or_else(|| SecretName::beside(text, at))
        else {
            continue;
        };
        if let Some(span) = name.value(text, at) {
            done = span.end as usize;
            search.add(span, None);
        }
    }
}

/// The name of a secret before a separator.
struct SecretName<'a> {
    name: &'a str,
    /// In quotes, as in JSON.
    quoted: bool,
    /// In a parameter expansion: `${NAME`.
    expanded: bool,
    /// The first word of its line, after indentation, dashes and a comment sign.
    first: bool,
}

impl<'a> SecretName<'a> {
    fn before(text: &'a str, separator: usize) -> Option<Self> {
        let bytes = text.as_bytes();
        let before = |at: usize| at.checked_sub(1).map(|at| bytes[at]);
        let mut end = separator;
        while separator - end < 4 && matches!(before(end), Some(b' ' | b'\t')) {
            end -= 1;
        }
        let quoted = matches!(before(end), Some(b'"' | b'\''));
        if quoted {
            end -= 1;
            end -= usize::from(before(end) == Some(b'\\'));
        }
        let mut start = end;
        while end - start < MAX_NAME && before(start).is_some_and(is_name_byte) {
            start -= 1;
        }
        let name = &text[start..end];
        let header = name.eq_ignore_ascii_case("authorization");
        if name.len() < 3 || !(header || names::is_secret(name)) {
            return None;
        }
        let expanded = text[..start].ends_with("${");
        if !expanded && before(start) == Some(b'$') {
            return None;
        }
        Some(Self { name, quoted, expanded, first: is_first(bytes, start) })
    }

    /// The `name:` of a pair, before its `value:` or on the next line.
    fn beside(text: &'a str, separator: usize) -> Option<Self> {
        const NEAR: usize = 300;
        let key = text[..separator].trim_end_matches(['"', '\'']);
        let before = key.strip_suffix("value").filter(|_| text.as_bytes()[separator] == b':')?;
        let near = &before[char_start(before, before.len().saturating_sub(NEAR))..];
        // The name must not belong to another item of the list.
        let own = near.rfind("value").map_or(near, |at| &near[at..]);
        let after = text[separator..].split_once('\n').map_or("", |(_, next)| next).trim_start();
        let name = ["name", "key"].into_iter().find_map(|key| {
            let before = own.rfind(key).map(|at| &own[at + key.len()..]);
            let before =
                before.filter(|rest| rest.trim_start_matches(['"', '\'']).starts_with(':'));
            let rest = before.or_else(|| after.strip_prefix(key))?;
            let rest = rest.trim_start_matches(['"', '\'', ':', ' ']);
            let length = rest.bytes().take_while(|byte| is_name_byte(*byte)).count();
            Some(&rest[..length]).filter(|name| names::is_secret(name))
        })?;
        let quoted = key.len() < separator;
        let first = is_first(text.as_bytes(), before.len());
        Some(Self { name, quoted, expanded: false, first })
    }

    /// The span of the value after the separator.
    fn value(&self, text: &str, separator: usize) -> Option<Span> {
        let rest = &text[separator + 1..];
        if self.expanded {
            let default = rest.strip_prefix(['-', '='])?;
            let length = default.find(['}', '\n'])?;
            return (length > 0).then(|| Span::new(separator + 2, separator + 2 + length));
        }
        let colon = text.as_bytes()[separator] == b':';
        if colon && !self.quoted && !rest.starts_with([' ', '\t', '"', '\'', '\\']) {
            return None;
        }
        let value = after_tags(rest.trim_start_matches([' ', '\t']));
        let at = text.len() - value.len();
        if let Some(default) = template_default(value) {
            return Some(Span::new(at + default.start, at + default.end));
        }
        let range = match quote(value) {
            Some(quote) => quoted(value, quote),
            None if self.first && (colon || self.name.contains('.')) => 0..line_end(value),
            None => 0..word_end(value),
        };
        let range = self.without_scheme(value, range);
        let secret = &value[range.clone()];
        let opens = colon && secret.starts_with(['{', '[', '|', '>', '*']);
        (!opens && is_value(secret, self.name)).then(|| Span::new(at + range.start, at + range.end))
    }

    /// The credentials of `Authorization: Bearer …`, after the scheme.
    fn without_scheme(&self, value: &str, range: std::ops::Range<usize>) -> std::ops::Range<usize> {
        if !self.name.eq_ignore_ascii_case("authorization") {
            return range;
        }
        let end = range.start + word_end(&value[range.start..]);
        if !value[end..].starts_with(' ') {
            // The word is all there is: `-H "Authorization: $TOKEN" https://shop.example`.
            return range;
        }
        end + 1..end + 1 + word_end(&value[end + 1..])
    }
}

/// `https://user:hunter2@host`, `https://long-token@host`.
fn urls(search: &mut Search<'_>) {
    let text = search.text;
    for at in memmem::find_iter(text.as_bytes(), "://") {
        let start = at + 3;
        let ends = |c: char| c.is_whitespace() || "/\"'?#<>`".contains(c);
        let authority =
            &text[start..start + text[start..].find(ends).unwrap_or(text.len() - start)];
        let Some((user, _)) = authority.rsplit_once('@') else { continue };
        let secret = match user.split_once(':') {
            Some((_, password)) => password,
            None if user.len() >= 20 => user,
            None => continue,
        };
        if !secret.is_empty() && !is_shell_reference(secret) {
            let end = start + user.len();
            search.add(Span::new(end - secret.len(), end), None);
        }
    }
}

/// `Bearer eyJ…` and `Basic dXNlcjpw…` anywhere in the text.
fn headers(search: &mut Search<'_>) {
    let text = search.text;
    for scheme in ["Bearer ", "bearer ", "Basic "] {
        for at in memmem::find_iter(text.as_bytes(), scheme) {
            let start = at + scheme.len();
            let end = start + word_end(&text[start..]);
            let token = &text[start..end];
            if token.len() >= 8 && token.bytes().any(|byte| byte.is_ascii_digit() || byte == b'=') {
                search.add(Span::new(start, end), None);
            }
        }
    }
}

/// `ALTER USER shop PASSWORD 'hunter2'`, `IDENTIFIED BY "hunter2"`.
fn statements(search: &mut Search<'_>) {
    let text = search.text;
    for words in ["PASSWORD ", "password ", "IDENTIFIED BY ", "identified by "] {
        for at in memmem::find_iter(text.as_bytes(), words) {
            let rest = text[at + words.len()..].trim_start_matches('\\');
            let Some(quote) = rest.chars().next().filter(|one| "'\"".contains(*one)) else {
                continue;
            };
            let start = text.len() - rest.len() + 1;
            let Some(length) = text[start..].find(quote) else { continue };
            let length = text[start..start + length].trim_end_matches('\\').len();
            let value = &text[start..start + length];
            if !value.contains('\n') && is_value(value.trim_matches(['"', '\'']), "password") {
                search.add(Span::new(start, start + length), None);
            }
        }
    }
}

/// The content of PEM private keys.
fn private_keys(search: &mut Search<'_>) {
    let text = search.text;
    for at in memmem::find_iter(text.as_bytes(), "-----BEGIN ") {
        let head = &text[at..char_start(text, at + 60)];
        if let Some(length) = head.find("PRIVATE KEY-----") {
            let start = at + length + "PRIVATE KEY-----".len();
            search.add_key(Span::new(start, start + key_length(&text[start..])));
        }
    }
}

/// The length of a private key after its first line: up to its last line or, if that is missing, as far as the lines
/// can be its content.
fn key_length(text: &str) -> usize {
    let next = text.find("-----BEGIN").unwrap_or(text.len());
    if let Some(length) = text[..next].find("-----END") {
        return length;
    }
    let mut lines = text.split_inclusive('\n');
    // The rest of the first line may hold the whole key, with escaped line breaks.
    let first = lines.next().map_or(0, str::len);
    first + lines.take_while(|line| is_key_line(line)).map(str::len).sum::<usize>()
}

/// True for a line of base64, perhaps in a comment.
pub(super) fn is_key_line(line: &str) -> bool {
    const SHORTEST: usize = 16;
    let line = line.trim().trim_start_matches(['#', ' ']);
    let content = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    line.bytes().all(content) && (line.len() >= SHORTEST || line.ends_with('='))
}

/// True for a value that is not empty, a reference or a switch; a number only if the name is that of a password.
pub(super) fn is_value(value: &str, name: &str) -> bool {
    let plain = value.trim();
    let number = plain.parse::<f64>().is_ok();
    !plain.is_empty()
        && !is_shell_reference(plain)
        && !is_switch(plain)
        && (!number || names::is_password(name))
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// True if only indentation and dashes precede the offset on its line, or the line is a comment.
fn is_first(bytes: &[u8], at: usize) -> bool {
    let near = &bytes[at.saturating_sub(256)..at];
    let line = match memchr::memrchr(b'\n', near) {
        Some(at) => &near[at + 1..],
        None if near.len() == at => near,
        None => return false,
    };
    let line = line.trim_ascii_start();
    line.starts_with(b"#") || line.iter().all(|byte| matches!(byte, b' ' | b'-' | b'"'))
}

/// Skips the anchor and the tag of a YAML value.
fn after_tags(value: &str) -> &str {
    let mut value = value;
    while value.starts_with(['&', '!']) {
        let Some(end) = value.find([' ', '\n']) else { break };
        value = value[end..].trim_start_matches(' ');
    }
    value
}

/// The literal after `default` in a template action.
pub(super) fn template_default(value: &str) -> Option<std::ops::Range<usize>> {
    let line = &value[..value.find('\n').unwrap_or(value.len())];
    let start = line.find("{{").and_then(|at| Some(at + line[at..].find("default \"")? + 9))?;
    let length = line[start..].find('"')?;
    (length > 0).then(|| start..start + length)
}

/// The opening quote of a value, which may be escaped.
pub(super) fn quote(value: &str) -> Option<&'static str> {
    ["\"", "'", "\\\""].into_iter().find(|quote| value.starts_with(quote))
}

/// The content of a quoted value; up to the end of the line without a closing quote.
pub(super) fn quoted(value: &str, quote: &str) -> std::ops::Range<usize> {
    let value = &value[..value.find('\n').unwrap_or(value.len())];
    let start = quote.len();
    let mut at = start;
    while let Some(length) = value[at..].find(quote) {
        at += length;
        let escaped = quote == "\"" && value[start..at].ends_with('\\');
        if !escaped {
            return start..at;
        }
        at += quote.len();
    }
    start..value.len()
}

fn line_end(value: &str) -> usize {
    let line = &value[..value.find(['\n', '\r']).unwrap_or(value.len())];
    line.find(" #").map_or(line.trim_end().len(), |comment| line[..comment].trim_end().len())
}

pub(super) fn word_end(value: &str) -> usize {
    let ends = |c: char| c.is_whitespace() || ",;&|)<>}]\"'`\\".contains(c);
    value.find(ends).unwrap_or(value.len())
}
