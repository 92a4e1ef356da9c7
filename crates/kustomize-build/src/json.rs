//! Printing JSON as `encoding/json` does.

use std::fmt::Write;

use crate::{
    error::{Error, Result},
    node::{Data, Entry, Node},
    number,
    scalar::Tag,
};

/// Prints a value, with sorted keys.
pub(crate) fn print(node: &Node, out: &mut String) -> Result<()> {
    match &node.data {
        Data::Map(entries) => {
            let mut sorted: Vec<&Entry> = entries.iter().collect();
            sorted.sort_by(|a, b| a.key.cmp(&b.key));
            out.push('{');
            for (index, entry) in sorted.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(&entry.key, out);
                out.push(':');
                print(&entry.value, out)?;
            }
            out.push('}');
        }
        Data::Seq(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                print(item, out)?;
            }
            out.push(']');
        }
        Data::Scalar(scalar) => {
            let text = &*scalar.text;
            match scalar.resolved() {
                Tag::Null => out.push_str("null"),
                Tag::Bool => out.push_str(&text.to_lowercase()),
                Tag::Int | Tag::Float => {
                    out.push_str(&number::printed(text).ok_or_else(|| {
                        Error::resource(format!("json: unsupported value: {text}"))
                    })?)
                }
                Tag::Timestamp | Tag::Str | Tag::Empty => string(&scalar.string(), out),
            }
        }
    }
    Ok(())
}

/// Prints a string.
pub(crate) fn string(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\x1f' => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}
