//! Reading files within Helm's limits, and Go's texts for system errors.

use std::{
    fs,
    io::{self, ErrorKind, Read},
    iter,
    sync::Arc,
};

/// The limit for all files of a chart together, in bytes. Helm `pkg/chart/loader/archive`.
pub(crate) const MAX_CHART: u64 = 100 << 20;

/// Reads at most `limit + 1` bytes: a result longer than `limit` tells the caller that the source
/// is too long.
pub(crate) fn read_up_to(source: impl Read, limit: u64) -> io::Result<Vec<u8>> {
    let mut data = Vec::new();
    source.take(limit + 1).read_to_end(&mut data)?;
    Ok(data)
}

/// The same for a file, whose size tells how much there is to read.
pub(crate) fn read_file_up_to(mut file: fs::File, limit: u64) -> io::Result<Arc<[u8]>> {
    let size = file.metadata()?.len().min(limit + 1);
    let mut data: Arc<[u8]> = iter::repeat_n(0, size as usize).collect();
    let mut read = 0;
    let unread = Arc::get_mut(&mut data).unwrap_or_default();
    while read < unread.len() {
        match file.read(&mut unread[read..]) {
            Ok(0) => break,
            Ok(count) => read += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let rest = read_up_to(file, limit.saturating_sub(read as u64))?;
    match read == data.len() && rest.is_empty() {
        true => Ok(data),
        // Somebody is writing the file.
        false => Ok([&data[..read], &rest].concat().into()),
    }
}

/// The text of a system error as Go prints it: lower case, without Rust's error number.
pub(crate) fn go_error(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text);
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}
