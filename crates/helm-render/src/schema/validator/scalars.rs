//! The keywords that limit strings, numbers and sizes.

use serde_json::Value as Json;

use super::{Schema, Validator};
use crate::schema::failure::{Failure, number, quote};

impl<'s> Validator<'s> {
    pub(super) fn check_text(&self, schema: Schema<'s>, text: &str, failures: &mut Vec<Failure>) {
        self.count(schema, text.chars().count(), ["minLength", "maxLength"], failures);
        if let Some(pattern) = schema.get("pattern").and_then(Json::as_str)
            && self.regex(pattern).is_some_and(|regex| !regex.is_match(text))
        {
            let message = format!("{} does not match pattern {}", quote(text), quote(pattern));
            failures.push(self.failure(message));
        }
    }

    pub(super) fn check_number(&self, schema: Schema<'s>, value: f64, failures: &mut Vec<Failure>) {
        let limit = |key: &str| schema.get(key).and_then(Json::as_f64);
        // In draft 4, `exclusiveMinimum` and `exclusiveMaximum` are flags of the other limits.
        let is_exclusive = |key: &str| schema.get(key) == Some(&Json::Bool(true));
        type Fails = fn(f64, f64) -> bool;
        let tests: [(&str, &str, Fails); 4] = [
            ("minimum", "exclusiveMinimum", |value, limit| value < limit),
            ("maximum", "exclusiveMaximum", |value, limit| value > limit),
            ("exclusiveMinimum", "", |value, limit| value <= limit),
            ("exclusiveMaximum", "", |value, limit| value >= limit),
        ];
        for (key, flag, fails) in tests {
            let Some(limit) = limit(key) else { continue };
            let touches = value == limit && is_exclusive(flag);
            if fails(value, limit) || touches {
                let key = if is_exclusive(flag) { flag } else { key };
                let message = format!("{key}: got {}, want {}", number(value), number(limit));
                failures.push(self.failure(message));
            }
        }
        if let Some(step) = limit("multipleOf").filter(|step| *step != 0.0) {
            let count = value / step;
            if (count - count.round()).abs() > 1e-9 * count.abs().max(1.0) {
                let message = format!("multipleOf: got {}, want {}", number(value), number(step));
                failures.push(self.failure(message));
            }
        }
    }

    /// Checks the limits for a number of items, properties or characters.
    pub(super) fn count(
        &self,
        schema: Schema<'s>,
        got: usize,
        [least, most]: [&str; 2],
        failures: &mut Vec<Failure>,
    ) {
        let limit = |key| schema.get(key).and_then(Json::as_f64);
        for (key, fails) in [
            (least, limit(least).is_some_and(|limit| (got as f64) < limit)),
            (most, limit(most).is_some_and(|limit| (got as f64) > limit)),
        ] {
            if fails {
                let want = number(limit(key).unwrap_or_default());
                failures
                    .push(self.failure(format!("{key}: got {}, want {want}", number(got as f64))));
            }
        }
    }
}
