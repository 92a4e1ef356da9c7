//! Resource quantities such as `500m`, `1.5Gi` and `1e3`, parsed as by `resource.ParseQuantity`.

/// Decimal suffixes with their power of ten.
const DECIMAL: &[(&str, i32)] = &[
    ("", 0),
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
    ("E", 18),
];

/// Binary suffixes with their power of two.
const BINARY: &[(&str, u32)] =
    &[("Ki", 10), ("Mi", 20), ("Gi", 30), ("Ti", 40), ("Pi", 50), ("Ei", 60)];

/// A quantity in billionths, the API server's smallest unit; saturates at the largest number. `None` for
/// anything else.
pub(super) fn parse(text: &str) -> Option<i128> {
    let text = text.trim();
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let length = unsigned.bytes().take_while(|c| c.is_ascii_digit() || *c == b'.').count();
    let (number, suffix) = unsigned.split_at(length);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if text.is_empty() || fraction.contains('.') || number == "." {
        return None;
    }
    let (ten, two) = scale(suffix)?;
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let power = 9 + ten - i32::try_from(fraction.len()).ok()?;
    let value = if digits.is_empty() { Some(0) } else { shifted(digits.parse().ok(), power, two) };
    let value = value.unwrap_or(i128::MAX);
    Some(if text.starts_with('-') { -value } else { value })
}

/// A quantity as the API server prints it: `500m` for `0.5`, `1Gi` for `1024Mi`. `None` for anything else. Source:
/// `Quantity.CanonicalizeBytes`.
pub(super) fn canonical(text: &str) -> Option<String> {
    let value = parse(text)?;
    let suffix = text.trim().trim_start_matches(|c: char| c.is_ascii_digit() || "+-.".contains(c));
    let is_binary = BINARY.iter().any(|(name, _)| *name == suffix);
    let whole = value.div_euclid(ONE) + i128::from(value.rem_euclid(ONE) > 0);
    if is_binary && whole.abs() >= 1024 {
        let (mut number, mut power) = (whole, 0);
        while number % 1024 == 0 && power < BINARY.len() {
            (number, power) = (number / 1024, power + 1);
        }
        let suffix = power.checked_sub(1).map_or("", |at| BINARY[at].0);
        return Some(format!("{number}{suffix}"));
    }
    let (mut number, mut power) = (value, -9);
    while number != 0 && number % 1000 == 0 && power < 18 {
        (number, power) = (number / 1000, power + 3);
    }
    if number == 0 {
        return Some("0".to_owned());
    }
    if suffix.len() > 1 && suffix.starts_with(['e', 'E']) {
        return Some(if power == 0 { number.to_string() } else { format!("{number}e{power}") });
    }
    let (suffix, _) = DECIMAL.iter().find(|(_, ten)| *ten == power)?;
    Some(format!("{number}{suffix}"))
}

/// One, in billionths.
const ONE: i128 = 1_000_000_000;

fn shifted(digits: Option<i128>, power: i32, two: u32) -> Option<i128> {
    let digits = digits?.checked_mul(1i128.checked_shl(two)?)?;
    let factor = 10i128.checked_pow(power.unsigned_abs());
    match (power >= 0, factor) {
        (true, factor) => digits.checked_mul(factor?),
        (false, Some(factor)) => Some(digits / factor),
        (false, None) => Some(0),
    }
}

/// The powers of ten and two of a suffix.
fn scale(suffix: &str) -> Option<(i32, u32)> {
    if let Some((_, ten)) = DECIMAL.iter().find(|(name, _)| *name == suffix) {
        return Some((*ten, 0));
    }
    if let Some((_, two)) = BINARY.iter().find(|(name, _)| *name == suffix) {
        return Some((0, *two));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    exponent.parse().ok().map(|ten: i32| (ten.clamp(-100, 100), 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_as_the_api_server() {
        for (text, value) in [
            ("1", ONE),
            ("1000m", ONE),
            (" 0.5 ", ONE / 2),
            (".5", ONE / 2),
            ("5.", 5 * ONE),
            ("1Ki", 1024 * ONE),
            ("1.5Gi", (3 * ONE) << 29),
            ("1e3", 1000 * ONE),
            ("1E3", 1000 * ONE),
            ("1E", ONE * 1_000_000_000_000_000_000),
            ("-1", -ONE),
            ("0", 0),
            ("00", 0),
            ("1n", 1),
            ("", i128::MIN),
            ("1Gb", i128::MIN),
            ("512 Mi", i128::MIN),
            ("1gi", i128::MIN),
            ("1K", i128::MIN),
            ("one", i128::MIN),
            ("1.2.3", i128::MIN),
        ] {
            assert_eq!(parse(text).unwrap_or(i128::MIN), value, "{text}");
        }
    }

    /// By the rules of `CanonicalizeBytes`; `0.5` and `1024Mi` are observed.
    #[test]
    fn prints_as_the_api_server() {
        for (text, printed) in [
            ("0.5", "500m"),
            ("1024Mi", "1Gi"),
            ("1000m", "1"),
            ("1Ki", "1Ki"),
            ("1000Ki", "1000Ki"),
            ("0.5Ki", "512"),
            ("1.5Gi", "1536Mi"),
            ("1e3", "1e3"),
            ("1000e0", "1e3"),
            ("1500", "1500"),
            ("2000", "2k"),
            ("-1500m", "-1500m"),
            ("0Mi", "0"),
            ("100", "100"),
        ] {
            assert_eq!(canonical(text).as_deref(), Some(printed), "{text}");
        }
    }
}
