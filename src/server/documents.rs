//! The open files and their unsaved texts.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use lsp_types::{
    DidChangeTextDocumentParams, TextDocumentContentChangeEvent, TextDocumentItem, Uri,
};

use super::{
    position::{Encoding, Lines},
    uri::path_of,
};

/// A file that is open in the editor.
#[derive(Clone, Debug)]
pub(super) struct Document {
    /// The address as the client writes it.
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
}

/// The open files by absolute path.
#[derive(Clone, Debug, Default)]
pub(super) struct Documents {
    pub(super) open: BTreeMap<PathBuf, Document>,
    /// The files that somebody has looked at, the last one at the end.
    pub(super) recent: Vec<PathBuf>,
}

/// How many files count as just looked at.
const MOST_RECENT: usize = 4;

impl Documents {
    /// Somebody looks at a file.
    pub(super) fn touch(&mut self, path: &Path) {
        self.recent.retain(|own| own != path);
        if self.recent.len() == MOST_RECENT {
            self.recent.remove(0);
        }
        self.recent.push(path.to_owned());
    }

    /// Opens a file. What has no path, such as a new file without a name, is left to other servers.
    pub(super) fn open(&mut self, item: TextDocumentItem) {
        if let Some(path) = path_of(&item.uri) {
            self.touch(&path);
            let (uri, version, text) = (item.uri, item.version, item.text.into());
            self.open.insert(path, Document { uri, version, text });
        }
    }

    pub(super) fn close(&mut self, uri: &Uri) {
        if let Some(path) = path_of(uri) {
            self.open.remove(&path);
        }
    }

    pub(super) fn get(&self, uri: &Uri) -> Option<(&PathBuf, &Document)> {
        self.open.get_key_value(&path_of(uri)?)
    }

    /// Applies the changes in their order.
    ///
    /// # Errors
    /// The file is not open, or a range is reversed; the text stays as it was.
    pub(super) fn change(
        &mut self,
        params: DidChangeTextDocumentParams,
        encoding: Encoding,
    ) -> Result<(), String> {
        let uri = &params.text_document.uri;
        let Some(path) = path_of(uri) else { return Ok(()) };
        self.touch(&path);
        let closed = || format!("{}: changed, but not open", uri.as_str());
        let document = self.open.get_mut(&path).ok_or_else(closed)?;
        let mut text = document.text.to_string();
        for change in params.content_changes {
            apply(&mut text, change, encoding)
                .map_err(|reason| format!("{}: {reason}", uri.as_str()))?;
        }
        document.text = text.into();
        document.version = params.text_document.version;
        Ok(())
    }
}

fn apply(
    text: &mut String,
    change: TextDocumentContentChangeEvent,
    encoding: Encoding,
) -> Result<(), &'static str> {
    let Some(range) = change.range else {
        *text = change.text;
        return Ok(());
    };
    let lines = Lines::new(text, encoding);
    let (start, end) = (lines.offset(range.start), lines.offset(range.end));
    if start > end {
        return Err("a range ends before it starts");
    }
    text.replace_range(start..end, &change.text);
    Ok(())
}

#[cfg(test)]
mod tests {
    use lsp_types::{Position, Range};

    use super::*;

    fn changed(text: &str, range: Option<((u32, u32), (u32, u32))>, new: &str) -> String {
        let mut text = text.to_owned();
        let position = |(line, character)| Position { line, character };
        let range = range.map(|(start, end)| Range::new(position(start), position(end)));
        let change =
            TextDocumentContentChangeEvent { range, range_length: None, text: new.to_owned() };
        apply(&mut text, change, Encoding::Utf16).unwrap();
        text
    }

    #[test]
    fn changes_replace_ranges() {
        assert_eq!(changed("a\nb\n", None, "c"), "c");
        assert_eq!(changed("a😀b\n", Some(((0, 3), (0, 4))), "c"), "a😀c\n");
        assert_eq!(changed("a\r\nb\r\n", Some(((0, 1), (1, 0))), "-"), "a-b\r\n");
        assert_eq!(changed("a\n", Some(((9, 0), (9, 9))), "b"), "a\nb");
    }
}
