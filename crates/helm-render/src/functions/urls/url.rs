//! Parsing and printing URLs as `net/url` does.

use std::{
    fmt::{self, Write as _},
    net::Ipv6Addr,
};

use go_template::quote::quote;

#[derive(Debug, Default)]
pub(super) struct Url {
    pub(super) scheme: String,
    pub(super) opaque: String,
    pub(super) userinfo: Option<Userinfo>,
    pub(super) host: String,
    pub(super) path: String,
    pub(super) query: String,
    pub(super) fragment: String,
}

#[derive(Debug)]
pub(super) struct Userinfo {
    name: String,
    password: Option<String>,
}

/// The part of a URL to escape: each has its own set of special characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UrlPart {
    Path,
    Host,
    Zone,
    User,
    Fragment,
}

impl Url {
    /// `url.Parse`; the error is Go's message.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (body, fragment) = text.split_once('#').unwrap_or((text, ""));
        let in_url = |url: &str, error| format!("parse {}: {error}", quote(url.as_bytes()));
        let mut url = Self::parse_body(body).map_err(|error| in_url(body, error))?;
        url.fragment =
            unescape(fragment, UrlPart::Fragment).map_err(|error| in_url(text, error))?;
        Ok(url)
    }

    fn parse_body(text: &str) -> Result<Self, String> {
        if text.bytes().any(|b| b < b' ' || b == 0x7f) {
            return Err("net/url: invalid control character in URL".into());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = "*".into();
            return Ok(url);
        }
        let (scheme, rest) = scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        let (mut rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        url.query = query.into();
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                url.opaque = rest.into();
                return Ok(url);
            }
            if rest.split('/').next().unwrap_or_default().contains(':') {
                return Err("first path segment in URL cannot contain colon".into());
            }
        }
        let has_authority = !scheme.is_empty() || !rest.starts_with("///");
        if let (true, Some(after)) = (has_authority, rest.strip_prefix("//")) {
            let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
            (url.userinfo, url.host) = parse_authority(&url.scheme, authority)?;
            rest = path;
        }
        url.path = unescape(rest, UrlPart::Path)?;
        Ok(url)
    }

    pub(super) fn hostname(&self) -> &str {
        let host = match self.host.rfind(':') {
            Some(colon) if is_port(&self.host[colon..]) => &self.host[..colon],
            _ => &self.host,
        };
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }
}

/// Parses the user before an `@`, as `urlJoin` does.
pub(super) fn userinfo(text: &str) -> Result<Option<Userinfo>, String> {
    Url::parse(&format!("proto://{text}@host")).map(|url| url.userinfo)
}

fn scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, c) in text.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme".into()),
            ':' => return Ok((&text[..at], &text[at + 1..])),
            _ => break,
        }
    }
    Ok(("", text))
}

fn parse_authority(scheme: &str, text: &str) -> Result<(Option<Userinfo>, String), String> {
    let Some(at) = text.rfind('@') else { return Ok((None, parse_host(scheme, text)?)) };
    let host = parse_host(scheme, &text[at + 1..])?;
    let user = &text[..at];
    let is_valid = |b: u8| b.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&b);
    if !user.bytes().all(is_valid) {
        return Err("net/url: invalid userinfo".into());
    }
    let (name, password) = match user.split_once(':') {
        Some((name, password)) => (name, Some(password)),
        None => (user, None),
    };
    let name = unescape(name, UrlPart::User)?;
    let password = password.map(|password| unescape(password, UrlPart::User)).transpose()?;
    Ok((Some(Userinfo { name, password }), host))
}

