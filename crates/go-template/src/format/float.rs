//! `strconv.FormatFloat`.

/// Prints a float (`strconv.FormatFloat(value, format, precision, 64)`). `format` is one of
/// `eEfgGbxX`. Without a precision, the result is the shortest text that parses as the same number.
pub fn format_float(value: f64, format: u8, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".into();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let value = value.abs();
    if value.is_infinite() {
        return if sign.is_empty() { "+Inf".into() } else { "-Inf".into() };
    }
    let digits = match format {
        b'b' => binary(value),
        b'x' | b'X' => hexadecimal(value, format, precision),
        b'f' => precision.map_or_else(|| format!("{value}"), |n| fixed(value, n)),
        b'e' | b'E' => {
            let decimal = Decimal::new(value, precision.map(|n| n + 1));
            decimal.exponential(format, precision.unwrap_or(decimal.digits.len().max(1) - 1))
        }
        _ => general(value, format, precision),
    };
    format!("{sign}{digits}")
}

/// `%f`.
fn fixed(value: f64, precision: usize) -> String {
    let exact = precision.min(MAX_FRACTION);
    format!("{value:.exact$}") + &"0".repeat(precision - exact)
}

/// The most digits after the point that an f64 has. `format!` panics on widths beyond 65,535.
const MAX_FRACTION: usize = 1074;

/// `%g`: exponential for large and small exponents. The threshold is not JSON's 21.
fn general(value: f64, format: u8, precision: Option<usize>) -> String {
    let precision = precision.map(|n| n.max(1));
    let decimal = Decimal::new(value, precision);
    let len = decimal.digits.len();
    let threshold = match precision {
        None => 6,
        Some(n) if n > len && len as i32 >= decimal.point => len as i32,
        Some(n) => n as i32,
    };
    let exponent = decimal.point - 1;
    if exponent < -4 || exponent >= threshold {
        let shown = precision.map_or(len, |n| n.min(len)).max(1);
        return decimal.exponential(if format == b'g' { b'e' } else { b'E' }, shown - 1);
    }
    decimal.positional()
}

/// Significant digits without trailing zeros; the value is `0.digits × 10^point`.
struct Decimal {
    digits: String,
    point: i32,
}

impl Decimal {
    /// `significant` digits, correctly rounded, or as many as identify the number.
    fn new(value: f64, significant: Option<usize>) -> Self {
        if value == 0.0 {
            return Self { digits: String::new(), point: 0 };
        }
        let text = match significant {
            // No f64 has more than 767 significant digits.
            Some(n) => format!("{value:.*e}", n.clamp(1, 800) - 1),
            None => format!("{value:e}"),
        };
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = mantissa.replace('.', "");
        let point = exponent.parse::<i32>().unwrap_or(0) + 1;
        Self { digits: digits.trim_end_matches('0').to_owned(), point }
    }

    /// `d.ddde±dd` with `precision` digits after the point.
    fn exponential(&self, letter: u8, precision: usize) -> String {
        let mut text = String::from(self.digits.get(..1).unwrap_or("0"));
        if precision > 0 {
            let rest = self.digits.get(1..).unwrap_or_default();
            let shown = &rest[..rest.len().min(precision)];
            text.push('.');
            text.push_str(shown);
            text.extend(std::iter::repeat_n('0', precision - shown.len()));
        }
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{text}{}{sign}{:02}", char::from(letter), exponent.abs())
    }

    /// Without an exponent, and no more digits than there are.
    fn positional(&self) -> String {
        let Self { digits, point } = self;
        let Ok(whole) = usize::try_from(*point) else {
            return format!("0.{}{digits}", "0".repeat(point.unsigned_abs() as usize));
        };
        match digits.get(whole..) {
            _ if digits.is_empty() => "0".into(),
            _ if whole == 0 => format!("0.{digits}"),
            Some("") => digits.clone(),
            Some(fraction) => format!("{}.{fraction}", &digits[..whole]),
            None => format!("{digits}{}", "0".repeat(whole - digits.len())),
        }
    }
}

/// Mantissa and exponent such that the value is `mantissa × 2^exponent`.
fn split(value: f64) -> (u64, i32) {
    let bits = value.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let mantissa = bits & ((1 << 52) - 1);
    if exponent == 0 { (mantissa, -1074) } else { (mantissa | 1 << 52, exponent - 1075) }
}

/// `%b`: `4503599627370496p-52`.
fn binary(value: f64) -> String {
    let (mantissa, exponent) = split(value);
    format!("{mantissa}p{exponent:+}")
}

/// `%x`: `0x1.8p+01`.
fn hexadecimal(value: f64, format: u8, precision: Option<usize>) -> String {
    let (mut mantissa, mut exponent) = split(value);
    if mantissa == 0 {
        exponent = 0;
    } else {
        // The leading one at bit 60, followed by 15 hexadecimal digits.
        let shift = mantissa.leading_zeros() - 3;
        mantissa <<= shift;
        exponent += 60 - shift as i32;
    }
    if let Some(n) = precision.filter(|n| *n < 15) {
        let shift = n as u32 * 4;
        let extra = (mantissa << shift) & ((1 << 60) - 1);
        mantissa >>= 60 - shift;
        if extra | (mantissa & 1) > 1 << 59 {
            mantissa += 1;
        }
        mantissa <<= 60 - shift;
        if mantissa >> 61 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let fraction = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let fraction = match precision {
        None => fraction.trim_end_matches('0').to_owned(),
        Some(n) if n < fraction.len() => fraction[..n].to_owned(),
        Some(n) => fraction.clone() + &"0".repeat(n - fraction.len()),
    };
    let point = if fraction.is_empty() { "" } else { "." };
    let (sign, power) = (if exponent < 0 { '-' } else { '+' }, exponent.abs());
    let text = format!("0x{}{point}{fraction}p{sign}{power:02}", mantissa >> 60);
    if format == b'X' { text.to_uppercase() } else { text }
}
