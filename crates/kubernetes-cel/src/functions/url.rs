//! URLs, as Go's `net/url` reads them.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::value::{Inner, Key, Opaque, Value};

use super::{Answer, Call, Failure, Function};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("url", |call| match parse(text(call)?, true) {
        Ok(url) => Ok(Value::Opaque(Opaque(Inner::Url(Arc::new(url))))),
        Err(why) => {
            Err(Failure::Error(format!("URL parse error during conversion from string: {why}")))
        }
    }),
    ("isURL", |call| Ok(Value::Bool(parse(text(call)?, false).is_ok()))),
    ("getScheme", |call| part(call, |url| url.scheme.clone())),
    ("getHost", |call| part(call, |url| url.host.clone())),
    ("getHostname", |call| part(call, |url| split_host(&url.host).0.to_owned())),
    ("getPort", |call| part(call, |url| split_host(&url.host).1.to_owned())),
    ("getEscapedPath", |call| part(call, |url| url.path.clone())),
    ("getQuery", |call| Ok(query(&one(call)?.query))),
];

/// An absolute URL, or an absolute path.
#[derive(Debug)]
pub(crate) struct Url {
    text: String,
    scheme: String,
    host: String,
    /// Escaped.
    path: String,
    query: String,
}

impl Url {
    pub(crate) fn text(&self) -> &str {
        &self.text
    }
}

fn text<'c>(call: &Call<'c>) -> Result<&'c str, Failure> {
    match call.arguments {
        [Value::String(text)] => Ok(text),
        _ => Err(Failure::NoOverload),
    }
}

fn one<'c>(call: &Call<'c>) -> Result<&'c Url, Failure> {
    match call.arguments {
        [Value::Opaque(Opaque(Inner::Url(url)))] => Ok(url),
        _ => Err(Failure::NoOverload),
    }
}

fn part(call: &Call, of: fn(&Url) -> String) -> Answer {
    one(call).map(|url| of(url).into())
}

/// Why a text is no URL, in Go's words; otherwise nothing.
pub(super) fn error(text: &str) -> Option<String> {
    parse(text, false).err()
}

/// A URL. With `fragment`, a fragment is cut off once the whole text is known to be one.
fn parse(text: &str, fragment: bool) -> Result<Url, String> {
    let url = parts(text).map_err(|why| format!("parse {text:?}: {why}"))?;
    match text.split_once('#').filter(|_| fragment) {
        Some((before, _)) => {
            let url = parts(before).map_err(|why| format!("parse {before:?}: {why}"))?;
            Ok(Url { text: text.to_owned(), ..url })
        }
        None => Ok(url),
    }
}

fn parts(text: &str) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if text.is_empty() {
        return Err("empty url".to_owned());
    }
    let mut url = Url {
        text: text.to_owned(),
        scheme: String::new(),
        host: String::new(),
        path: String::new(),
        query: String::new(),
    };
    if text == "*" {
        url.path = "*".to_owned();
        return Ok(url);
    }
    let (scheme, rest) = scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (mut rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    url.query = query.to_owned();
    if !rest.starts_with('/') {
        if scheme.is_empty() {
            return Err("invalid URI for request".to_owned());
        }
        return Ok(url);
    }
    if let Some(after) = rest.strip_prefix("//").filter(|_| !scheme.is_empty()) {
        let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
        url.host = host(authority, scheme)?;
        rest = path;
    }
    unescape(rest)?;
    url.path = escaped(rest);
    Ok(url)
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, character) in text.char_indices() {
        match character {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => return Ok(("", text)),
        }
    }
    Ok(("", text))
}

/// The host and the port of an authority.
fn host(authority: &str, scheme: &str) -> Result<String, String> {
    let (user, host) =
        authority.rsplit_once('@').map_or((None, authority), |(user, host)| (Some(user), host));
    let is_user = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if user.is_some_and(|user| !user.bytes().all(is_user)) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    unescape(user.unwrap_or_default())?;
    let port = match host.rfind('[') {
        Some(0) => {
            let end = host.rfind(']').ok_or("missing ']' in host")?;
            let address = host[1..end].split("%25").next().unwrap_or_default();
            if address.parse::<std::net::Ipv6Addr>().is_err() {
                return Err("invalid IP-literal".to_owned());
            }
            &host[end + 1..]
        }
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {
            let is_web = matches!(scheme, "http" | "https");
            let colon = if is_web { host.find(':') } else { host.rfind(':') };
            &host[colon.unwrap_or(host.len())..]
        }
    };
    let is_port = port.is_empty()
        || port.starts_with(':') && port[1..].bytes().all(|byte| byte.is_ascii_digit());
    if !is_port {
        return Err(format!("invalid port {port:?} after host"));
    }
    if let Some(invalid) = host.chars().find(|character| " \"<>\\^`{|}".contains(*character)) {
        return Err(format!("invalid character {:?} in host name", invalid.to_string()));
    }
    unescape(host)
}

/// Host and port, without the brackets of an address.
fn split_host(host: &str) -> (&str, &str) {
    let colon =
        host.rfind(':').filter(|colon| host[colon + 1..].bytes().all(|byte| byte.is_ascii_digit()));
    let (name, port) = colon.map_or((host, ""), |colon| (&host[..colon], &host[colon + 1..]));
    let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']'));
    (bare.unwrap_or(name), port)
}

/// The text with `%20` and the like decoded.
fn unescape(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if *first != b'%' {
            bytes.push(*first);
            rest = after;
            continue;
        }
        let digits = after.get(..2).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) else {
            let wrong = String::from_utf8_lossy(&rest[..rest.len().min(3)]);
            return Err(format!("invalid URL escape {wrong:?}"));
        };
        bytes.push(byte);
        rest = &after[2..];
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The path with what must be escaped escaped.
fn escaped(path: &str) -> String {
    const KEPT: &[u8] = b"-_.~!$&'()*+,;=:@[]%/";
    if path.bytes().all(|byte| byte.is_ascii_alphanumeric() || KEPT.contains(&byte)) {
        return path.to_owned();
    }
    let decoded = unescape(path).unwrap_or_else(|_| path.to_owned());
    let escape = |byte: u8| {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,/:;=@".contains(&byte) {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    decoded.bytes().map(escape).collect()
}

/// The values of each key of a query.
fn query(text: &str) -> Value {
    let mut found: BTreeMap<Key, Vec<Value>> = BTreeMap::new();
    for pair in text.split('&').filter(|pair| !pair.is_empty() && !pair.contains(';')) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let decoded = |text: &str| unescape(&text.replace('+', " "));
        if let (Ok(key), Ok(value)) = (decoded(key), decoded(value)) {
            found.entry(Key::from(&*key)).or_default().push(value.into());
        }
    }
    Value::Map(Arc::new(
        found.into_iter().map(|(key, values)| (key, Value::list(values))).collect(),
    ))
}
