//! Validation errors as the API server words them: `field.Error` of k8s.io/apimachinery. Observed with 1.34 and 1.36.

use yaml_spans::Span;

use super::Field;
use crate::suggest::nearest;

/// A reason for which the API server rejects an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// The value, or the key nearest to an absent one.
    pub span: Span,
    /// The message of the API server: `spec.parallelism: Invalid value: -1: must be greater than or equal to 0`.
    pub message: String,
    /// How to correct it, an imperative phrase, where the message does not say it.
    pub help: Option<String>,
}

/// Collects errors without duplicates. A value with a placeholder causes no error.
#[derive(Debug, Default)]
pub(super) struct FieldErrors(pub(super) Vec<FieldError>);

impl FieldErrors {
    pub(super) fn required(&mut self, at: &Field<'_>, detail: &str) {
        self.add(at, "Required value", detail);
    }

    pub(super) fn forbidden(&mut self, at: &Field<'_>, detail: &str) {
        self.add(at, "Forbidden", detail);
    }

    /// The value is invalid.
    pub(super) fn invalid(&mut self, at: &Field<'_>, detail: &str) {
        self.add(at, &format!("Invalid value: {}", shown(at)), detail);
    }

    /// The value is invalid, and the server prints it in another form.
    pub(super) fn invalid_as(&mut self, at: &Field<'_>, value: &str, detail: &str) {
        self.add(at, &format!("Invalid value: {value}"), detail);
    }

    /// A mapping is invalid, and the message omits its value.
    pub(super) fn invalid_whole(&mut self, at: &Field<'_>, detail: &str) {
        self.add(at, "Invalid value", detail);
    }

    pub(super) fn unsupported(&mut self, at: &Field<'_>, supported: &[&str]) {
        let listed: Vec<_> = supported.iter().map(|value| quoted(value)).collect();
        let detail = format!("supported values: {}", listed.join(", "));
        self.add(at, &format!("Unsupported value: {}", shown(at)), &detail);
        let meant = at.text().and_then(|text| nearest(text, supported.iter().copied()));
        self.help(meant.map(|meant| format!("write `{meant}`")));
    }

    /// Sets the help of the last error.
    pub(super) fn help(&mut self, help: Option<String>) {
        if let Some(last) = self.0.last_mut().filter(|_| help.is_some()) {
            last.help = help;
        }
    }

    pub(super) fn duplicate(&mut self, at: &Field<'_>) {
        self.add(at, &format!("Duplicate value: {}", shown(at)), "");
    }

    pub(super) fn not_found(&mut self, at: &Field<'_>) {
        self.add(at, &format!("Not found: {}", shown(at)), "");
    }

    pub(super) fn too_long(&mut self, at: &Field<'_>, limit: usize) {
        self.add(at, "Too long", &format!("may not be more than {limit} bytes"));
    }

    pub(super) fn too_many(&mut self, at: &Field<'_>, count: usize, limit: usize) {
        let detail = format!("must have at most {limit} items");
        self.add(at, &format!("Too many: {count}"), &detail);
    }

    /// The value must be one of these; the server replaces an absent or empty one with its default.
    pub(super) fn one_of(&mut self, at: &Field<'_>, supported: &[&str]) {
        if let Some(text) = at.text()
            && !text.is_empty()
            && !supported.contains(&text)
        {
            self.unsupported(at, supported);
        }
    }

    /// As [`FieldErrors::one_of`], for a field where the empty string has no default.
    pub(super) fn exactly_one_of(&mut self, at: &Field<'_>, supported: &[&str]) {
        match at.text() {
            Some("") => self.unsupported(at, supported),
            _ => self.one_of(at, supported),
        }
    }

    /// The number must lie in a range.
    pub(super) fn in_range(&mut self, at: &Field<'_>, low: i64, high: i64) {
        if at.int().is_some_and(|number| !(low..=high).contains(&number)) {
            self.invalid(at, &format!("must be between {low} and {high}, inclusive"));
        }
    }

    /// The number must not be negative.
    pub(super) fn not_negative(&mut self, at: &Field<'_>) {
        self.at_least(at, 0);
    }

    /// The text, if there is one, must pass a check that returns messages.
    pub(super) fn checked(&mut self, at: &Field<'_>, check: fn(&str) -> Vec<String>) {
        for message in at.text().map(check).unwrap_or_default() {
            self.invalid(at, &message);
        }
    }

    /// As [`FieldErrors::checked`], with absent text checked as the empty string.
    pub(super) fn checked_always(&mut self, at: &Field<'_>, check: fn(&str) -> Vec<String>) {
        for message in check(at.text().unwrap_or_default()) {
            self.invalid(at, &message);
        }
    }

    fn at_least(&mut self, at: &Field<'_>, low: i64) {
        if at.int().is_some_and(|number| number < low) {
            self.invalid(at, &format!("must be greater than or equal to {low}"));
        }
    }

    fn add(&mut self, at: &Field<'_>, what: &str, detail: &str) {
        if at.is_placeholder() {
            return;
        }
        let mut message = format!("{}: {what}", at.path());
        if !detail.is_empty() {
            message.extend([": ", detail]);
        }
        let error = FieldError { span: at.span(), message, help: None };
        if !self.0.contains(&error) {
            self.0.push(error);
        }
    }
}

/// A value as error messages print it: JSON, which for strings is close to Go's `%q`.
fn shown(at: &Field<'_>) -> String {
    at.node().map_or_else(|| "\"\"".to_owned(), |node| node.to_json().to_string())
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
