//! Number literals and Go's number syntax.

use std::fmt;

use crate::quote::{Unquoted, quote, unquote_char};
use crate::token::TokenKind;

/// A number literal in every type that can represent it: Go's ideal constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Number {
    pub(crate) int: Option<i64>,
    pub(crate) uint: Option<u64>,
    pub(crate) float: Option<f64>,
    /// Whether the syntax is that of a float, the type where the context asks for none.
    pub(crate) is_float: bool,
}

/// Why a token is not a number. Displayed as Go words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NumberError {
    /// A character constant with an invalid escape sequence.
    InvalidSyntax,
    /// A character constant that does not end after one character.
    MalformedCharacter(Vec<u8>),
    /// A complex constant. Go accepts these; this crate has no complex values.
    Complex(Vec<u8>),
    IllegalSyntax(Vec<u8>),
    IntegerOverflow(Vec<u8>),
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidSyntax => f.write_str("invalid syntax"),
            Self::MalformedCharacter(text) => {
                write!(f, "malformed character constant: {}", String::from_utf8_lossy(text))
            }
            Self::Complex(text) => {
                write!(f, "complex constants are not supported: {}", quote(text))
            }
            Self::IllegalSyntax(text) => write!(f, "illegal number syntax: {}", quote(text)),
            Self::IntegerOverflow(text) => write!(f, "integer overflow: {}", quote(text)),
        }
    }
}

impl std::error::Error for NumberError {}

/// Parses a number token.
pub(crate) fn parse_number(kind: TokenKind, text: &[u8]) -> Result<Number, NumberError> {
    match (kind, text) {
        (TokenKind::CharConstant, _) => parse_char(text),
        (TokenKind::Complex, _) => Err(NumberError::Complex(text.into())),
        (_, [real @ .., b'i'])
            if std::str::from_utf8(real).is_ok_and(|s| parse_float(s).is_some()) =>
        {
            Err(NumberError::Complex(text.into()))
        }
        _ => parse_real(text),
    }
}

fn parse_char(text: &[u8]) -> Result<Number, NumberError> {
    let Some((unquoted, len)) = unquote_char(&text[1..], b'\'') else {
        return Err(NumberError::InvalidSyntax);
    };
    if &text[1 + len..] != b"'" {
        return Err(NumberError::MalformedCharacter(text.into()));
    }
    let code = match unquoted {
        Unquoted::Byte(byte) => u32::from(byte),
        Unquoted::Rune(rune) => u32::from(rune),
    };
    let (int, uint, float) = (Some(code.into()), Some(code.into()), Some(code.into()));
    Ok(Number { int, uint, float, is_float: false })
}

fn parse_real(text: &[u8]) -> Result<Number, NumberError> {
    let illegal = || NumberError::IllegalSyntax(text.into());
    let source = std::str::from_utf8(text).map_err(|_| illegal())?;
    let int = parse_int(source);
    let uint = parse_uint(source).or(int.filter(|&int| int == 0).map(|_| 0));
    if int.is_some() || uint.is_some() {
        let float = int.map(|int| int as f64).or(uint.map(|uint| uint as f64));
        return Ok(Number { int, uint, float, is_float: false });
    }
    let Some(float) = parse_float(source) else { return Err(illegal()) };
    if !source.contains(['.', 'e', 'E', 'p', 'P']) {
        return Err(NumberError::IntegerOverflow(text.into()));
    }
    // Go converts to the integer and back. An out-of-range result never compares equal, except for
    // the least integer.
    let is_whole = float.trunc() == float;
    let int = (is_whole && (-TWO_63..TWO_63).contains(&float)).then_some(float as i64);
    let uint = (is_whole && (0.0..TWO_64).contains(&float)).then_some(float as u64);
    let is_hex = source.len() > 2 && source.as_bytes()[..2].eq_ignore_ascii_case(b"0x");
    let is_float = !is_hex || source.contains(['p', 'P']);
    Ok(Number { int, uint, float: Some(float), is_float })
}

