//! File names as text.

use std::{borrow::Cow, ffi::OsStr};

/// A file name or path as text; bytes that are not UTF-8 become `\xFF`. A replacement character would make it look
/// like the name of another file.
pub fn printed(name: &OsStr) -> Cow<'_, str> {
    if let Some(name) = name.to_str() {
        return name.into();
    }
    let mut text = String::new();
    for chunk in name.as_encoded_bytes().utf8_chunks() {
        text += chunk.valid();
        chunk.invalid().iter().for_each(|byte| text += &format!("\\x{byte:02X}"));
    }
    text.into()
}
