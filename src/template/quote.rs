//! Go's string quoting.

/// `strconv.Quote`.
pub fn quote(bytes: &[u8]) -> String {
    format!("{:?}", String::from_utf8_lossy(bytes))
}
