//! A stream of JSON documents, read as JSON, as kubectl does.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::{StreamDeserializer, de::StrRead};

use crate::{
    Document, Node, ParseError, Span, Style, Value,
    mapping::Form,
    number,
    text::{char_start, character},
    tree::Builder,
};

/// The documents of a text that starts like JSON.
pub(crate) struct Stream {
    pub(crate) documents: Vec<Result<Document, ParseError>>,
    /// When the text does not stay JSON: where the first document that is not starts, and the error.
    pub(crate) stop: Option<(usize, ParseError)>,
}

/// Reads the JSON documents from an offset on.
pub(crate) fn read(text: &str, from: usize) -> Stream {
    let mut stream = Stream { documents: Vec::new(), stop: None };
    let mut borders: StreamDeserializer<'_, StrRead<'_>, serde::de::IgnoredAny> =
        serde_json::Deserializer::from_str(&text[from..]).into_iter();
    let mut start = from;
    while let Some(next) = borders.next() {
        if let Err(error) = next {
            let at = error_offset(text, from, &error);
            let words = error.to_string();
            let words = words.split(" at line ").next().unwrap_or_default();
            let words = words.replace("EOF while parsing", "the text ends inside");
            let error = ParseError::new(character(text, at), format!("as JSON: {words}"));
            stream.stop = Some((start, error));
            break;
        }
        let end = from + borders.byte_offset();
        let begin = start + leading_blanks(&text[start..end]);
        stream.documents.push(document(text, Span::new(begin, end)));
        start = end;
    }
    stream
}

fn leading_blanks(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len()
}

/// The offset of an error. serde_json counts lines, and bytes within a line, from 1.
fn error_offset(text: &str, from: usize, error: &serde_json::Error) -> usize {
    let lines = memchr::memchr_iter(b'\n', &text.as_bytes()[from..]).map(|at| from + at + 1);
    let line = std::iter::once(from).chain(lines).nth(error.line().saturating_sub(1));
    char_start(text, line.unwrap_or(text.len()) + error.column().saturating_sub(1))
}

/// The tree of a span that is known to be valid JSON.
fn document(text: &str, span: Span) -> Result<Document, ParseError> {
    let mut builder = Builder::default();
    let bytes = text.as_bytes();
    let mut at = span.start as usize;
    while at < span.end as usize {
        let start = at;
        at += 1;
        match bytes[start] {
            b'{' => builder.open_mapping(Span::new(start, at), Style::Flow, 0)?,
            b'[' => builder.open_sequence(Span::new(start, at), Style::Flow, 0)?,
            b'}' | b']' => builder.close(Span::new(start, at))?,
            b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' => {}
            first => {
                at = if first == b'"' { string_end(bytes, at) } else { word_end(bytes, at) };
                let node = scalar(text, Span::new(start, at))?;
                builder.scalar(node, 0, Form::Direct)?;
            }
        }
    }
    let root = builder.finish()?.expect("a JSON document holds a value");
    Ok(Document { root, span })
}

fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += found + 1;
        if bytes[at - 1] == b'"' {
            break;
        }
        at += 1;
    }
    at
}

fn word_end(bytes: &[u8], at: usize) -> usize {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    at + bytes[at..].iter().take_while(|byte| word(byte)).count()
}

/// The string, number or word at a span.
fn scalar(text: &str, span: Span) -> Result<Node, ParseError> {
    let raw = &text[span.range()];
    let (value, style) = match raw.as_bytes()[0] {
        b'"' => (Value::Str(string(raw).into()), Style::DoubleQuoted),
        b't' => (Value::Bool(true), Style::Plain),
        b'f' => (Value::Bool(false), Style::Plain),
        b'n' => (Value::Null, Style::Plain),
        _ => (number(raw, span)?, Style::Plain),
    };
    Ok(Node { span, value, style })
}

/// The value of a string literal. Half a surrogate pair becomes U+FFFD, as in Go.
fn string(raw: &str) -> String {
    static PAIRS: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"\\\\|\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u[dD][89a-fA-F]..")
            .expect("the pattern is valid")
    });
    serde_json::from_str(raw).unwrap_or_else(|_| {
        let half = |found: &Captures<'_>| found[0].len() == 6;
        let whole = |found: &Captures<'_>| {
            if half(found) { "\u{FFFD}".to_owned() } else { found[0].to_owned() }
        };
        serde_json::from_str(&PAIRS.replace_all(raw, whole)).unwrap_or_default()
    })
}

fn number(raw: &str, span: Span) -> Result<Value, ParseError> {
    if let Ok(whole) = raw.parse() {
        return Ok(Value::Int(whole));
    }
    match raw.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number::normal(number)),
        _ => Err(ParseError::new(span, "Kubernetes has no number this large")),
    }
}
