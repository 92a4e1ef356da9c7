//! Quantities of resources: `500m`, `1Gi`.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::value::{Inner, Opaque, Value};

use super::{Answer, Call, Decimal, Failure, Function, semver};

pub(super) const FUNCTIONS: &[(&str, Function)] = &[
    ("quantity", |call| parse(text(call)?).map(value)),
    ("isQuantity", |call| Ok(Value::Bool(parse(text(call)?).is_ok()))),
    ("sign", |call| Ok(Value::Int(one(call)?.sign()))),
    ("isGreaterThan", |call| order(call).map(|ordering| Value::Bool(ordering.is_gt()))),
    ("isLessThan", |call| order(call).map(|ordering| Value::Bool(ordering.is_lt()))),
    ("compareTo", |call| order(call).map(|ordering| Value::Int(ordering as i64))),
    ("asApproximateFloat", |call| Ok(Value::Double(one(call)?.as_double()))),
    ("asInteger", |call| {
        integer(one(call)?).map(Value::Int).ok_or_else(|| "cannot convert value to integer".into())
    }),
    ("isInteger", |call| Ok(Value::Bool(integer(one(call)?).is_some()))),
    ("add", |call| {
        let (left, right) = two(call)?;
        sum(left, &right)
    }),
    ("sub", |call| {
        let (left, right) = two(call)?;
        sum(left, &right.negated())
    }),
];

/// Suffixes, with the base and the power of their factor.
const SUFFIXES: &[(&str, u32, i32)] = &[
    ("", 10, 0),
    ("n", 10, -9),
    ("u", 10, -6),
    ("m", 10, -3),
    ("k", 10, 3),
    ("M", 10, 6),
    ("G", 10, 9),
    ("T", 10, 12),
    ("P", 10, 15),
    ("E", 10, 18),
    ("Ki", 2, 10),
    ("Mi", 2, 20),
    ("Gi", 2, 30),
    ("Ti", 2, 40),
    ("Pi", 2, 50),
    ("Ei", 2, 60),
];

fn value(decimal: Decimal) -> Value {
    Value::Opaque(Opaque(Inner::Quantity(Arc::new(decimal))))
}

fn text<'c>(call: &Call<'c>) -> Result<&'c str, Failure> {
    match call.arguments {
        [Value::String(text)] => Ok(text),
        _ => Err(Failure::NoOverload),
    }
}

fn one<'c>(call: &Call<'c>) -> Result<&'c Decimal, Failure> {
    match call.arguments {
        [Value::Opaque(Opaque(Inner::Quantity(decimal)))] => Ok(decimal),
        _ => Err(Failure::NoOverload),
    }
}

/// A quantity, and a quantity or an integer.
fn two<'c>(call: &Call<'c>) -> Result<(&'c Decimal, Decimal), Failure> {
    match call.arguments {
        [
            Value::Opaque(Opaque(Inner::Quantity(left))),
            Value::Opaque(Opaque(Inner::Quantity(right))),
        ] => Ok((left, (**right).clone())),
        [Value::Opaque(Opaque(Inner::Quantity(left))), Value::Int(right)] => {
            Ok((left, Decimal::small(*right, 0)))
        }
        _ => Err(Failure::NoOverload),
    }
}

/// The order of two quantities or two versions.
fn order(call: &Call) -> Result<Ordering, Failure> {
    match call.arguments {
        [
            Value::Opaque(Opaque(Inner::Quantity(left))),
            Value::Opaque(Opaque(Inner::Quantity(right))),
        ] => Ok(left.cmp(right)),
        _ => semver::order(call),
    }
}

fn integer(decimal: &Decimal) -> Option<i64> {
    let (value, scale) = decimal.small?;
    value.checked_mul(10_i64.checked_pow(u32::try_from(scale).ok()?)?)
}

fn sum(left: &Decimal, right: &Decimal) -> Answer {
    if let Some(sum) = small_sum(left.small, right.small) {
        return Ok(value(sum));
    }
    left.plus(right).map(value).ok_or_else(|| "quantities are too far apart".into())
}

