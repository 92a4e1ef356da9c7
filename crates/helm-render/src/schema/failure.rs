//! Schema violations as a tree of messages.

use go_template::{format::format_float, quote::quote as go_quote};
use serde_json::Value as Json;

/// A message about the value at a path, with its causes.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) path: Vec<String>,
    pub(super) kind: FailureKind,
    pub(super) causes: Vec<Failure>,
}

#[derive(Debug)]
pub(super) enum FailureKind {
    /// Several failures of one schema.
    Group,
    /// A violation in a referenced schema.
    Reference,
    Message(String),
}

impl Failure {
    /// The violations that a schema reports: the causes of a plain group, else the violation
    /// itself.
    pub(super) fn into_causes(self) -> Vec<Self> {
        if matches!(self.kind, FailureKind::Group) { self.causes } else { vec![self] }
    }

    pub(super) fn display_all(failures: &[Self]) -> String {
        let mut text = String::new();
        failures.iter().for_each(|failure| failure.display(1, &mut text));
        text.remove(0);
        text + "\n"
    }

    fn display(&self, mut indent: usize, text: &mut String) {
        let is_skipped = matches!(self.kind, FailureKind::Reference) && self.causes.len() == 1;
        if !is_skipped {
            text.push('\n');
            text.push_str(&"  ".repeat(indent - 1));
            indent += 1;
            let message = match &self.kind {
                FailureKind::Group | FailureKind::Reference => "validation failed",
                FailureKind::Message(message) => message,
            };
            text.push_str(&format!("- at {}: {message}", quote(&pointer(&self.path))));
        }
        self.causes.iter().for_each(|cause| cause.display(indent, text));
    }

    /// The path of the first violation without causes.
    pub(super) fn first_path(&self) -> &[String] {
        self.causes.first().map_or(&self.path, Self::first_path)
    }
}

fn pointer(path: &[String]) -> String {
    path.iter().map(|token| format!("/{}", token.replace('~', "~0").replace('/', "~1"))).collect()
}

/// Quotes a text as the validator does: single quotes around Go's escapes.
pub(super) fn quote(text: &str) -> String {
    let quoted = go_quote(text.as_bytes()).replace("\\\"", "\"").replace('\'', "\\'");
    format!("'{}'", &quoted[1..quoted.len() - 1])
}

/// A scalar as messages show it.
pub(super) fn display(value: &Json) -> String {
    match value {
        Json::Null => "<nil>".into(),
        Json::String(text) => quote(text),
        Json::Array(_) | Json::Object(_) => "value".into(),
        other => other.to_string(),
    }
}

/// A number as `golang.org/x/text/message` prints it in English.
pub(super) fn number(value: f64) -> String {
    let text = format_float(value, b'g', None);
    if let Some((mantissa, exponent)) = text.split_once('e') {
        let raised: String = exponent.chars().filter_map(superscript).collect();
        return format!("{mantissa}×10{raised}");
    }
    let (whole, fraction) =
        text.split_once('.').map_or((&*text, ""), |(whole, rest)| (whole, rest));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut grouped = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{grouped}{point}{fraction}")
}

fn superscript(c: char) -> Option<char> {
    match c {
        '-' => Some('⁻'),
        digit => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit.to_digit(10)? as usize),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed in messages of Helm 4.3.1.
    #[test]
    fn numbers_print_as_in_english() {
        for (value, text) in [
            (123_456.789, "123,456.789"),
            (1_234_567.25, "1.23456725×10⁰⁶"),
            (0.000_001_2, "1.2×10⁻⁰⁶"),
            (1e21, "1×10²¹"),
            (1500.5, "1,500.5"),
        ] {
            assert_eq!(number(value), text);
        }
        assert_eq!(quote("it's \"x\""), r#"'it\'s "x"'"#);
    }
}
