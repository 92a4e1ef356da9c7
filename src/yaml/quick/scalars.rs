//! Keys and scalars as ordinary documents write them.

use std::borrow::Cow;

use super::lines::{Line, Lines, is_end_or_space, trim_end, trim_start};
use crate::source::Span;
use crate::yaml::tree::{Builder, Written};
use crate::yaml::{Node, Style, scalar};

/// What a scalar says, and the offset where it ends.
pub struct Text<'t> {
    pub value: Cow<'t, str>,
    pub end: usize,
    pub style: Style,
}

/// A key with the offset of its colon.
pub struct Key<'t> {
    pub text: Text<'t>,
    pub colon: usize,
}

/// Longer keys are left to the parser.
pub const LONGEST_KEY: usize = 200;

/// The key that stands at an offset; `Some(None)` where a value stands.
pub fn key(text: &str, at: usize, end: usize) -> Option<Option<Key<'_>>> {
    let line = &text[at..end];
    let text = match line.as_bytes().first()? {
        b'[' | b'{' | b'|' | b'>' => return Some(None),
        b'"' | b'\'' => match in_quotes(line)? {
            Some((value, length, style)) => Text { value, end: at + length, style },
            None => return Some(None),
        },
        _ => match plain_key(line)? {
            Some(key) => Text { value: key.into(), end: at + key.len(), style: Style::Plain },
            None => return Some(None),
        },
    };
    let after = &line[text.end - at..];
    let Some(value) = trim_start(after).strip_prefix(':') else {
        return is_end(after).then_some(None);
    };
    let is_key = is_end_or_space(value) && text.end - at <= LONGEST_KEY;
    is_key.then(|| Some(Key { text, colon: end - value.len() - 1 }))
}

/// The text before the first colon that ends a key.
fn plain_key(line: &str) -> Option<Option<&str>> {
    if !starts_plain(line) {
        return None;
    }
    let ends = |at: &usize| is_end_or_space(&line[at + 1..]);
    let Some(colon) = memchr::memchr_iter(b':', line.as_bytes()).find(ends) else {
        return Some(None);
    };
    let key = trim_end(&line[..colon]);
    match key {
        "<<" => None,
        _ if comment(key).is_some() => Some(None),
        _ => Some(Some(key)),
    }
}

/// Where the space before a comment is.
pub fn comment(line: &str) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut before = memchr::memchr_iter(b'#', bytes).filter_map(|at| at.checked_sub(1));
    before.find(|&at| bytes[at] == b' ')
}

/// Whether a text without quotes can start like this, beyond doubt.
fn starts_plain(text: &str) -> bool {
    match text.as_bytes() {
        [b'-' | b':', next, ..] => *next != b' ',
        [first, ..] => {
            first.is_ascii_alphanumeric() || b"_/$(\\~+.^=;<)".contains(first) || *first >= 0x80
        }
        [] => false,
    }
}

/// Whether nothing but a comment follows.
pub fn is_end(text: &str) -> bool {
    text.starts_with(" #") || {
        let rest = trim_start(text);
        rest.is_empty() || rest.len() < text.len() && rest.starts_with('#')
    }
}

/// A scalar without quotes, and the lines that go on with it: those indented further than its key or dash.
pub fn plain<'t>(
    text: &'t str,
    at: usize,
    line: Line,
    column: usize,
    lines: &mut Lines<'_>,
) -> Option<Text<'t>> {
    let first = &text[at..line.end];
    let (value, has_comment) = plain_line(first)?;
    let mut whole = Text { value: value.into(), end: at + value.len(), style: Style::Plain };
    let mut ahead = *lines;
    while let Some((line, breaks)) = ahead.next_with_content() {
        let body = line.body(text);
        if line.indent <= column || body.starts_with('#') {
            break;
        }
        let (more, ends) = plain_rest(body)?;
        if has_comment || ends {
            return None;
        }
        let value = whole.value.to_mut();
        fold(value, breaks);
        value.push_str(more);
        whole.end = line.start + line.indent + more.len();
        *lines = ahead;
    }
    Some(whole)
}

