//! Numbers and durations as Go's standard library parses them, with its error messages.

use std::fmt;

/// Why a text is not a non-negative integer. Displays as robfig/cron prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IntegerError {
    /// A negative number, and its text.
    Negative(i64, String),
    /// Not a number.
    Syntax(String),
    /// A number that no 64-bit integer holds.
    Range(String),
}

/// Why a text is not a duration. Displays as package `time` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DurationError {
    /// Not a duration, or one out of range.
    Invalid(String),
    /// A number without a unit.
    MissingUnit(String),
    /// An unknown unit, and the whole text.
    UnknownUnit(String, String),
}

/// Parses as `strconv.Atoi`, without negative numbers.
pub(super) fn integer(text: &str) -> Result<u64, IntegerError> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    // Go reads digit by digit and fails on a number that is too large before it sees a letter behind it.
    let too_large = length > 0 && digits[..length].parse::<u64>().is_err();
    match text.parse::<i64>() {
        Ok(number) if number >= 0 => Ok(number.unsigned_abs()),
        Ok(number) => Err(IntegerError::Negative(number, text.to_owned())),
        Err(_) if !too_large && (digits.is_empty() || length < digits.len()) => {
            Err(IntegerError::Syntax(text.to_owned()))
        }
        Err(_) => Err(IntegerError::Range(text.to_owned())),
    }
}

/// Checks as `time.ParseDuration`.
pub(super) fn duration(text: &str) -> Result<(), DurationError> {
    let invalid = || DurationError::Invalid(text.to_owned());
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return Err(invalid());
    }
    let mut nanoseconds = 0f64;
    while !rest.is_empty() {
        let number = rest.bytes().take_while(|c| c.is_ascii_digit() || *c == b'.').count();
        let (digits, behind) = rest.split_at(number);
        if digits.matches('.').count() > 1 || !digits.bytes().any(|c| c.is_ascii_digit()) {
            return Err(invalid());
        }
        let length = behind.find(|c: char| c == '.' || c.is_ascii_digit()).unwrap_or(behind.len());
        let (unit, behind) = behind.split_at(length);
        let scale = match unit {
            "" => return Err(DurationError::MissingUnit(text.to_owned())),
            "ns" => 1.0,
            "us" | "µs" | "μs" => 1e3,
            "ms" => 1e6,
            "s" => 1e9,
            "m" => 6e10,
            "h" => 3.6e12,
            _ => return Err(DurationError::UnknownUnit(unit.to_owned(), text.to_owned())),
        };
        nanoseconds += digits.parse::<f64>().unwrap_or_default() * scale;
        rest = behind;
    }
    if nanoseconds < 9.223_372_036_854_775e18 { Ok(()) } else { Err(invalid()) }
}

/// Quotes as package `time` does: bytes beyond ASCII as `\xNN`.
fn quoted(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'"' | b'\\' => format!("\\{}", char::from(byte)),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    };
    format!("\"{}\"", text.bytes().map(escape).collect::<String>())
}

impl fmt::Display for IntegerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, reason) = match self {
            IntegerError::Negative(number, text) => {
                return write!(f, "negative number ({number}) not allowed: {text}");
            }
            IntegerError::Syntax(text) => (text, "invalid syntax"),
            IntegerError::Range(text) => (text, "value out of range"),
        };
        write!(f, "failed to parse int from {text}: strconv.Atoi: parsing {text:?}: {reason}")
    }
}

impl fmt::Display for DurationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DurationError::Invalid(text) => write!(f, "time: invalid duration {}", quoted(text)),
            DurationError::MissingUnit(text) => {
                write!(f, "time: missing unit in duration {}", quoted(text))
            }
            DurationError::UnknownUnit(unit, text) => {
                let (unit, text) = (quoted(unit), quoted(text));
                write!(f, "time: unknown unit {unit} in duration {text}")
            }
        }
    }
}
