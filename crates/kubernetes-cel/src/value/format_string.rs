//! `'…'.format([…])`: the formats of cel-go's strings, version 2, in English.

use crate::types::Type;
use crate::value::Value;
use crate::value::cost::Meter;
use crate::value::functions::Failure;
use crate::value::text;

/// Digits after the point, if the format does not say how many.
const PRECISION: usize = 6;

/// Digits after the point that a format may ask for.
const MOST_PRECISE: usize = 1000;

enum Piece<'t> {
    Text(&'t str),
    Clause { kind: char, precision: Option<usize> },
}

/// The pieces of a format, up to the first error.
fn pieces(format: &str) -> Vec<Result<Piece<'_>, String>> {
    let mut pieces = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        pieces.push(Ok(Piece::Text(&rest[..at])));
        let after = &rest[at + 1..];
        if let Some(after) = after.strip_prefix('%') {
            pieces.push(Ok(Piece::Text("%")));
            rest = after;
            continue;
        }
        match clause(after) {
            Ok((piece, length)) => {
                pieces.push(Ok(piece));
                rest = &after[length..];
            }
            Err(message) => {
                pieces.push(Err(message));
                return pieces;
            }
        }
    }
    pieces.push(Ok(Piece::Text(rest)));
    pieces
}

/// What follows a `%`, and its length.
fn clause(text: &str) -> Result<(Piece<'static>, usize), String> {
    const WRONG: &str = "could not parse formatting clause: ";
    let mut precision = None;
    let mut at = 0;
    if let Some(after) = text.strip_prefix('.') {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        at = 1 + digits;
        if at == text.len() {
            return Err(format!(
                "{WRONG}error while parsing precision: could not find end of precision specifier"
            ));
        }
        let number = &text[1..at];
        let why = if number.is_empty() { "invalid syntax" } else { "value out of range" };
        let parsed = number.parse::<usize>().map_err(|_| {
            format!("{WRONG}error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing {number:?}: {why}")
        })?;
        if parsed > MOST_PRECISE {
            return Err(format!("{WRONG}precision is larger than {MOST_PRECISE}"));
        }
        precision = Some(parsed);
    }
    let Some(kind) = text[at..].chars().next() else {
        return Err("unexpected end of string".to_owned());
    };
    if !"sdfebxXo".contains(kind) {
        return Err(format!("{WRONG}unrecognized formatting clause \"{kind}\""));
    }
    Ok((Piece::Clause { kind, precision }, at + 1))
}

/// What a clause that gets another type says.
fn refusal(kind: char, of: &str) -> String {
    let rule = match kind {
        's' => {
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps"
        }
        'd' => "decimal clause can only be used on integers",
        'f' => "fixed-point clause can only be used on doubles",
        'e' => "scientific clause can only be used on doubles",
        'b' => "only integers and bools can be formatted as binary",
        'o' => "octal clause can only be used on integers",
        _ => "only integers, byte buffers, and strings can be formatted as hex",
    };
    format!("error during formatting: {rule}, was given {of}")
}

/// Checks a format with arguments of these types. An error may concern one of the arguments.
pub(crate) fn check(format: &str, arguments: &[Type]) -> Result<(), (Option<usize>, String)> {
    let mut next = 0;
    for piece in pieces(format) {
        let piece = match piece {
            Ok(piece) => piece,
            Err(message) => return Err((None, message)),
        };
        let Piece::Clause { kind, .. } = piece else { continue };
        let Some(of) = arguments.get(next) else {
            return Err((None, format!("index {next} out of range")));
        };
        let fits = match (kind, of) {
            (_, Type::Dyn) => true,
            ('s', other) => !matches!(other, Type::Object(_) | Type::Opaque(_) | Type::Optional(_)),
            ('d' | 'o', Type::Int | Type::Uint) | ('f' | 'e', Type::Double | Type::String) => true,
            ('b', Type::Int | Type::Uint | Type::Bool) => true,
            ('x' | 'X', Type::Int | Type::Uint | Type::String | Type::Bytes) => true,
            _ => false,
        };
        if !fits {
            return Err((
                Some(next),
                refusal(kind, of.declared_name().split('(').next().unwrap_or_default()),
            ));
        }
        next += 1;
    }
    if arguments.len() > next {
        let given = arguments.len();
        return Err((
            None,
            format!("too many arguments supplied to string.format (expected {next}, got {given})"),
        ));
    }
    Ok(())
}

/// The format with its arguments.
pub(crate) fn format(
    format: &str,
    arguments: &[Value],
    meter: &mut Meter,
) -> Result<String, Failure> {
    let mut formatted = String::new();
    let mut arguments = arguments.iter().enumerate();
    let count = arguments.len();
    for piece in pieces(format) {
        match piece.map_err(Failure::Error)? {
            Piece::Text(text) => formatted.push_str(text),
            Piece::Clause { kind, precision } => {
                let Some((_, argument)) = arguments.next() else {
                    return Err(Failure::Error(format!("index {count} out of range")));
                };
                let refused = || Failure::Error(refusal(kind, argument.type_name()));
                let text = match kind {
                    's' => plain(argument, meter)?.ok_or_else(refused)?,
                    'f' => fixed(argument, precision.unwrap_or(PRECISION)).ok_or_else(refused)?,
                    'e' => scientific(argument).ok_or_else(refused)?,
                    kind => integer(argument, kind).ok_or_else(refused)?,
                };
                formatted.push_str(&text);
            }
        }
        meter.work(formatted.len() / 64)?;
    }
    Ok(formatted)
}