/// What stands between two lines of a folded text, for so many line breaks.
fn fold(value: &mut String, breaks: usize) {
    match breaks {
        1 => value.push(' '),
        _ => value.extend(std::iter::repeat_n('\n', breaks - 1)),
    }
}

/// The first line of a scalar without quotes; whether a comment follows.
pub fn plain_line(line: &str) -> Option<(&str, bool)> {
    plain_rest(line).filter(|(value, _)| starts_plain(value))
}

/// A later line of such a scalar, which may start with anything but a comment.
pub fn plain_rest(line: &str) -> Option<(&str, bool)> {
    let comment = comment(line);
    let value = trim_end(&line[..comment.unwrap_or(line.len())]);
    let ends = |at: usize| is_end_or_space(&value[at + 1..]);
    let is_text = !memchr::memchr_iter(b':', value.as_bytes()).any(ends);
    is_text.then_some((value, comment.is_some()))
}

/// A scalar between quotes, on one line or, folded, on several that are indented further than its key.
pub fn quoted<'t>(
    text: &'t str,
    at: usize,
    line: Line,
    column: usize,
    lines: &mut Lines<'_>,
) -> Option<Text<'t>> {
    if let Some((value, length, style)) = in_quotes(&text[at..line.end])? {
        let end = at + length;
        return is_end(&text[end..line.end]).then_some(Text { value, end, style });
    }
    let mark = text.as_bytes()[at];
    let mut value = String::new();
    let (mut line, mut start) = (line, at + 1);
    loop {
        let body = trim_end(&text[start..line.end]);
        if let Some(length) = closing(body, mark) {
            unescape(&body[..length], mark, &mut value)?;
            let end = start + length + 1;
            let style = style_of(mark);
            return is_end(&text[end..line.end]).then_some(Text {
                value: value.into(),
                end,
                style,
            });
        }
        unescape(body, mark, &mut value)?;
        let (next, breaks) = lines.next_with_content()?;
        if next.indent <= column {
            return None;
        }
        fold(&mut value, breaks);
        (line, start) = (next, next.start + next.indent);
    }
}

fn style_of(mark: u8) -> Style {
    if mark == b'"' { Style::DoubleQuoted } else { Style::SingleQuoted }
}

/// A quoted text at the start of a line, with its length; `Some(None)` when it does not end there.
pub fn in_quotes(line: &str) -> Option<Option<(Cow<'_, str>, usize, Style)>> {
    let mark = line.as_bytes()[0];
    let Some(length) = closing(&line[1..], mark) else { return Some(None) };
    let inner = &line[1..=length];
    let escape = if mark == b'"' { b'\\' } else { mark };
    let value = if memchr::memchr(escape, inner.as_bytes()).is_none() {
        inner.into()
    } else {
        let mut value = String::new();
        unescape(inner, mark, &mut value)?;
        value.into()
    };
    Some(Some((value, length + 2, style_of(mark))))
}

/// Where the closing mark is.
fn closing(text: &str, mark: u8) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += memchr::memchr2(mark, b'\\', bytes.get(at..)?)?;
        match bytes[at] {
            b'\\' if mark == b'"' => at += 2,
            b'\\' => at += 1,
            _ if mark == b'\'' && bytes.get(at + 1) == Some(&mark) => at += 2,
            _ => return Some(at),
        }
    }
}

/// What a part of a quoted text says. Only escapes that YAML 1.1 and 1.2 share are known.
fn unescape(text: &str, mark: u8, out: &mut String) -> Option<()> {
    if mark == b'\'' {
        let mut parts = text.split("''");
        out.push_str(parts.next()?);
        for part in parts {
            out.push('\'');
            out.push_str(part);
        }
        return Some(());
    }
    let mut parts = text.split('\\');
    out.push_str(parts.next()?);
    while let Some(part) = parts.next() {
        match part.as_bytes().first() {
            Some(b'n') => out.push('\n'),
            Some(b't') => out.push('\t'),
            Some(b'"') => out.push('"'),
            None => {
                out.push('\\');
                out.push_str(parts.next()?);
                continue;
            }
            Some(_) => return None,
        }
        out.push_str(&part[1..]);
    }
    Some(())
}

