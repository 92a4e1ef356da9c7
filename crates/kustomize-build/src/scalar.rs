//! Scalars as go-yaml 3 resolves them, which kustomize reads and writes resources with.

use yaml_spans::{Value, resolve, timestamp};

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// Set by kustomize without a type: resolved when it is printed, unless quoted.
    Empty,
    Null,
    Bool,
    Int,
    Float,
    Str,
    Timestamp,
}

impl Tag {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Empty => "",
            Self::Null => "!!null",
            Self::Bool => "!!bool",
            Self::Int => "!!int",
            Self::Float => "!!float",
            Self::Str => "!!str",
            Self::Timestamp => "!!timestamp",
        }
    }
}

/// The type of a plain scalar.
pub(crate) fn tag(text: &str) -> Tag {
    match text.bytes().next() {
        None => Tag::Null,
        Some(b'~' | b'n' | b'N' | b't' | b'T' | b'f' | b'F') => match text {
            "~" | "null" | "Null" | "NULL" => Tag::Null,
            "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Tag::Bool,
            _ => Tag::Str,
        },
        Some(b'.' | b'+' | b'-' | b'0'..=b'9') => number(text),
        Some(_) => Tag::Str,
    }
}

fn number(text: &str) -> Tag {
    match resolve(text) {
        Value::Int(_) | Value::Uint(_) => Tag::Int,
        Value::Float(_) => Tag::Float,
        _ if timestamp(text).is_some() => Tag::Timestamp,
        _ => Tag::Str,
    }
}

/// Whether YAML 1.1 reads a plain scalar as something other than a string.
pub(crate) fn is_other_in_1_1(text: &str) -> bool {
    !text.is_empty() && !text.contains('\n') && !matches!(resolve(text), Value::Str(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with kustomize 5.8.1.
    #[test]
    fn types_of_plain_scalars() {
        for (text, expected) in [
            ("yes", Tag::Str),
            ("on", Tag::Str),
            ("true", Tag::Bool),
            ("~", Tag::Null),
            ("0644", Tag::Int),
            ("1_000", Tag::Int),
            ("0o17", Tag::Int),
            ("1e3", Tag::Float),
            (".5", Tag::Float),
            ("1:30", Tag::Str),
            ("2020-01-01", Tag::Timestamp),
            ("2020-02-30", Tag::Str),
        ] {
            assert_eq!(tag(text), expected, "{text}");
        }
    }
}
