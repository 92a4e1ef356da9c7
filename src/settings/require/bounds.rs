//! The bounds of a number: `{min: 5m, max: 1d}`.

use job_lifecycle::suggest::nearest;
use yaml_spans::{Entry, Node};

use super::{Flaw, shown};
use crate::policy::{Bound, Bounds, Number};

const KEYS: [&str; 2] = ["min", "max"];

/// The bounds in an entry such as `ttl: {max: 1d}`.
pub(super) fn read(name: &str, number: Number, entry: &Entry) -> Result<Bounds, Flaw> {
    let example = if number == Number::BackoffLimit { "3" } else { "1d" };
    if entry.value.is_empty() || entry.value.as_map().is_none() {
        let written = bound(number, &entry.value).map(|bound| bound.written);
        let help = match written {
            Ok(written) => format!("did you mean `{{{name}: {{max: {written}}}}}`?"),
            Err(_) => format!("write `{name}`, or `{{{name}: {{max: {example}}}}}`"),
        };
        return Err(Flaw::new(entry.value.span, format!("`{name}` takes bounds"), help));
    }
    if let Some(other) = entry.value.entries().iter().find(|own| !KEYS.contains(&&*own.key)) {
        let help = match nearest(&other.key, KEYS) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("expected {}", KEYS.join(" or ")),
        };
        let reason = format!("`{}` is not a bound of `{name}`", shown(&other.key));
        return Err(Flaw::new(other.key_span, reason, help));
    }
    let one = |key: &str| entry.value.get(key).map(|node| bound(number, node)).transpose();
    let bounds = Bounds { min: one(KEYS[0])?, max: one(KEYS[1])? };
    match (&bounds.min, &bounds.max) {
        (Some(min), Some(max)) if min.number > max.number => {
            let reason = format!("no number is at least {min} and at most {max}");
            Err(Flaw::new(entry.value.span, reason, "swap `min` and `max`"))
        }
        _ => Ok(bounds),
    }
}

/// One bound: a number that is not negative or, unless it counts retries, a duration.
fn bound(number: Number, node: &Node) -> Result<Bound, Flaw> {
    if let Some(value) = node.as_int().filter(|value| *value >= 0) {
        return Ok(Bound { number: value, written: value.to_string() });
    }
    if number == Number::BackoffLimit {
        return Err(Flaw::new(node.span, "this is not a number of retries", "write it as `3`"));
    }
    let length = node.as_str().and_then(|text| Some((text, seconds(text)?)));
    let (text, value) = length.ok_or_else(|| {
        Flaw::new(
            node.span,
            "this is not a duration",
            "write it as `1d`, `2h`, `1h30m` or in seconds",
        )
    })?;
    Ok(Bound { number: value, written: text.to_owned() })
}

/// The seconds of a duration in days, hours, minutes and seconds: `1d`, `1h30m`.
fn seconds(text: &str) -> Option<i64> {
    const UNITS: [(char, i64); 4] = [('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];
    let (mut total, mut rest) = (0_i64, text);
    let mut units = UNITS.into_iter();
    while !rest.is_empty() {
        let at = rest.find(|letter: char| !letter.is_ascii_digit())?;
        let (number, after) = rest.split_at(at);
        let letter = after.chars().next()?;
        let (_, unit) = units.find(|(unit, _)| *unit == letter)?;
        total = total.checked_add(number.parse::<i64>().ok()?.checked_mul(unit)?)?;
        rest = &after[1..];
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arithmetic by hand; each unit once, the greatest first.
    #[test]
    fn durations_are_days_hours_minutes_and_seconds() {
        let cases = [
            ("1d", 86_400),
            ("2h", 7_200),
            ("1h30m", 5_400),
            ("90s", 90),
            ("1d1s", 86_401),
            ("0s", 0),
        ];
        for (text, expected) in cases {
            assert_eq!(seconds(text), Some(expected), "{text}");
        }
        let wrong = ["", "d", "1", "1w", "1D", "-1d", "1.5h", "1d ", "1h1h", "1m1h", "1dé"];
        for text in wrong.into_iter().chain(["99999999999999999999d", "9999999999999999d"]) {
            assert_eq!(seconds(text), None, "{text}");
        }
    }
}