/// A block of text behind `|`, `|-`, `>` or `>-`: its place and what it says.
pub fn block(
    text: &str,
    header: &str,
    column: usize,
    lines: &mut Lines<'_>,
) -> Option<(Span, String, Style)> {
    let (style, has_break) = match trim_end(header) {
        "|" => (Style::Literal, true),
        "|-" => (Style::Literal, false),
        ">" => (Style::Folded, true),
        ">-" => (Style::Folded, false),
        _ => return None,
    };
    let mut ahead = *lines;
    let (first, breaks) = ahead.next_with_content()?;
    let start = first.start + first.indent;
    if lines.take(breaks - 1).any(|blank| blank.indent > 0) {
        return None;
    }
    if first.indent <= column {
        return Some((Span::new(start, start), String::new(), style));
    }
    let mut value = "\n".repeat(breaks - 1);
    value.push_str(&text[start..first.end]);
    let (mut breaks, mut end) = (1, first.end);
    *lines = ahead;
    while let Some(line) = ahead.next() {
        if line.is_blank() && line.indent <= first.indent {
            breaks += 1;
        } else if line.indent >= first.indent && !line.is_blank() {
            match style {
                Style::Literal => value.extend(std::iter::repeat_n('\n', breaks)),
                // Lines that are indented further do not fold.
                _ if line.indent > first.indent => return None,
                _ => fold(&mut value, breaks),
            }
            value.push_str(&text[line.start + first.indent..line.end]);
            (breaks, end) = (1, line.end);
            *lines = ahead;
        } else if line.is_blank() || line.indent > column && !line.body(text).starts_with('#') {
            return None;
        } else {
            break;
        }
    }
    // YAML 1.1 and 1.2 differ in what ends a text without a last line break.
    if lines.is_past_end() {
        return None;
    }
    if has_break {
        value.push('\n');
        end += 1;
    }
    Some((Span::new(start, end), value, style))
}

/// `{}`, or a list of words and quoted texts between brackets, on one line.
pub fn flow(builder: &mut Builder, at: usize, rest: &str) -> Option<()> {
    let is_list = rest.starts_with('[');
    let open = Span::new(at, at + 1);
    match is_list {
        true => builder.open_sequence(open, Style::Flow, 0).ok()?,
        false => builder.open_mapping(open, Style::Flow, 0).ok()?,
    }
    let mut inner = trim_start(&rest[1..]);
    let offset = |inner: &str| at + rest.len() - inner.len();
    let closing = if is_list { ']' } else { '}' };
    let mut needs_item = false;
    loop {
        if let Some(after) = inner.strip_prefix(closing).filter(|_| !needs_item) {
            let end = offset(after);
            builder.close(Span::new(end - 1, end)).ok()?;
            return is_end(after).then_some(());
        }
        if !is_list {
            return None;
        }
        let (value, length, style) = flow_item(inner)?;
        let span = Span::new(offset(inner), offset(inner) + length);
        let value = scalar::value(&value, style == Style::Plain, None).ok()?;
        builder.scalar(Node { span, value, style }, 0, Written::Directly).ok()?;
        inner = trim_start(&inner[length..]);
        needs_item = false;
        if let Some(next) = inner.strip_prefix(',') {
            inner = trim_start(next);
            needs_item = true;
        } else if !inner.starts_with(closing) {
            return None;
        }
    }
}

pub fn flow_item(text: &str) -> Option<(Cow<'_, str>, usize, Style)> {
    match text.as_bytes().first()? {
        b'"' | b'\'' => in_quotes(text)?,
        first if first.is_ascii_alphanumeric() || b"/_".contains(first) => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_./=-".contains(c);
            let length = text.find(|c| !is_part(c))?;
            Some((text[..length].into(), length, Style::Plain))
        }
        _ => None,
    }
}
