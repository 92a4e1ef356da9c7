//! Prints integers and floats with flags.

use super::float::format_float;
use super::printer::Printer;
use crate::quote::quote_rune;
use crate::runes::is_print;
use crate::value::Value;

impl Printer<'_> {
    pub(super) fn print_unsigned(&mut self, magnitude: u64, verb: char, value: &Value) {
        if verb == 'v' && self.flags.sharp_v {
            let sharp = std::mem::replace(&mut self.flags.sharp, true);
            self.print_digits(magnitude, false, 16, verb);
            self.flags.sharp = sharp;
        } else {
            self.print_integer(magnitude, false, verb, value);
        }
    }

    pub(super) fn print_integer(
        &mut self,
        magnitude: u64,
        negative: bool,
        verb: char,
        value: &Value,
    ) {
        match verb {
            'v' | 'd' => self.print_digits(magnitude, negative, 10, verb),
            'b' => self.print_digits(magnitude, negative, 2, verb),
            'o' | 'O' => self.print_digits(magnitude, negative, 8, verb),
            'x' | 'X' => self.print_digits(magnitude, negative, 16, verb),
            'c' => self.pad(rune(magnitude, negative).to_string()),
            'q' => self.pad(quote_rune(rune(magnitude, negative), self.flags.plus)),
            'U' => self.print_code_point(magnitude, negative),
            _ => self.bad_verb(value, verb),
        }
    }

    fn print_digits(&mut self, magnitude: u64, negative: bool, base: u32, verb: char) {
        let flags = self.flags;
        let signed = negative || flags.plus || flags.space;
        let least = match (flags.precision, flags.width) {
            (Some(0), _) if magnitude == 0 => {
                return self.without_zero(|printer| {
                    printer.put_padding(flags.width.unwrap_or(0));
                });
            }
            (Some(precision), _) => precision,
            (None, Some(width)) if flags.zero && !flags.minus => {
                width - usize::from(signed && width > 0)
            }
            _ => 0,
        };
        let digits = match (base, verb) {
            (2, _) => format!("{magnitude:b}"),
            (8, _) => format!("{magnitude:o}"),
            (16, 'X') => format!("{magnitude:X}"),
            (16, _) => format!("{magnitude:x}"),
            _ => magnitude.to_string(),
        };
        let digits = with_zeros(&digits, least);
        let prefix = match (base, verb) {
            (_, 'O') if flags.sharp && !digits.starts_with('0') => "0o0",
            (_, 'O') => "0o",
            (2, _) if flags.sharp => "0b",
            (8, _) if flags.sharp && !digits.starts_with('0') => "0",
            (16, 'X') if flags.sharp => "0X",
            (16, _) if flags.sharp => "0x",
            _ => "",
        };
        let sign = match (negative, flags.plus, flags.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        };
        self.without_zero(|printer| printer.pad(format!("{sign}{prefix}{digits}")));
    }

    /// Runs `print` without the zero flag: padding is then spaces.
    fn without_zero(&mut self, print: impl FnOnce(&mut Self)) {
        let zero = std::mem::replace(&mut self.flags.zero, false);
        print(self);
        self.flags.zero = zero;
    }

    fn print_code_point(&mut self, magnitude: u64, negative: bool) {
        let code = if negative { magnitude.wrapping_neg() } else { magnitude };
        let least = self.flags.precision.unwrap_or(0).max(4);
        let mut text = format!("U+{}", with_zeros(&format!("{code:X}"), least));
        let rune = u32::try_from(code).ok().and_then(char::from_u32);
        if let Some(rune) = rune.filter(|rune| self.flags.sharp && is_print(*rune)) {
            text.push_str(&format!(" '{rune}'"));
        }
        self.without_zero(|printer| printer.pad(text));
    }

    pub(super) fn print_float(&mut self, number: f64, verb: char, value: &Value) {
        let (format, precision) = match verb {
            'v' => (b'g', None),
            'b' | 'g' | 'G' | 'x' | 'X' => (verb as u8, None),
            'f' | 'e' | 'E' => (verb as u8, Some(6)),
            'F' => (b'f', Some(6)),
            _ => return self.bad_verb(value, verb),
        };
        let flags = self.flags;
        let precision = flags.precision.or(precision);
        let mut digits = format_float(number.abs(), format, precision);
        let negative = number.is_sign_negative() && !number.is_nan();
        let sign = match (negative, flags.plus, flags.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (.., true) => " ",
            _ => "",
        };
        if !number.is_finite() {
            let digits = if number.is_nan() || negative { digits } else { digits[1..].to_owned() };
            let digits = digits.trim_start_matches(['+', '-']);
            let sign = if sign.is_empty() && number.is_infinite() { "+" } else { sign };
            return self.without_zero(|printer| printer.pad(format!("{sign}{digits}")));
        }
        if flags.sharp && format != b'b' {
            digits = with_point(&digits, format, precision);
        }
        let width = flags.width.unwrap_or(0);
        if !sign.is_empty() && flags.zero && !flags.minus && width > digits.len() + 1 {
            self.put(sign);
            self.put_padding(width - digits.len() - 1);
            return self.put(digits);
        }
        self.pad(format!("{sign}{digits}"));
    }
}

/// Pads with zeros to `least` digits. `format!` widths end at 65,535.
fn with_zeros(digits: &str, least: usize) -> String {
    "0".repeat(least.saturating_sub(digits.len())) + digits
}

/// The rune that `%c` prints.
fn rune(magnitude: u64, negative: bool) -> char {
    let code = u32::try_from(magnitude).ok().filter(|_| !negative);
    code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Applies the sharp flag: always a decimal point, and trailing zeros for `%g`.
fn with_point(number: &str, format: u8, precision: Option<usize>) -> String {
    let is_hex = matches!(format, b'x' | b'X');
    let tail_at = if is_hex { number.find(['p', 'P']) } else { number.find(['e', 'E']) };
    let (mantissa, tail) = number.split_at(tail_at.unwrap_or(number.len()));
    let mut wanted = match format {
        b'g' | b'G' | b'x' => precision.unwrap_or(6) as isize,
        _ => 0,
    };
    let mut seen_nonzero = false;
    for digit in mantissa.chars().filter(|c| *c != '.') {
        seen_nonzero |= digit != '0';
        wanted -= isize::from(seen_nonzero);
    }
    let mut text = mantissa.to_owned();
    if !mantissa.contains('.') {
        wanted -= isize::from(mantissa == "0");
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', usize::try_from(wanted).unwrap_or(0)));
    text + tail
}
