//! The API server's reasons to refuse an object, in its own words.
//!
//! Texts as `field.Error` of k8s.io/apimachinery renders them; seen on 1.34 and 1.36.

use yaml_spans::Span;

use super::Place;
use crate::suggest::nearest;

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Where to point.
    pub span: Span,
    /// `spec.parallelism: Invalid value: -1: must be greater than or equal to 0`.
    pub words: String,
    /// What to do, where there is more to say than that.
    pub help: Option<String>,
}

/// Reasons as they are found. A place that another tool fills in gives none.
#[derive(Debug, Default)]
pub struct Causes(pub Vec<Cause>);

impl Causes {
    pub fn required(&mut self, at: &Place<'_>, detail: &str) {
        self.add(at, "Required value", detail);
    }

    pub fn forbidden(&mut self, at: &Place<'_>, detail: &str) {
        self.add(at, "Forbidden", detail);
    }

    /// Something is wrong with the value that is written.
    pub fn invalid(&mut self, at: &Place<'_>, detail: &str) {
        self.add(at, &format!("Invalid value: {}", shown(at)), detail);
    }

    /// As [`Causes::invalid`], with another value printed: one that is not written like that.
    pub fn invalid_as(&mut self, at: &Place<'_>, value: &str, detail: &str) {
        self.add(at, &format!("Invalid value: {value}"), detail);
    }

    /// Something is wrong with a mapping that the server does not print.
    pub fn invalid_whole(&mut self, at: &Place<'_>, detail: &str) {
        self.add(at, "Invalid value", detail);
    }

    pub fn unsupported(&mut self, at: &Place<'_>, supported: &[&str]) {
        let listed: Vec<_> = supported.iter().map(|value| quoted(value)).collect();
        let detail = format!("supported values: {}", listed.join(", "));
        self.add(at, &format!("Unsupported value: {}", shown(at)), &detail);
        let meant = at.text().and_then(|text| nearest(text, supported.iter().copied()));
        self.help(meant.map(|meant| format!("write `{meant}`")));
    }

    /// Says what to do about the last reason.
    pub fn help(&mut self, help: Option<String>) {
        if let Some(last) = self.0.last_mut().filter(|_| help.is_some()) {
            last.help = help;
        }
    }

    pub fn duplicate(&mut self, at: &Place<'_>) {
        self.add(at, &format!("Duplicate value: {}", shown(at)), "");
    }

    pub fn not_found(&mut self, at: &Place<'_>) {
        self.add(at, &format!("Not found: {}", shown(at)), "");
    }

    pub fn too_long(&mut self, at: &Place<'_>, limit: usize) {
        self.add(at, "Too long", &format!("may not be more than {limit} bytes"));
    }

    pub fn too_many(&mut self, at: &Place<'_>, count: usize, limit: usize) {
        let detail = format!("must have at most {limit} items");
        self.add(at, &format!("Too many: {count}"), &detail);
    }

    /// The value must be one of these; absent or empty, the server takes its default.
    pub fn one_of(&mut self, at: &Place<'_>, supported: &[&str]) {
        if let Some(text) = at.text()
            && !text.is_empty()
            && !supported.contains(&text)
        {
            self.unsupported(at, supported);
        }
    }

    /// As [`Causes::one_of`] for a field without a default for an empty text.
    pub fn exactly_one_of(&mut self, at: &Place<'_>, supported: &[&str]) {
        match at.text() {
            Some("") => self.unsupported(at, supported),
            _ => self.one_of(at, supported),
        }
    }

    /// The number must lie in a range.
    pub fn in_range(&mut self, at: &Place<'_>, low: i64, high: i64) {
        if at.int().is_some_and(|number| !(low..=high).contains(&number)) {
            self.invalid(at, &format!("must be between {low} and {high}, inclusive"));
        }
    }

    /// The number must not be negative.
    pub fn not_negative(&mut self, at: &Place<'_>) {
        self.at_least(at, 0);
    }

    /// The text, when one is written, must pass a check that answers with what is wrong.
    pub fn checked(&mut self, at: &Place<'_>, check: fn(&str) -> Vec<String>) {
        for message in at.text().map(check).unwrap_or_default() {
            self.invalid(at, &message);
        }
    }

    /// As [`Causes::checked`]; a text that is not written is an empty one.
    pub fn checked_always(&mut self, at: &Place<'_>, check: fn(&str) -> Vec<String>) {
        for message in check(at.text().unwrap_or_default()) {
            self.invalid(at, &message);
        }
    }

    fn at_least(&mut self, at: &Place<'_>, low: i64) {
        if at.int().is_some_and(|number| number < low) {
            self.invalid(at, &format!("must be greater than or equal to {low}"));
        }
    }

    fn add(&mut self, at: &Place<'_>, what: &str, detail: &str) {
        if at.is_placeholder() {
            return;
        }
        let mut words = format!("{}: {what}", at.path());
        if !detail.is_empty() {
            words.extend([": ", detail]);
        }
        let cause = Cause { span: at.span(), words, help: None };
        if !self.0.contains(&cause) {
            self.0.push(cause);
        }
    }
}

/// A value as error messages print it: JSON, which for texts is close to Go's `%q`.
fn shown(at: &Place<'_>) -> String {
    at.node().map_or_else(|| "\"\"".to_owned(), |node| node.to_json().to_string())
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}
