//! Keys and scalars as the scan takes them: what it wants is their text, or only that they are valid.

use std::borrow::Cow;

use crate::yaml::quick::lines::{is_end_or_space, trim_end, trim_start};
use crate::yaml::quick::scalars::{LONGEST_KEY, comment, flow_item, in_quotes, is_end, plain_line};
use crate::yaml::{Style, Value, resolve};

/// A key that needs no thought, and what follows its colon.
pub(super) fn split_key(text: &str) -> Option<(&str, &str)> {
    let (key, after) = match text.strip_prefix('"') {
        Some(inner) => {
            let (key, after) = inner.split_once('"')?;
            let is_known = !key.is_empty() && !key.contains('\\') && key.is_ascii();
            is_known.then_some((key, after))?
        }
        None => {
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_./-".contains(byte);
            let end = text.bytes().position(|byte| !is_part(&byte)).unwrap_or(text.len());
            let key = &text[..end];
            let is_name = key.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            (is_name && !key.eq_ignore_ascii_case("null")).then_some((key, &text[end..]))?
        }
    };
    let value = trim_start(after).strip_prefix(':')?;
    (is_end_or_space(value) && key.len() <= LONGEST_KEY).then_some((key, value))
}

pub(super) fn is_block_header(text: &str) -> bool {
    matches!(trim_end(text), "|" | "|-" | "|+" | ">" | ">-" | ">+")
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Plain,
    /// With a comment behind it, which ends it.
    Commented,
    Quoted,
    Flow,
}

pub(super) struct Scalar<'t> {
    raw: &'t str,
    style: Written,
    /// The text is another than what is written.
    is_escaped: bool,
}

impl<'t> Scalar<'t> {
    /// The text, where it is a string just as it is written.
    pub(super) fn text(&self) -> Option<&'t str> {
        let is_text = self.style == Written::Quoted || matches!(resolve(self.raw), Value::Str(_));
        (is_text && !self.is_escaped).then_some(self.raw)
    }

    /// Whether the next line may go on with it.
    pub(super) fn is_open(&self) -> bool {
        self.style == Written::Plain
    }
}

/// A scalar that fills its line, apart from a comment; empty collections and short lists in brackets count.
pub(super) fn scalar(text: &str) -> Option<Scalar<'_>> {
    match text.as_bytes().first()? {
        b'"' | b'\'' => {
            let (value, length, _) = in_quotes(text)??;
            let raw = &text[1..length - 1];
            let is_escaped = matches!(value, Cow::Owned(_));
            let is_known = is_end(&text[length..]);
            is_known.then_some(Scalar { raw, style: Written::Quoted, is_escaped })
        }
        b'[' | b'{' => {
            let raw = comment(text).map_or(text, |comment| &text[..comment]);
            let raw = trim_end(raw);
            let is_known = raw == "{}" || is_list(raw);
            is_known.then_some(Scalar { raw, style: Written::Flow, is_escaped: true })
        }
        _ => plain(text),
    }
}

/// `[]`, or a list of words and quoted texts.
fn is_list(text: &str) -> bool {
    let Some(mut rest) = text.strip_prefix('[').map(trim_start) else { return false };
    if rest == "]" {
        return true;
    }
    while let Some((item, length, style)) = flow_item(rest) {
        if style == Style::Plain && is_odd_number(&item) {
            return false;
        }
        rest = trim_start(&rest[length..]);
        match rest.strip_prefix(',') {
            Some(next) => rest = trim_start(next),
            None => return rest == "]",
        }
    }
    false
}

fn plain(text: &str) -> Option<Scalar<'_>> {
    let (raw, has_comment) = plain_line(text).filter(|(raw, _)| !is_odd_number(raw))?;
    let style = if has_comment { Written::Commented } else { Written::Plain };
    Some(Scalar { raw, style, is_escaped: false })
}

/// A number that may be infinite or too large for JSON.
fn is_odd_number(text: &str) -> bool {
    let starts = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let is_long = text.len() > 15 || text.contains(['e', 'E', 'i', 'I', 'n', 'N']);
    starts && is_long && !matches!(resolve(text), Value::Str(_))
}