/// `%s`.
fn plain(value: &Value, meter: &mut Meter) -> Result<Option<String>, Failure> {
    Ok(match value {
        Value::Unknown { names, .. } => return Err(Failure::Unknown(names.clone())),
        Value::Null => Some("null".to_owned()),
        Value::List(_) | Value::Map(_) => {
            let mut literal = String::new();
            write_literal(value, &mut literal, meter)?;
            Some(literal)
        }
        Value::Optional(_) | Value::Opaque(_) => None,
        other => Some(crate::value::functions::text_of(other)?),
    })
}

/// A part of a list or map as a literal.
fn write_literal(value: &Value, text: &mut String, meter: &mut Meter) -> Result<(), Failure> {
    meter.work(4)?;
    match value {
        Value::String(own) => *text += &text::quoted(own),
        Value::Bytes(bytes) => {
            *text += &format!("b{}", text::quoted(&String::from_utf8_lossy(bytes)))
        }
        Value::Double(own) if own.is_finite() => *text += &format!("{own:.6}"),
        Value::Double(own) => *text += &format!("{:?}", text::general(*own)),
        Value::Timestamp(_) => *text += &format!("timestamp({:?})", text::display(value)),
        Value::Duration(_) => *text += &format!("duration({:?})", text::display(value)),
        Value::List(items) => {
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                *text += if index > 0 { ", " } else { "" };
                write_literal(item, text, meter)?;
            }
            text.push(']');
        }
        Value::Map(entries) => {
            text.push('{');
            let mut pairs: Vec<_> =
                entries.iter().map(|(key, value)| (key_literal(key), value)).collect();
            pairs.sort_by(|(left, _), (right, _)| left.cmp(right));
            for (index, (key, value)) in pairs.into_iter().enumerate() {
                *text += if index > 0 { ", " } else { "" };
                *text += &key;
                text.push(':');
                write_literal(value, text, meter)?;
            }
            text.push('}');
        }
        Value::Opaque(_) | Value::Optional(_) => {
            let message = format!(
                "error during formatting: no formatting function for {}",
                value.type_name()
            );
            return Err(Failure::Error(message));
        }
        other => *text += &plain(other, meter)?.unwrap_or_default(),
    }
    Ok(())
}

fn key_literal(key: &crate::value::Key) -> String {
    match key {
        crate::value::Key::String(text) => text::quoted(text),
        other => text::display_key(other),
    }
}

/// The double of a clause for doubles, which takes three texts, too.
fn as_double(value: &Value) -> Option<f64> {
    match value {
        Value::Double(value) => Some(*value),
        Value::String(text) => match &**text {
            "NaN" => Some(f64::NAN),
            "Infinity" => Some(f64::INFINITY),
            "-Infinity" => Some(f64::NEG_INFINITY),
            _ => None,
        },
        _ => None,
    }
}

fn special(value: f64) -> Option<String> {
    match value {
        value if value.is_nan() => Some("NaN".to_owned()),
        f64::INFINITY => Some("∞".to_owned()),
        f64::NEG_INFINITY => Some("-∞".to_owned()),
        _ => None,
    }
}

/// `%.2f`, with commas between thousands.
fn fixed(value: &Value, precision: usize) -> Option<String> {
    let value = as_double(value)?;
    if let Some(text) = special(value) {
        return Some(text);
    }
    let text = format!("{:.precision$}", value.abs());
    let (whole, fraction) =
        text.split_once('.').map_or((&*text, None), |(whole, rest)| (whole, Some(rest)));
    let mut grouped = if value.is_sign_negative() { "-".to_owned() } else { String::new() };
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if let Some(fraction) = fraction {
        grouped.push('.');
        grouped.push_str(fraction);
    }
    Some(grouped)
}

/// `%e`: `1.500000×10⁰³`. The API server ignores the precision, and gives other values six characters.
fn scientific(value: &Value) -> Option<String> {
    let value = as_double(value)?;
    if let Some(text) = special(value) {
        return Some(format!("{text:>6}"));
    }
    let text = format!("{value:.PRECISION$e}");
    let (digits, exponent) = text.split_once('e')?;
    let exponent: i32 = exponent.parse().ok()?;
    let raised: String = format!("{:02}", exponent.abs()).chars().map(superscript).collect();
    let sign = if exponent < 0 { "⁻" } else { "" };
    Some(format!("{digits}×10{sign}{raised}"))
}

fn superscript(digit: char) -> char {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    digit.to_digit(10).map_or(digit, |digit| DIGITS[digit as usize])
}

/// `%d`, `%b`, `%o`, `%x` and `%X`.
fn integer(value: &Value, kind: char) -> Option<String> {
    let (negative, magnitude) = match value {
        Value::Int(value) => (*value < 0, value.unsigned_abs()),
        Value::Uint(value) => (false, *value),
        Value::Bool(value) if kind == 'b' => (false, u64::from(*value)),
        Value::String(text) if matches!(kind, 'x' | 'X') => {
            return Some(hexadecimal(text.as_bytes(), kind));
        }
        Value::Bytes(bytes) if matches!(kind, 'x' | 'X') => return Some(hexadecimal(bytes, kind)),
        _ => return None,
    };
    let digits = match kind {
        'b' => format!("{magnitude:b}"),
        'o' => format!("{magnitude:o}"),
        'x' => format!("{magnitude:x}"),
        'X' => format!("{magnitude:X}"),
        _ => magnitude.to_string(),
    };
    Some(if negative { format!("-{digits}") } else { digits })
}

fn hexadecimal(bytes: &[u8], kind: char) -> String {
    let digits = bytes
        .iter()
        .map(|byte| if kind == 'X' { format!("{byte:02X}") } else { format!("{byte:02x}") });
    digits.collect()
}
