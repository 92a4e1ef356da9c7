//! Reading files within Helm's limits, and Go's texts for system errors.

use std::io::{self, Read};

/// The limit for all files of a chart together, in bytes. Helm `pkg/chart/loader/archive`.
pub(crate) const MAX_CHART: u64 = 100 << 20;

/// Reads at most `limit + 1` bytes: a result longer than `limit` tells the caller that the source
/// is too long.
pub(crate) fn read_up_to(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    source.take(limit + 1).read_to_end(&mut data)?;
    Ok(data)
}

/// The text of a system error as Go prints it: lower case, without Rust's error number.
pub(crate) fn go_error(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
