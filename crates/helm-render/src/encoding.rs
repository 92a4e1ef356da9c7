//! Go's `encoding/base64` and `encoding/base32`: standard alphabets, with padding.

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub(crate) fn base64(bytes: &[u8]) -> String {
    encode(bytes, BASE64, 6)
}

pub(crate) fn base32(bytes: &[u8]) -> String {
    encode(bytes, BASE32, 5)
}

/// Decodes base64. The error is Go's message.
pub(crate) fn from_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    decode64(text).map_err(|at| format!("illegal base64 data at input byte {at}"))
}

/// Decodes base32. The error is Go's message.
pub(crate) fn from_base32(text: &[u8]) -> Result<Vec<u8>, String> {
    decode32(text).map_err(|at| format!("illegal base32 data at input byte {at}"))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn encode(bytes: &[u8], alphabet: &[u8], bits: u32) -> String {
    let group = group_len(bits);
    let mut text = String::with_capacity(bytes.len() * 2 + group);
    let (mut buffer, mut filled) = (0_u32, 0);
    for &byte in bytes {
        buffer = buffer << 8 | u32::from(byte);
        filled += 8;
        while filled >= bits {
            filled -= bits;
            text.push(symbol(alphabet, buffer >> filled, bits));
        }
    }
    if filled > 0 {
        text.push(symbol(alphabet, buffer << (bits - filled), bits));
    }
    while !text.len().is_multiple_of(group) {
        text.push('=');
    }
    text
}

fn symbol(alphabet: &[u8], value: u32, bits: u32) -> char {
    char::from(alphabet[(value & ((1 << bits) - 1)) as usize])
}

/// The symbols in a group that encodes whole bytes.
fn group_len(bits: u32) -> usize {
    if bits == 6 { 4 } else { 8 }
}

/// The value of a symbol in its alphabet.
fn value_of(alphabet: &[u8], byte: u8) -> Option<u64> {
    alphabet.iter().position(|&symbol| symbol == byte).map(|value| value as u64)
}

/// Decodes base64, skipping line breaks. The error is the offset of the invalid byte.
fn decode64(text: &[u8]) -> Result<Vec<u8>, usize> {
    let skip = |mut at: usize| {
        while matches!(text.get(at), Some(b'\r' | b'\n')) {
            at += 1;
        }
        at
    };
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let mut at = 0;
    loop {
        let (mut total, mut count) = (0_u64, 0);
        while count < 4 {
            at = skip(at);
            let Some(&byte) = text.get(at) else {
                return if count == 0 { Ok(bytes) } else { Err(at - count) };
            };
            at += 1;
            if let Some(value) = value_of(BASE64, byte) {
                total = total << 6 | value;
                count += 1;
                continue;
            }
            if byte != b'=' || count < 2 {
                return Err(at - 1);
            }
            at = skip(at);
            if count == 2 {
                match text.get(at) {
                    None => return Err(text.len()),
                    Some(b'=') => at = skip(at + 1),
                    Some(_) => return Err(at - 1),
                }
            }
            if at < text.len() {
                return Err(at);
            }
            let all = (total << (6 * (4 - count))).to_be_bytes();
            bytes.extend_from_slice(&all[5..5 + count - 1]);
            return Ok(bytes);
        }
        bytes.extend_from_slice(&u64::to_be_bytes(total)[5..]);
    }
}

/// Decodes base32. The error is the offset of the invalid byte in the text without its line breaks.
fn decode32(text: &[u8]) -> Result<Vec<u8>, usize> {
    let text: Vec<u8> = text.iter().copied().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
    let mut bytes = Vec::with_capacity(text.len() / 8 * 5);
    for start in (0..text.len()).step_by(8) {
        let (mut total, mut count) = (0_u64, 0);
        while count < 8 {
            let at = start + count;
            let Some(&byte) = text.get(at) else { return Err(start) };
            let rest = &text[at + 1..];
            if byte == b'=' && count >= 2 && rest.len() < 8 {
                if rest.len() + count < 7 {
                    return Err(text.len());
                }
                if let Some(bad) = rest.iter().take(7 - count).position(|&b| b != b'=') {
                    return Err(at + bad);
                }
                if matches!(count, 3 | 6) {
                    return Err(at);
                }
                let all = (total << (5 * (8 - count))).to_be_bytes();
                bytes.extend_from_slice(&all[3..3 + count * 5 / 8]);
                return Ok(bytes);
            }
            total = total << 5 | value_of(BASE32, byte).ok_or(at)?;
            count += 1;
        }
        bytes.extend_from_slice(&u64::to_be_bytes(total)[3..]);
    }
    Ok(bytes)
}
