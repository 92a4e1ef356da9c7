//! The values of literals.

use crate::value::Value;

/// `1`, `0x1F`, with the sign before it.
pub(crate) fn int(text: &str, negative: bool) -> Option<Value> {
    let (digits, radix) = digits(text);
    let sign = if negative { "-" } else { "" };
    i64::from_str_radix(&format!("{sign}{digits}"), radix).ok().map(Value::Int)
}

/// `1u`, `0x1Fu`.
pub(crate) fn uint(text: &str) -> Option<Value> {
    let (digits, radix) = digits(text.trim_end_matches(['u', 'U']));
    u64::from_str_radix(digits, radix).ok().map(Value::Uint)
}

fn digits(text: &str) -> (&str, u32) {
    text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16))
}

/// `1.5e3`, with the sign before it.
pub(crate) fn double(text: &str, negative: bool) -> Option<Value> {
    let value: f64 = text.parse().ok().filter(|value: &f64| value.is_finite())?;
    Some(Value::Double(if negative { -value } else { value }))
}

/// The text of a quoted string.
pub(crate) fn string(quoted: &str) -> Result<Value, &'static str> {
    let bytes = unescape(quoted, false)?;
    String::from_utf8(bytes).map(Value::from).map_err(|_| "unable to unescape string")
}

/// The bytes of `b'…'`.
pub(crate) fn bytes(quoted: &str) -> Result<Value, &'static str> {
    Ok(Value::Bytes(unescape(&quoted[1..], true)?.into()))
}

fn unescape(quoted: &str, is_bytes: bool) -> Result<Vec<u8>, &'static str> {
    let normal = quoted.replace("\r\n", "\n").replace('\r', "\n");
    let unprefixed = normal.trim_start_matches(['r', 'R']);
    let is_raw = unprefixed.len() < normal.len();
    let marks = if unprefixed.len() >= 6
        && (unprefixed.starts_with("'''") || unprefixed.starts_with("\"\"\""))
    {
        3
    } else {
        1
    };
    let mut rest = &unprefixed[marks..unprefixed.len() - marks];
    let mut bytes = Vec::with_capacity(rest.len());
    while let Some(at) = rest.find('\\').filter(|_| !is_raw) {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        rest = escape(&rest[at + 1..], is_bytes, &mut bytes)?;
    }
    bytes.extend_from_slice(rest.as_bytes());
    Ok(bytes)
}

/// Reads what follows a backslash; returns the rest.
fn escape<'t>(text: &'t str, is_bytes: bool, bytes: &mut Vec<u8>) -> Result<&'t str, &'static str> {
    const FAILED: &str = "unable to unescape string";
    let first = text.chars().next().ok_or(FAILED)?;
    let rest = &text[first.len_utf8()..];
    let simple = match first {
        'a' => 7,
        'b' => 8,
        'f' => 12,
        'n' => b'\n',
        'r' => b'\r',
        't' => b'\t',
        'v' => 11,
        '\\' | '\'' | '"' | '`' | '?' => first as u8,
        _ => {
            let (digits, radix, from) = match first {
                'x' | 'X' => (2, 16, rest),
                'u' if !is_bytes => (4, 16, rest),
                'U' if !is_bytes => (8, 16, rest),
                '0'..='3' => (3, 8, text),
                _ => return Err(FAILED),
            };
            let number =
                from.get(..digits).filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
            let code =
                number.and_then(|text| u32::from_str_radix(text, radix).ok()).ok_or(FAILED)?;
            match u8::try_from(code).ok().filter(|_| is_bytes) {
                Some(byte) => bytes.push(byte),
                None => {
                    let character = char::from_u32(code).ok_or("invalid unicode code point")?;
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            return Ok(&from[digits..]);
        }
    };
    bytes.push(simple);
    Ok(rest)
}
