//! The part of shopspring/decimal 1.4 that Sprig uses: exact sums and products of floats, and
//! quotients with 16 decimal places.

use std::cmp::Ordering;

use go_template::format::format_float;

/// `±digits × 10^exponent`. The digits are in base 10⁹, least significant first.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    is_negative: bool,
    digits: Vec<u32>,
    exponent: i32,
}

const BASE: u64 = 1_000_000_000;
/// Decimal places of a quotient.
const PRECISION: i32 = 16;

impl Decimal {
    /// `decimal.NewFromFloat`; the error is the message of its panic.
    pub(super) fn from_float(value: f64) -> Result<Self, String> {
        if !value.is_finite() {
            let shown = format_float(value, b'g', None);
            return Err(format!("Cannot create a Decimal from {shown}"));
        }
        let text = format_float(value.abs(), b'e', None);
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent = exponent.parse::<i32>().unwrap_or(0) - fraction.len() as i32;
        let digits = from_decimal(&format!("{whole}{fraction}"));
        Ok(Self { is_negative: value < 0.0, digits, exponent })
    }

    /// The nearest float.
    pub(super) fn to_float(&self) -> f64 {
        let sign = if self.is_negative { "-" } else { "" };
        let text = format!("{sign}{}e{}", to_decimal(&self.digits), self.exponent);
        let value: f64 = text.parse().unwrap_or(0.0);
        if value == 0.0 { 0.0 } else { value }
    }

    pub(super) fn add(&self, other: &Self) -> Self {
        let exponent = self.exponent.min(other.exponent);
        let (a, b) = (self.scaled_to(exponent), other.scaled_to(exponent));
        if self.is_negative == other.is_negative {
            return Self { is_negative: self.is_negative, digits: sum(&a, &b), exponent };
        }
        match compare(&a, &b) {
            Ordering::Less => {
                Self { is_negative: other.is_negative, digits: difference(&b, &a), exponent }
            }
            _ => Self { is_negative: self.is_negative, digits: difference(&a, &b), exponent },
        }
    }

    pub(super) fn sub(&self, other: &Self) -> Self {
        self.add(&Self { is_negative: !other.is_negative, ..other.clone() })
    }

    pub(super) fn mul(&self, other: &Self) -> Self {
        Self {
            is_negative: self.is_negative != other.is_negative,
            digits: product(&self.digits, &other.digits),
            exponent: self.exponent.saturating_add(other.exponent),
        }
    }

    /// The quotient, rounded half away from zero; the error is the message of Go's panic.
    pub(super) fn div(&self, other: &Self) -> Result<Self, String> {
        if other.digits.is_empty() {
            return Err("decimal division by 0".into());
        }
        let shift = self.exponent - other.exponent + PRECISION;
        let scale = |digits: &[u32], shift: i32| product(digits, &power_of_ten(shift));
        let (numerator, denominator) = if shift < 0 {
            (self.digits.clone(), scale(&other.digits, -shift))
        } else {
            (scale(&self.digits, shift), other.digits.clone())
        };
        let (mut quotient, rest) = quotient(&numerator, &denominator);
        if compare(&sum(&rest, &rest), &denominator) != Ordering::Less {
            quotient = sum(&quotient, &[1]);
        }
        let is_negative = self.is_negative != other.is_negative;
        Ok(Self { is_negative, digits: quotient, exponent: -PRECISION })
    }

    fn scaled_to(&self, exponent: i32) -> Vec<u32> {
        product(&self.digits, &power_of_ten(self.exponent - exponent))
    }
}

fn from_decimal(text: &str) -> Vec<u32> {
    let chunk = |chunk: &[u8]| chunk.iter().fold(0, |n, digit| n * 10 + u32::from(digit - b'0'));
    trimmed(text.as_bytes().rchunks(9).map(chunk).collect())
}

fn to_decimal(digits: &[u32]) -> String {
    let mut chunks = digits.iter().rev();
    let first = chunks.next().map_or("0".into(), u32::to_string);
    chunks.fold(first, |text, chunk| format!("{text}{chunk:09}"))
}

fn power_of_ten(exponent: i32) -> Vec<u32> {
    let exponent = exponent.unsigned_abs();
    let mut digits = vec![0; exponent as usize / 9];
    digits.push(10_u32.pow(exponent % 9));
    digits
}

fn trimmed(mut digits: Vec<u32>) -> Vec<u32> {
    while digits.last() == Some(&0) {
        digits.pop();
    }
    digits
}

fn compare(a: &[u32], b: &[u32]) -> Ordering {
    a.len().cmp(&b.len()).then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

fn sum(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut digits = Vec::with_capacity(a.len().max(b.len()) + 1);
    let mut carry = 0;
    for i in 0..a.len().max(b.len()) {
        let digit = |digits: &[u32]| u64::from(digits.get(i).copied().unwrap_or(0));
        let total = digit(a) + digit(b) + carry;
        digits.push((total % BASE) as u32);
        carry = total / BASE;
    }
    digits.push(carry as u32);
    trimmed(digits)
}

/// `a - b`, where `a` is at least `b`.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut digits = Vec::with_capacity(a.len());
    let mut borrow = 0;
    for (i, &digit) in a.iter().enumerate() {
        let taken = u64::from(b.get(i).copied().unwrap_or(0)) + borrow;
        let total = u64::from(digit) + BASE - taken;
        digits.push((total % BASE) as u32);
        borrow = u64::from(total < BASE);
    }
    trimmed(digits)
}

fn product(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut digits = vec![0_u32; a.len() + b.len() + 1];
    for (i, &x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, &y) in b.iter().enumerate() {
            let total = u64::from(x) * u64::from(y) + u64::from(digits[i + j]) + carry;
            digits[i + j] = (total % BASE) as u32;
            carry = total / BASE;
        }
        digits[i + b.len()] = carry as u32;
    }
    trimmed(digits)
}

/// Quotient and remainder by long division, digit by digit.
fn quotient(a: &[u32], b: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut digits = vec![0; a.len()];
    let mut rest: Vec<u32> = Vec::new();
    for i in (0..a.len()).rev() {
        rest.insert(0, a[i]);
        rest = trimmed(rest);
        let (mut low, mut high) = (0, BASE as u32 - 1);
        while low < high {
            let middle = low + (high - low).div_ceil(2);
            if compare(&product(b, &[middle]), &rest) == Ordering::Greater {
                high = middle - 1;
            } else {
                low = middle;
            }
        }
        digits[i] = low;
        rest = difference(&rest, &product(b, &[low]));
    }
    (trimmed(digits), rest)
}
