//! Numbers as Go prints them.

use yaml_spans::{Value, resolve};

/// A number of a plain scalar after its way through JSON: an integer, or a float as go-yaml 2 prints it.
/// `None` if JSON has no such number.
pub(crate) fn printed(text: &str) -> Option<String> {
    match resolve(text) {
        Value::Int(number) => Some(number.to_string()),
        Value::Uint(number) => Some(number.to_string()),
        Value::Float(number) => float(number),
        _ => None,
    }
}

/// A float of JSON, read and printed as YAML.
pub(crate) fn float(number: f64) -> Option<String> {
    if !number.is_finite() {
        return None;
    }
    let json = json(number);
    if json.bytes().skip_while(|b| *b == b'-').all(|b| b.is_ascii_digit()) {
        let whole = json.parse::<i64>().map(|number| number.to_string());
        if let Ok(text) = whole.or_else(|_| json.parse::<u64>().map(|number| number.to_string())) {
            return Some(text);
        }
    }
    Some(general(number))
}

/// A float in JSON, with an exponent only below 1e-6 and from 1e21.
pub(crate) fn json(number: f64) -> String {
    let size = number.abs();
    if size == 0.0 || (1e-6..1e21).contains(&size) {
        return number.to_string();
    }
    let (digits, exponent) = parts(number);
    let sign = if exponent < 0 { '-' } else { '+' };
    let width = if exponent < 0 { 1 } else { 2 };
    format!("{digits}e{sign}{:0width$}", exponent.abs())
}

/// `strconv.FormatFloat(number, 'g', -1, 64)`: with an exponent below 1e-4 and from 1e6.
pub(crate) fn general(number: f64) -> String {
    let (digits, exponent) = parts(number);
    if number != 0.0 && !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.abs());
    }
    number.to_string()
}

/// The shortest digits, such as `1.5`, and the decimal exponent.
fn parts(number: f64) -> (String, i32) {
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.to_owned(), exponent.parse().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with kustomize 5.8.1.
    #[test]
    fn numbers_print_as_go_does() {
        for (text, expected) in [
            ("0644", "420"),
            ("1e3", "1000"),
            ("1e30", "1e+30"),
            ("1.0", "1"),
            ("-0.0", "0"),
            (".5", "0.5"),
            ("12345678901234567890", "12345678901234567890"),
            ("123456789012345678901", "1.2345678901234568e+20"),
            ("1234567.5", "1.2345675e+06"),
        ] {
            assert_eq!(printed(text).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(printed(".inf"), None);
    }
}
