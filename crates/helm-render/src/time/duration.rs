//! `time.Duration`: nanoseconds as a 64-bit integer.

use go_template::quote::quote;

const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// `time.ParseDuration`; the error is Go's message.
pub(crate) fn parse_duration(text: &str) -> Result<i64, String> {
    let invalid = || format!("time: invalid duration {}", quote(text.as_bytes()));
    let is_negative = text.starts_with('-');
    let mut rest = text.strip_prefix(['-', '+']).unwrap_or(text);
    if rest == "0" {
        return Ok(0);
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    const LIMIT: u64 = 1 << 63;
    let mut total = 0_u64;
    while !rest.is_empty() {
        if !rest.starts_with(|c: char| c == '.' || c.is_ascii_digit()) {
            return Err(invalid());
        }
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (whole_text, after) = rest.split_at(count);
        let whole = match whole_text {
            "" => 0,
            _ => whole_text.parse::<u64>().ok().filter(|&n| n <= LIMIT).ok_or_else(invalid)?,
        };
        let (mut fraction, mut scale) = (0_u64, 1.0_f64);
        rest = after;
        if let Some(after) = rest.strip_prefix('.') {
            let count = after.bytes().take_while(u8::is_ascii_digit).count();
            if count == 0 && whole_text.is_empty() {
                return Err(invalid());
            }
            (fraction, scale) = leading_fraction(&after[..count]);
            rest = &after[count..];
        }
        let len = rest.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(rest.len());
        let (unit, after) = rest.split_at(len);
        let quoted = || quote(text.as_bytes());
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", quoted()));
        }
        let Some((_, size)) = UNITS.iter().find(|(name, _)| *name == unit) else {
            let unit = quote(unit.as_bytes());
            return Err(format!("time: unknown unit {unit} in duration {}", quoted()));
        };
        let mut part = whole.checked_mul(*size).filter(|&n| n <= LIMIT).ok_or_else(invalid)?;
        if fraction > 0 {
            part += (fraction as f64 * (*size as f64 / scale)) as u64;
        }
        total =
            total.checked_add(part).filter(|&n| part <= LIMIT && n <= LIMIT).ok_or_else(invalid)?;
        rest = after;
    }
    if is_negative {
        return Ok((total as i64).wrapping_neg());
    }
    i64::try_from(total).map_err(|_| invalid())
}

/// The digits of a fraction as a number, and its divisor; surplus digits are ignored.
fn leading_fraction(digits: &str) -> (u64, f64) {
    let (mut value, mut scale) = (0_u64, 1.0);
    for digit in digits.bytes() {
        let Some(next) = value
            .checked_mul(10)
            .and_then(|value| value.checked_add(u64::from(digit - b'0')))
            .filter(|&next| next <= i64::MAX as u64)
        else {
            break;
        };
        value = next;
        scale *= 10.0;
    }
    (value, scale)
}

/// `Duration.String`.
pub(crate) fn format_duration(duration: i64) -> String {
    let sign = if duration < 0 { "-" } else { "" };
    let nanos = duration.unsigned_abs();
    match nanos {
        0 => "0s".into(),
        1..1_000 => format!("{sign}{nanos}ns"),
        1_000..1_000_000 => format!("{sign}{}µs", decimal(nanos, 1_000)),
        1_000_000..1_000_000_000 => format!("{sign}{}ms", decimal(nanos, 1_000_000)),
        _ => {
            let minutes = nanos / 60_000_000_000;
            let seconds = decimal(nanos % 60_000_000_000, 1_000_000_000);
            match (minutes / 60, minutes % 60) {
                (0, 0) => format!("{sign}{seconds}s"),
                (0, minutes) => format!("{sign}{minutes}m{seconds}s"),
                (hours, minutes) => format!("{sign}{hours}h{minutes}m{seconds}s"),
            }
        }
    }
}

/// `value / unit` with as many decimal places as necessary.
fn decimal(value: u64, unit: u64) -> String {
    let digits = unit.to_string().len() - 1;
    let fraction = format!("{:0digits$}", value % unit);
    let fraction = fraction.trim_end_matches('0');
    let whole = value / unit;
    if fraction.is_empty() { whole.to_string() } else { format!("{whole}.{fraction}") }
}
