//! Decimal numbers of any size: the values of quantities.

use std::cmp::Ordering;

/// Digits that two numbers may be apart, so that their sum is worth its digits.
const FARTHEST: i64 = 10_000;

/// A decimal number.
#[derive(Clone, Debug)]
pub(crate) struct Decimal {
    negative: bool,
    /// Without zeros at either end; none for zero.
    digits: Vec<u8>,
    /// The power of ten of the last digit.
    exponent: i64,
    /// Value and power of ten, if Kubernetes keeps the number as 64-bit integer. Only then it can be an integer for
    /// expressions.
    pub(super) small: Option<(i64, i32)>,
}

impl Decimal {
    /// The number with these digits, which may be zeros, and the power of ten of the last one.
    pub(super) fn new(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Self {
        while digits.last() == Some(&0) {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: 0, small: None };
        }
        Self { negative, digits, exponent, small: None }
    }

    /// The number `value · 10^scale`, as Kubernetes keeps it.
    pub(super) fn small(value: i64, scale: i32) -> Self {
        let digits = value.unsigned_abs().to_string().bytes().map(|digit| digit - b'0').collect();
        Self { small: Some((value, scale)), ..Self::new(value < 0, digits, scale.into()) }
    }

    /// The number as Kubernetes keeps those that do not fit an integer.
    pub(super) fn large(self) -> Self {
        Self { small: None, ..self }
    }

    pub(super) fn sign(&self) -> i64 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(super) fn negated(&self) -> Self {
        let small = self.small.and_then(|(value, scale)| Some((value.checked_neg()?, scale)));
        Self { negative: !self.negative && !self.digits.is_empty(), small, ..self.clone() }
    }

    /// Times a power of two.
    pub(super) fn doubled(&self, times: u32) -> Self {
        let mut digits = self.digits.clone();
        for _ in 0..times {
            let mut carry = 0;
            for digit in digits.iter_mut().rev() {
                let double = *digit * 2 + carry;
                (*digit, carry) = (double % 10, double / 10);
            }
            if carry > 0 {
                digits.insert(0, carry);
            }
        }
        Self::new(self.negative, digits, self.exponent)
    }

    /// Without digits after the ninth decimal place; what is lost rounds away from zero.
    pub(super) fn rounded(self) -> Self {
        let lost = usize::try_from(-9 - self.exponent).unwrap_or(0);
        if lost == 0 || self.digits.is_empty() {
            return self;
        }
        let kept = self.digits.len().saturating_sub(lost);
        let whole = Self::new(self.negative, self.digits[..kept].to_vec(), -9);
        let one = Self::new(self.negative, vec![1], -9);
        whole.plus(&one).unwrap_or(whole)
    }

    /// The sum, if the numbers are not too far apart.
    pub(super) fn plus(&self, other: &Self) -> Option<Self> {
        if self.digits.is_empty() || other.digits.is_empty() {
            return Some(if self.digits.is_empty() { other.clone() } else { self.clone() });
        }
        let exponent = self.exponent.min(other.exponent);
        let top = |number: &Self| {
            number.exponent + i64::try_from(number.digits.len()).unwrap_or(i64::MAX / 2)
        };
        let width = top(self).max(top(other)) - exponent;
        if width > FARTHEST {
            return None;
        }
        let width = usize::try_from(width).ok()?;
        let padded = |number: &Self| {
            let after = usize::try_from(number.exponent - exponent).unwrap_or(0);
            let mut digits = vec![0; width - after - number.digits.len()];
            digits.extend(&number.digits);
            digits.resize(width, 0);
            digits
        };
        let (left, right) = (padded(self), padded(other));
        if self.negative == other.negative {
            return Some(Self::new(self.negative, sum(&left, &right), exponent));
        }
        Some(match left.cmp(&right) {
            Ordering::Less => Self::new(other.negative, difference(&right, &left), exponent),
            _ => Self::new(self.negative, difference(&left, &right), exponent),
        })
    }

    pub(crate) fn cmp(&self, other: &Self) -> Ordering {
        let magnitude = |number: &Self| {
            number.exponent.saturating_add(i64::try_from(number.digits.len()).unwrap_or(i64::MAX))
        };
        self.sign().cmp(&other.sign()).then_with(|| {
            let ordering =
                magnitude(self).cmp(&magnitude(other)).then_with(|| self.digits.cmp(&other.digits));
            if self.negative { ordering.reverse() } else { ordering }
        })
    }

    /// The nearest double, as Kubernetes approximates it.
    #[expect(clippy::cast_precision_loss, reason = "an approximation")]
    pub(super) fn as_double(&self) -> f64 {
        if let Some((value, scale)) = self.small {
            return if scale == 0 { value as f64 } else { value as f64 * 10_f64.powi(scale) };
        }
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit)).collect();
        let sign = if self.negative { "-" } else { "" };
        format!("{sign}0{digits}e{}", self.exponent).parse().unwrap_or(f64::NAN)
    }
}

fn sum(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut digits = vec![0; left.len() + 1];
    let mut carry = 0;
    for index in (0..left.len()).rev() {
        let sum = left[index] + right[index] + carry;
        digits[index + 1] = sum % 10;
        carry = sum / 10;
    }
    digits[0] = carry;
    digits
}

/// Of numbers whose first one is not smaller.
fn difference(left: &[u8], right: &[u8]) -> Vec<u8> {
    let mut digits = left.to_vec();
    let mut borrow = 0;
    for index in (0..left.len()).rev() {
        let below = right[index] + borrow;
        borrow = u8::from(left[index] < below);
        digits[index] = left[index] + 10 * borrow - below;
    }
    digits
}
