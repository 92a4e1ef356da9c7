//! Addresses of files, as the protocol writes them.

use std::path::{Path, PathBuf};

use lsp_types::Uri;

use crate::discover::normal;

/// The path of a `file:` address; `None` for any other.
pub(super) fn path_of(uri: &Uri) -> Option<PathBuf> {
    let rest = uri.as_str().strip_prefix("file://")?;
    let rest = rest.split(['?', '#']).next()?;
    // A host is only meaningful on other systems than ours; `localhost` means none.
    let rest = rest.strip_prefix("localhost").unwrap_or(rest);
    let decoded = decoded(rest)?;
    let drive = decoded.strip_prefix('/').filter(|rest| rest.get(1..2) == Some(":"));
    Some(normal(Path::new(drive.filter(|_| cfg!(windows)).unwrap_or(&decoded))))
}

/// The address of an absolute path; `None` if its name is not UTF-8.
pub(super) fn uri_of(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    let text = if cfg!(windows) { text.replace('\\', "/") } else { text.to_owned() };
    let mut uri = String::from("file://");
    if !text.starts_with('/') {
        uri.push('/');
    }
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.parse().ok()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: u8| (byte as char).to_digit(16);
        bytes.push((digit(rest.next()?)? * 16 + digit(rest.next()?)?) as u8);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_survive() {
        for path in ["/a b/ä#?%41.yaml", "/c/values.yaml"] {
            let uri = uri_of(Path::new(path)).unwrap();
            assert_eq!(path_of(&uri).unwrap(), Path::new(path), "{}", uri.as_str());
        }
        let from = |uri: &str| path_of(&uri.parse().unwrap());
        assert_eq!(from("file:///a%3Ab/../c"), Some("/c".into()));
        assert_eq!(from("file://localhost/a"), Some("/a".into()));
        assert_eq!(from("untitled:Untitled-1"), None);
        assert_eq!(from("file:///%FF"), None, "no UTF-8");
    }
}