/// The sum of numbers that Kubernetes keeps as integers, if it keeps the sum so.
fn small_sum(left: Option<(i64, i32)>, right: Option<(i64, i32)>) -> Option<Decimal> {
    let (left, right) = (left?, right?);
    if left.0 == 0 || right.0 == 0 {
        let (value, scale) = if right.0 == 0 { left } else { right };
        return Some(Decimal::small(value, scale));
    }
    let scale = left.1.min(right.1);
    let aligned = |(value, own): (i64, i32)| {
        value.checked_mul(10_i64.checked_pow(u32::try_from(own - scale).ok()?)?)
    };
    Some(Decimal::small(aligned(left)?.checked_add(aligned(right)?)?, scale))
}

/// A quantity as Kubernetes' `ParseQuantity` reads it.
fn parse(text: &str) -> Result<Decimal, Failure> {
    const FORM: &str = "quantities must match the regular expression \
                        '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    if text.is_empty() {
        return Err(FORM.into());
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let number = unsigned.trim_start_matches('0');
    let whole = number.bytes().take_while(u8::is_ascii_digit).count();
    let after = &number[whole..];
    let fraction = after
        .strip_prefix('.')
        .map_or("", |after| &after[..after.bytes().take_while(u8::is_ascii_digit).count()]);
    let suffix = &after[if after.starts_with('.') { 1 + fraction.len() } else { 0 }..];
    let letters = suffix.trim_start_matches(|letter| "eEinumkKMGTP".contains(letter));
    let digits = letters.strip_prefix(['-', '+']).unwrap_or(letters);
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(FORM.into());
    }
    let (base, power) = factor(suffix).ok_or("unable to parse quantity's suffix")?;
    if unsigned.is_empty() {
        // A sign alone is zero.
        return Ok(Decimal::small(0, 0));
    }
    let negative = text.starts_with('-');
    let whole = if whole == 0 { "0" } else { &number[..whole] };
    if let Some((value, scale)) = small(whole, fraction, base, power) {
        return Ok(Decimal::small(if negative { -value } else { value }, scale));
    }
    let digits: Vec<_> = whole.bytes().chain(fraction.bytes()).map(|digit| digit - b'0').collect();
    let places = -i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    if base == 10 {
        return Ok(Decimal::new(negative, digits, places + i64::from(power)).rounded());
    }
    let large =
        Decimal::new(negative, digits, places).doubled(u32::try_from(power).unwrap_or(0)).rounded();
    let most = Decimal::small(i64::MAX, 0).large();
    let cap = if negative { most.negated() } else { most.clone() };
    let is_larger = if negative { large.cmp(&cap).is_lt() } else { large.cmp(&cap).is_gt() };
    Ok(if is_larger { cap } else { large })
}

/// The base and the power of a suffix: one of the table, or a decimal exponent.
fn factor(suffix: &str) -> Option<(u32, i32)> {
    if let Some((_, base, power)) = SUFFIXES.iter().find(|(name, ..)| *name == suffix) {
        return Some((*base, *power));
    }
    let exponent = suffix.strip_prefix(['e', 'E'])?;
    exponent.parse().ok().map(|power| (10, power))
}

/// Value and power of ten of a number that Kubernetes keeps as 64-bit integer.
fn small(whole: &str, fraction: &str, base: u32, power: i32) -> Option<(i64, i32)> {
    let (digits, places) = (i32::try_from(whole.len()).ok()?, i32::try_from(fraction.len()).ok()?);
    let (factor, scale, precision) = if base == 10 {
        (1, power, 18 - digits.checked_add(places)?)
    } else {
        if !fraction.is_empty() {
            return None;
        }
        (1_i64.checked_shl(u32::try_from(power).ok()?)?, 0, 15 - digits - power * 3 / 10 - 1)
    };
    let scale = scale.checked_sub(places)?;
    if precision < 0 || scale < -9 {
        return None;
    }
    let value: i64 = format!("{whole}{fraction}").parse().ok()?;
    Some((value.checked_mul(factor)?, scale))
}
