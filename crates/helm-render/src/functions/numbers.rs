//! Sprig's `numeric.go`.

use go_template::{Executor, FuncError, FunctionSpec, Type, Value, format};

use super::{
    args::{ANY, FLOAT, INT, INT64, Outcome, STRING, failure, int, list_of, list_room, str},
    decimal::Decimal,
};
use crate::cast::{to_float, to_int};

const INTS: &Type = &Type::INTS;

pub(super) const SPECS: &[FunctionSpec] = &[
    FunctionSpec::new("atoi", &[STRING], INT, atoi),
    FunctionSpec::new("int64", &[ANY], INT64, |_, a| Ok(Value::int64(to_int(&a[0])))),
    FunctionSpec::new("int", &[ANY], INT, |_, a| Ok(Value::int(to_int(&a[0])))),
    FunctionSpec::new("float64", &[ANY], FLOAT, |_, a| Ok(Value::from(to_float(&a[0])))),
    FunctionSpec::new("seq", &[], STRING, seq).variadic(INT),
    FunctionSpec::new("toDecimal", &[ANY], INT64, to_decimal),
    FunctionSpec::new("until", &[INT], INTS, until).own_taint(),
    FunctionSpec::new("untilStep", &[INT, INT, INT], INTS, until_step).own_taint(),
    FunctionSpec::new("add1", &[ANY], INT64, |_, a| {
        Ok(Value::int64(to_int(&a[0]).wrapping_add(1)))
    }),
    FunctionSpec::new("add", &[], INT64, |_, a| fold(a, 0, i64::wrapping_add)).variadic(ANY),
    FunctionSpec::new("sub", &[ANY, ANY], INT64, |_, a| {
        Ok(Value::int64(to_int(&a[0]).wrapping_sub(to_int(&a[1]))))
    }),
    FunctionSpec::new("div", &[ANY, ANY], INT64, |_, a| divide(a, i64::wrapping_div)),
    FunctionSpec::new("mod", &[ANY, ANY], INT64, |_, a| divide(a, i64::wrapping_rem)),
    FunctionSpec::new("mul", &[ANY], INT64, |_, a| fold(a, 1, i64::wrapping_mul)).variadic(ANY),
    FunctionSpec::new("add1f", &[ANY], FLOAT, |_, a| {
        decimal(to_float(&a[0]), &[Value::from(1.0)], |a, b| Ok(a.add(b)))
    }),
    FunctionSpec::new("addf", &[], FLOAT, |_, a| decimal(0.0, a, |a, b| Ok(a.add(b))))
        .variadic(ANY),
    FunctionSpec::new("subf", &[ANY], FLOAT, |_, a| {
        decimal(to_float(&a[0]), &a[1..], |a, b| Ok(a.sub(b)))
    })
    .variadic(ANY),
    FunctionSpec::new("divf", &[ANY], FLOAT, |_, a| {
        decimal(to_float(&a[0]), &a[1..], Decimal::div)
    })
    .variadic(ANY),
    FunctionSpec::new("mulf", &[ANY], FLOAT, |_, a| {
        decimal(to_float(&a[0]), &a[1..], |a, b| Ok(a.mul(b)))
    })
    .variadic(ANY),
    FunctionSpec::new("biggest", &[ANY], INT64, |_, a| fold(a, i64::MIN, i64::max)).variadic(ANY),
    FunctionSpec::new("max", &[ANY], INT64, |_, a| fold(a, i64::MIN, i64::max)).variadic(ANY),
    FunctionSpec::new("min", &[ANY], INT64, |_, a| fold(a, i64::MAX, i64::min)).variadic(ANY),
    FunctionSpec::new("maxf", &[ANY], FLOAT, |_, a| extreme(a, true)).variadic(ANY),
    FunctionSpec::new("minf", &[ANY], FLOAT, |_, a| extreme(a, false)).variadic(ANY),
    FunctionSpec::new("ceil", &[ANY], FLOAT, |_, a| Ok(Value::from(to_float(&a[0]).ceil()))),
    FunctionSpec::new("floor", &[ANY], FLOAT, |_, a| Ok(Value::from(to_float(&a[0]).floor()))),
    FunctionSpec::new("round", &[ANY, INT], FLOAT, round).variadic(FLOAT),
];

/// `atoi`, in base 10; values out of range become the largest or smallest integer.
fn atoi(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let text = str(&arguments[0]);
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(Value::int(0));
    }
    let limit = if text.starts_with('-') { i64::MIN } else { i64::MAX };
    Ok(Value::int(text.parse().unwrap_or(limit)))
}

fn fold(arguments: &[Value], start: i64, combine: fn(i64, i64) -> i64) -> Outcome {
    Ok(Value::int64(arguments.iter().map(to_int).fold(start, combine)))
}

fn divide(arguments: &[Value], combine: fn(i64, i64) -> i64) -> Outcome {
    match to_int(&arguments[1]) {
        0 => failure("runtime error: integer divide by zero"),
        divisor => Ok(Value::int64(combine(to_int(&arguments[0]), divisor))),
    }
}

fn decimal(
    start: f64,
    others: &[Value],
    combine: fn(&Decimal, &Decimal) -> Result<Decimal, String>,
) -> Outcome {
    let mut result = Decimal::from_float(start).map_err(FuncError::new)?;
    for other in others {
        let other = Decimal::from_float(to_float(other)).map_err(FuncError::new)?;
        result = combine(&result, &other).map_err(FuncError::new)?;
    }
    Ok(Value::from(result.to_float()))
}