const TWO_63: f64 = 9_223_372_036_854_775_808.0;
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// `strconv.ParseInt(text, 0, 64)`.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = split_sign(text);
    let magnitude = parse_uint(digits)?;
    if negative {
        return 0i64.checked_sub_unsigned(magnitude);
    }
    i64::try_from(magnitude).ok()
}

/// `strconv.ParseUint(text, 0, 64)`.
pub(crate) fn parse_uint(text: &str) -> Option<u64> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'o' | b'O', ..] => (8, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', _, ..] => (8, &text[1..]),
        _ => (10, text),
    };
    if digits.starts_with(['+', '-']) || !underscores_ok(text) {
        return None;
    }
    if digits.contains('_') {
        return u64::from_str_radix(&digits.replace('_', ""), radix).ok();
    }
    u64::from_str_radix(digits, radix).ok()
}

/// `strconv.ParseFloat(text, 64)` without infinities and NaN, which have no literals.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    if !underscores_ok(split_sign(text).1) {
        return None;
    }
    let plain = text.replace('_', "");
    let (negative, digits) = split_sign(&plain);
    let value = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => parse_hex_float(&digits[2..])?,
        [b'0'..=b'9' | b'.', ..] => digits.parse().ok()?,
        _ => return None,
    };
    value.is_finite().then_some(if negative { -value } else { value })
}

fn parse_hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let mut exponent = exponent.parse::<i32>().ok()?.clamp(-5000, 5000);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut value = 0u64;
    for (i, digit) in whole.chars().chain(fraction.chars()).enumerate() {
        let digit = u64::from(digit.to_digit(16)?);
        if value >> 60 == 0 {
            value = value << 4 | digit;
        } else {
            // Beyond the precision: a sticky bit keeps the rounding correct.
            value |= u64::from(digit != 0);
            exponent += 4;
        }
        exponent -= if i >= whole.len() { 4 } else { 0 };
    }
    let half = exponent / 2;
    Some(value as f64 * 2f64.powi(half) * 2f64.powi(exponent - half))
}

fn split_sign(text: &str) -> (bool, &str) {
    match text.as_bytes() {
        [b'-', ..] => (true, &text[1..]),
        [b'+', ..] => (false, &text[1..]),
        _ => (false, text),
    }
}

/// Underscores must separate digits; one may follow a base prefix.
fn underscores_ok(text: &str) -> bool {
    let bytes = text.as_bytes();
    let has_prefix = matches!(bytes, [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..]);
    let is_hex = matches!(bytes, [b'0', b'x' | b'X', ..]);
    let is_digit =
        |byte: &u8| if is_hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let digits = if has_prefix { &bytes[2..] } else { bytes };
    digits.iter().enumerate().filter(|(_, byte)| **byte == b'_').all(|(i, _)| {
        let before = if i == 0 { has_prefix } else { is_digit(&digits[i - 1]) };
        before && digits.get(i + 1).is_some_and(is_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_go_syntax() {
        let cases = [("0644", 420), ("0x_ff", 255), ("1_000", 1000), ("-0b101", -5), ("0o17", 15)];
        for (text, value) in cases {
            assert_eq!(parse_int(text), Some(value), "{text}");
        }
        for bad in ["08", "1__0", "_1", "1_", "0x", "+-1", ""] {
            assert_eq!(parse_int(bad), None, "{bad}");
        }
    }

    #[test]
    fn floats_have_go_syntax() {
        let cases =
            [("1.5", 1.5), (".5", 0.5), ("1_0.5e2", 1050.0), ("0x1p-2", 0.25), ("0x1.8p1", 3.0)];
        for (text, value) in cases {
            assert_eq!(parse_float(text), Some(value), "{text}");
        }
        assert_eq!(parse_float("1e1000"), None);
        assert_eq!(parse_float("inf"), None);
    }
}
