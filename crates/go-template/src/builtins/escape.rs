//! `html`, `js`, `urlquery`.

use std::fmt::Write as _;

use crate::error::FuncError;
use crate::executor::Executor;
use crate::format::sprint_all;
use crate::runes::{is_print, runes};
use crate::text_builder::TextBuilder;
use crate::value::Value;

/// The replacement for a rune, given with its encoding; `None` if it needs no escape.
type Escape = fn(bytes: &[u8], rune: char) -> Option<String>;

pub(super) fn html(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    escape(context, arguments, |_, rune| {
        let entity = match rune {
            '\0' => "\u{fffd}",
            '"' => "&#34;",
            '\'' => "&#39;",
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            _ => return None,
        };
        Some(entity.into())
    })
}

pub(super) fn js(context: &mut Executor<'_>, arguments: &[Value]) -> Result<Value, FuncError> {
    escape(context, arguments, |_, rune| {
        Some(match rune {
            '\\' => r"\\".into(),
            '\'' => r"\'".into(),
            '"' => "\\\"".into(),
            '<' | '>' | '&' | '=' => format!(r"\u{:04X}", u32::from(rune)),
            ..' ' => format!(r"\u{:04X}", u32::from(rune)),
            '\x7f'.. if !is_print(rune) && rune != '\x7f' => {
                format!(r"\u{:04X}", u32::from(rune))
            }
            _ => return None,
        })
    })
}

pub(super) fn urlquery(
    context: &mut Executor<'_>,
    arguments: &[Value],
) -> Result<Value, FuncError> {
    escape(context, arguments, |bytes, rune| match rune {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' | '.' | '~' => None,
        ' ' => Some("+".into()),
        _ => {
            let mut escaped = String::new();
            for byte in bytes {
                write!(escaped, "%{byte:02X}").ok()?;
            }
            Some(escaped)
        }
    })
}

/// Prints the arguments and escapes the result. Unescaped bytes keep their origin.
fn escape(
    context: &mut Executor<'_>,
    arguments: &[Value],
    escape: Escape,
) -> Result<Value, FuncError> {
    let shown: Vec<Value> = arguments.iter().map(without_nil).collect();
    let whole = sprint_all(&mut context.tracker, &shown)?;
    let bytes = whole.bytes();
    context.check_size(bytes.len() * 2)?;
    let taint = whole.observed(&mut context.tracker);
    let mut text = TextBuilder::new();
    let mut plain = 0;
    for (at, rune, len) in runes(bytes) {
        if let Some(escaped) = escape(&bytes[at..at + len], rune) {
            text.push_slice(&mut context.tracker, &whole, plain..at);
            text.push(&mut context.tracker, escaped, taint);
            plain = at + len;
        }
    }
    text.push_slice(&mut context.tracker, &whole, plain..bytes.len());
    Ok(text.finish())
}

/// The value as a template prints it: `<no value>` instead of `<nil>`.
fn without_nil(value: &Value) -> Value {
    if value.is_nil() {
        return Value::from("<no value>").with_taint(value.taint());
    }
    value.clone()
}
