//! Printing a render exactly as `helm template` does.

use std::ops::Range;

use crate::{
    Error, Event, HelmVersion, Reason, chart::pattern, manifests::split, rendered::Rendered,
};

/// Which parts of a render to print.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// `--include-crds`: print the files in `crds/` first.
    pub include_crds: bool,
    /// `--skip-tests`: leave out test hooks.
    pub skip_tests: bool,
    /// `--no-hooks`: leave out all hooks.
    pub no_hooks: bool,
    /// Patterns for paths below the chart; everything if empty.
    pub show_only: Vec<String>,
}

/// Printed text with the documents it consists of.
#[derive(Debug, Default)]
pub struct Printed {
    /// The output.
    pub text: String,
    /// The documents in it, in order.
    pub parts: Vec<PrintedPart>,
}

/// A range of the text that shows a range of a document.
#[derive(Clone, Debug)]
pub struct PrintedPart {
    /// The range in [`Printed::text`], in bytes.
    pub range: Range<usize>,
    /// Index in [`Rendered::documents`].
    pub document: usize,
    /// The start of the range in the document, in bytes.
    pub offset: usize,
}

/// An estimate of the bytes before each document.
const HEAD: usize = 100;

/// Prints a render as `helm template` does.
///
/// # Errors
///
/// [`Reason::Chart`] if a template of `show_only` does not exist or prints nothing.
pub fn print(
    rendered: &Rendered,
    selection: &Selection,
    version: HelmVersion,
) -> Result<Printed, Error> {
    let mut printed = Printed::default();
    printed.text.reserve(rendered.files.iter().map(|file| file.text.len() + HEAD).sum());
    if selection.include_crds {
        for (path, data) in &rendered.crds {
            printed.head(path);
            printed.text.push_str(&String::from_utf8_lossy(data));
            printed.text.push('\n');
        }
    }
    let (hooks, manifests): (Vec<_>, Vec<_>) =
        (0..rendered.documents.len()).partition(|n| rendered.documents[*n].hook.is_some());
    for number in manifests {
        printed.document(rendered, number);
    }
    printed.trim_end();
    printed.text.push('\n');
    for number in hooks {
        let hook = rendered.documents[number].hook.as_ref();
        let is_test = hook.is_some_and(|hook| hook.events.contains(&Event::Test));
        let is_left_out = selection.no_hooks || (selection.skip_tests && is_test);
        if !is_left_out {
            printed.document(rendered, number);
        }
    }
    if selection.show_only.is_empty() { Ok(printed) } else { printed.only(selection, version) }
}

impl Printed {
    fn head(&mut self, path: &str) {
        self.text.push_str("---\n# Source: ");
        self.text.push_str(path);
        self.text.push('\n');
    }

    fn document(&mut self, rendered: &Rendered, number: usize) {
        let document = &rendered.documents[number];
        self.head(rendered.path(document));
        let start = self.text.len();
        self.text.push_str(rendered.text(document));
        self.parts.push(PrintedPart { range: start..self.text.len(), document: number, offset: 0 });
        self.text.push('\n');
    }

    /// Removes trailing white space. There is none at the start, because every document has a head.
    fn trim_end(&mut self) {
        let end = self.text.trim_end().len();
        self.text.truncate(end);
        for part in &mut self.parts {
            part.range.end = part.range.end.min(end);
        }
        self.parts.retain(|part| !part.range.is_empty());
    }

    fn push(&mut self, other: &Self, range: Range<usize>) {
        let base = self.text.len();
        for part in &other.parts {
            let (start, end) = (part.range.start.max(range.start), part.range.end.min(range.end));
            if start < end {
                let moved = base + start - range.start..base + end - range.start;
                let offset = part.offset + (start - part.range.start);
                self.parts.push(PrintedPart { range: moved, document: part.document, offset });
            }
        }
        self.text.push_str(&other.text[range]);
    }

    /// Keeps the selected templates. Like Helm, this splits the whole output and looks for the
    /// `# Source:` comments.
    fn only(&self, selection: &Selection, version: HelmVersion) -> Result<Self, Error> {
        let documents = split(&self.text, version);
        let mut shown = Self::default();
        for wanted in &selection.show_only {
            let wanted = wanted.replace('\\', "/");
            let mut is_missing = true;
            for range in &documents {
                let path = source_path(&self.text[range.clone()]);
                let is_match =
                    |path: &str| pattern::matches(wanted.as_bytes(), path.as_bytes()) == Ok(true);
                if path.is_some_and(is_match) {
                    shown.text.push_str("---\n");
                    shown.push(self, range.clone());
                    shown.text.push('\n');
                    is_missing = false;
                }
            }
            if is_missing {
                let message = format!("could not find template {wanted} in chart");
                return Err(Error::new(Reason::Chart, message));
            }
        }
        Ok(shown)
    }
}

/// `# Source: [^/]+/(.+)`.
fn source_path(document: &str) -> Option<&str> {
    document.match_indices("# Source: ").find_map(|(at, marker)| {
        let line = document[at + marker.len()..].lines().next()?;
        let (chart, path) = line.split_once('/')?;
        (!chart.is_empty() && !path.is_empty()).then_some(path)
    })
}
