//! Time zone names in texts.

/// `parseTimeZone`: three to five capital letters, or signed hours.
pub(super) fn zone_name_len(value: &str) -> Option<usize> {
    let bytes = value.as_bytes();
    if bytes.len() < 3 {
        return None;
    }
    if value.starts_with("ChST") || value.starts_with("MeST") {
        return Some(4);
    }
    if let Some(hours) = value.strip_prefix("GMT") {
        return Some(3 + signed_hours_len(hours));
    }
    if matches!(bytes[0], b'+' | b'-') {
        let len = signed_hours_len(value);
        return (len > 0).then_some(len);
    }
    match bytes.iter().take(6).take_while(|b| b.is_ascii_uppercase()).count() {
        5 if bytes[4] == b'T' => Some(5),
        4 if bytes[3] == b'T' || value.starts_with("WITA") => Some(4),
        3 => Some(3),
        _ => None,
    }
}

/// `parseSignedOffset`.
fn signed_hours_len(value: &str) -> usize {
    let Some(digits) = value.strip_prefix(['+', '-']) else { return 0 };
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    match digits[..count].parse::<u64>() {
        Ok(hours) if hours <= 23 => count + 1,
        _ => 0,
    }
}