fn parse_host(scheme: &str, host: &str) -> Result<String, String> {
    let bad_port = |port: &str| format!("invalid port {} after host", quote(port.as_bytes()));
    match host.rfind('[') {
        Some(0) => {
            let Some(end) = host.rfind(']') else { return Err("missing ']' in host".into()) };
            let port = &host[end + 1..];
            if !is_port(port) {
                return Err(bad_port(port));
            }
            let address = match host[1..end].split_once("%25") {
                Some((address, zone)) => {
                    let zone = unescape(&format!("%25{zone}"), UrlPart::Zone)?;
                    format!("{}{zone}", unescape(address, UrlPart::Host)?)
                }
                None => unescape(&host[1..end], UrlPart::Host)?,
            };
            let bare = address.split('%').next().unwrap_or_default();
            if bare.parse::<Ipv6Addr>().is_err() {
                return Err(invalid_address(&address));
            }
            return Ok(format!("[{address}]{port}"));
        }
        Some(_) => return Err("invalid IP-literal".into()),
        None => {}
    }
    if let Some(first) = host.find(':') {
        let is_strict = matches!(scheme, "http" | "https");
        let colon = if is_strict { first } else { host.rfind(':').unwrap_or(first) };
        if !is_port(&host[colon..]) {
            return Err(bad_port(&host[colon..]));
        }
    }
    unescape(host, UrlPart::Host)
}

fn invalid_address(text: &str) -> String {
    if text.parse::<std::net::Ipv4Addr>().is_ok() {
        return "invalid IP-literal".into();
    }
    format!("invalid host: ParseAddr({}): unable to parse IP", quote(text.as_bytes()))
}

/// Whether a text is empty or a colon followed by digits.
fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|p| p.bytes().all(|b| b.is_ascii_digit()))
}

fn must_escape(byte: u8, part: UrlPart) -> bool {
    if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
        return false;
    }
    match part {
        UrlPart::Path => !b"$&+,/:;=@".contains(&byte),
        UrlPart::User => !b"$&+,;=".contains(&byte),
        UrlPart::Fragment => !b"$&+,/:;=?@!()*".contains(&byte),
        UrlPart::Host | UrlPart::Zone => !b"!$&'()*+,;=:[]<>\"".contains(&byte),
    }
}

fn escape(text: &str, part: UrlPart) -> String {
    let mut escaped = String::new();
    for byte in text.bytes() {
        if must_escape(byte, part) {
            write!(escaped, "%{byte:02X}").expect("writing to a String");
        } else {
            escaped.push(char::from(byte));
        }
    }
    escaped
}

fn unescape(text: &str, part: UrlPart) -> Result<String, String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte != b'%' {
            let is_host = matches!(part, UrlPart::Host | UrlPart::Zone);
            if is_host && byte.is_ascii() && must_escape(byte, part) {
                let shown = quote(&[byte]);
                return Err(format!("invalid character {shown} in host name"));
            }
            out.push(byte);
            at += 1;
            continue;
        }
        let sequence = &bytes[at..bytes.len().min(at + 3)];
        let bad = || format!("invalid URL escape {}", quote(sequence));
        let hex = |i: usize| char::from(*sequence.get(i)?).to_digit(16);
        let (Some(high), Some(low)) = (hex(1), hex(2)) else { return Err(bad()) };
        let value = (high * 16 + low) as u8;
        let is_percent = sequence == b"%25";
        let is_bad = match part {
            UrlPart::Host => high < 8 && !is_percent,
            UrlPart::Zone => !is_percent && value != b' ' && must_escape(value, UrlPart::Host),
            _ => false,
        };
        if is_bad {
            return Err(bad());
        }
        out.push(value);
        at += 3;
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

impl fmt::Display for Userinfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&escape(&self.name, UrlPart::User))?;
        match &self.password {
            Some(password) => write!(f, ":{}", escape(password, UrlPart::User)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        if !self.scheme.is_empty() {
            write!(text, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            let has_authority = !self.host.is_empty() || self.userinfo.is_some();
            if has_authority || !self.scheme.is_empty() && !self.path.is_empty() {
                text.push_str("//");
                if let Some(user) = &self.userinfo {
                    write!(text, "{user}@")?;
                }
                text.push_str(&escape(&self.host, UrlPart::Host));
            }
            let path =
                if self.path == "*" { "*".into() } else { escape(&self.path, UrlPart::Path) };
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                text.push('/');
            }
            if text.is_empty() && path.split('/').next().unwrap_or_default().contains(':') {
                text.push_str("./");
            }
            text.push_str(&path);
        } else {
            text.push_str(&self.opaque);
        }
        if !self.query.is_empty() {
            write!(text, "?{}", self.query)?;
        }
        if !self.fragment.is_empty() {
            write!(text, "#{}", escape(&self.fragment, UrlPart::Fragment))?;
        }
        f.write_str(&text)
    }
}
