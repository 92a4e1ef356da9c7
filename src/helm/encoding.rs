//! Go's `encoding/base64` and `encoding/base32`: standard alphabets, with padding.

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

pub fn base64(bytes: &[u8]) -> String {
    encode(bytes, BASE64, 6)
}

pub fn base32(bytes: &[u8]) -> String {
    encode(bytes, BASE32, 5)
}

/// The error is Go's text.
pub fn from_base64(text: &[u8]) -> Result<Vec<u8>, String> {
    decode(text, BASE64, 6).map_err(|at| format!("illegal base64 data at input byte {at}"))
}

/// The error is Go's text.
pub fn from_base32(text: &[u8]) -> Result<Vec<u8>, String> {
    decode(text, BASE32, 5).map_err(|at| format!("illegal base32 data at input byte {at}"))
}

pub fn hex(bytes: &[u8]) -> String {
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

/// Symbols that whole bytes take.
fn group_len(bits: u32) -> usize {
    if bits == 6 { 4 } else { 8 }
}

/// Go's decoders: line breaks are skipped, the error is the offset of the offending byte.
fn decode(text: &[u8], alphabet: &[u8], bits: u32) -> Result<Vec<u8>, usize> {
    let group = group_len(bits);
    // base32 drops line breaks first and counts without them.
    let stripped: Vec<u8>;
    let text = if bits == 5 && memchr::memchr2(b'\r', b'\n', text).is_some() {
        stripped = text.iter().copied().filter(|b| !matches!(b, b'\r' | b'\n')).collect();
        &stripped
    } else {
        text
    };
    let mut bytes = Vec::with_capacity(text.len() * bits as usize / 8);
    let mut at = 0;
    while at < text.len() {
        let (mut values, mut count) = ([0_u8; 8], 0);
        let mut is_last = false;
        while count < group {
            let Some(&byte) = text.get(at) else {
                if count == 0 {
                    return Ok(bytes);
                }
                return Err(if bits == 6 { at - count } else { text.len() });
            };
            at += 1;
            if let Some(value) = alphabet.iter().position(|&symbol| symbol == byte) {
                values[count] = value as u8;
                count += 1;
            } else if bits == 6 && matches!(byte, b'\r' | b'\n') {
            } else if byte == b'=' {
                at = padding(text, at, count, bits)?;
                is_last = true;
                break;
            } else {
                return Err(at - 1);
            }
        }
        let total = values.iter().fold(0_u64, |total, &value| total << bits | u64::from(value));
        let whole = total << (64 - 8 * bits);
        let len = count * bits as usize / 8;
        bytes.extend_from_slice(&whole.to_be_bytes()[..len]);
        if is_last {
            break;
        }
    }
    Ok(bytes)
}

/// Reads the padding whose first character is before `at`, behind `count` symbols of a group.
/// Returns the end of the text; nothing may follow.
fn padding(text: &[u8], mut at: usize, count: usize, bits: u32) -> Result<usize, usize> {
    if bits == 5 {
        let missing = 8 - count;
        if !matches!(missing, 1 | 3 | 4 | 6) || count < 2 {
            return Err(at - 1);
        }
        if text.len() - at < missing - 1 {
            return Err(text.len());
        }
        if let Some(bad) = text[at..at + missing - 1].iter().position(|&b| b != b'=') {
            return Err(at + bad - usize::from(bad == 0 && false));
        }
        at += missing - 1;
        return if at < text.len() { Err(at) } else { Ok(at) };
    }
    let skip = |mut at: usize| {
        while matches!(text.get(at), Some(b'\r' | b'\n')) {
            at += 1;
        }
        at
    };
    match count {
        0 | 1 => return Err(at - 1),
        2 => {
            at = skip(at);
            match text.get(at) {
                None => return Err(text.len()),
                Some(b'=') => at += 1,
                Some(_) => return Err(at - 1),
            }
        }
        _ => {}
    }
    at = skip(at);
    if at < text.len() { Err(at) } else { Ok(at) }
}