/// `math.Max` and `math.Min`; the result is NaN if any argument is.
fn extreme(arguments: &[Value], is_max: bool) -> Outcome {
    let mut numbers = arguments.iter().map(to_float);
    let first = numbers.next().unwrap_or(0.0);
    let result = numbers.fold(first, |a, b| {
        let infinity = if is_max { f64::INFINITY } else { f64::NEG_INFINITY };
        if a == infinity || b == infinity {
            infinity
        } else if a.is_nan() || b.is_nan() {
            f64::NAN
        } else if a == 0.0 && b == 0.0 {
            if a.is_sign_negative() == is_max { b } else { a }
        } else if is_max {
            a.max(b)
        } else {
            a.min(b)
        }
    });
    Ok(Value::from(result))
}

fn until(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let stop = int(&arguments[0]);
    numbers(context, arguments, 0, stop, if stop < 0 { -1 } else { 1 })
}

fn until_step(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [start, stop, step] = arguments else { return Ok(Value::NIL) };
    numbers(context, arguments, int(start), int(stop), int(step))
}

fn numbers(
    context: &mut Executor<'_>,
    arguments: &[Value],
    start: i64,
    stop: i64,
    step: i64,
) -> Outcome {
    let mut shape = go_template::provenance::Taint::NONE;
    for argument in arguments {
        shape = context.tracker.join(shape, argument.taint());
    }
    let numbers = range(context, start, stop, step)?;
    let numbers = numbers.into_iter().map(|n| Value::int(n).with_taint(shape)).collect();
    Ok(list_of(INTS, numbers, shape))
}

/// The numbers from `start` up to but excluding `stop`; empty if `step` points away from `stop`.
fn range(
    context: &mut Executor<'_>,
    start: i64,
    stop: i64,
    step: i64,
) -> Result<Vec<i64>, FuncError> {
    let distance = i128::from(stop) - i128::from(start);
    if step == 0 || distance == 0 || (distance < 0) != (step < 0) {
        return Ok(Vec::new());
    }
    let count = distance.unsigned_abs().div_ceil(u128::from(step.unsigned_abs()));
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    list_room(context, count)?;
    Ok((0..count as i64).map(|i| start + i * step).collect())
}

fn seq(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let numbers: Vec<i64> = arguments.iter().map(int).collect();
    let (start, step, end) = match numbers[..] {
        [end] => (1, if end < 1 { -1 } else { 1 }, end),
        [start, end] => (start, if end < start { -1 } else { 1 }, end),
        [start, step, end] if end >= start || step <= 0 => (start, step, end),
        _ => return Ok(Value::from("")),
    };
    let increment = if end < start { -1 } else { 1 };
    let numbers = range(context, start, end.wrapping_add(increment), step)?;
    let shown: Vec<String> = numbers.iter().map(i64::to_string).collect();
    Ok(Value::from(shown.join(" ")))
}

/// `strconv.ParseInt(fmt.Sprint(v), 8, 64)`.
fn to_decimal(context: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let shown = format::sprint(&mut context.tracker, &arguments[0])?;
    let text = shown.to_str();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(&text);
    let is_octal = !digits.is_empty() && digits.bytes().all(|b| matches!(b, b'0'..=b'7'));
    let number = i64::from_str_radix(&text, 8).ok().filter(|_| is_octal);
    Ok(Value::int64(number.unwrap_or(0)))
}

/// `round`, which rounds half away from zero only for positive numbers.
fn round(_: &mut Executor<'_>, arguments: &[Value]) -> Outcome {
    let [value, places, on @ ..] = arguments else { return Ok(Value::NIL) };
    let on = on.first().and_then(Value::as_float).unwrap_or(0.5);
    let power = power_of_ten(int(places));
    let digit = power * to_float(value);
    let rounded = if digit.fract() >= on { digit.ceil() } else { digit.floor() };
    Ok(Value::from(rounded / power))
}

/// `math.Pow(10, places)`, exact to the last bit: Go multiplies mantissas.
fn power_of_ten(places: i64) -> f64 {
    if places == i64::MIN || places.abs() > 400 {
        return if places > 0 { f64::INFINITY } else { 0.0 };
    }
    let (mut result, mut result_exponent) = (1.0_f64, 0_i32);
    // 10 = 0.625 × 2⁴
    let (mut factor, mut factor_exponent) = (0.625_f64, 4_i32);
    let mut rest = places.unsigned_abs();
    while rest != 0 {
        if rest & 1 == 1 {
            result *= factor;
            result_exponent += factor_exponent;
        }
        factor *= factor;
        factor_exponent <<= 1;
        if factor < 0.5 {
            factor += factor;
            factor_exponent -= 1;
        }
        rest >>= 1;
    }
    if places < 0 {
        result = 1.0 / result;
        result_exponent = -result_exponent;
    }
    load_exponent(result, result_exponent)
}

/// `math.Ldexp`, in two steps where one would leave the range of floats.
fn load_exponent(mantissa: f64, exponent: i32) -> f64 {
    let half = exponent / 2;
    mantissa * 2_f64.powi(half) * 2_f64.powi(exponent - half)
}
