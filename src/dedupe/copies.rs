//! Copies of a document: the same text in files of one name.

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash, Hasher},
    sync::Arc,
};

use yaml_spans::{Location, Source};

use crate::diagnostic::Diagnostic;

/// The rule, the name of the file, the hash of the document, and the place in it.
pub(super) type Copied = (&'static str, String, u64, u32);

/// The documents of the texts that findings are located in.
#[derive(Default)]
pub(super) struct Documents(HashMap<*const Source, Vec<(u32, u64)>>);

impl Documents {
    pub(super) fn copied(&mut self, finding: &Diagnostic) -> Copied {
        let Location { source, span } = &finding.location;
        let documents = self.0.entry(Arc::as_ptr(source)).or_insert_with(|| hashes(&source.text));
        let index = documents.partition_point(|(start, _)| *start <= span.start);
        let (start, hash) = documents[index.saturating_sub(1)];
        let name = source.path.rsplit('/').next().unwrap_or(&source.path);
        (finding.rule.id, name.to_owned(), hash, span.start - start)
    }
}

/// Where each document of a text starts, and the hash of what it holds.
fn hashes(text: &str) -> Vec<(u32, u64)> {
    let mut start = 0;
    let documents = text.split("\n---").map(|document| {
        let mut hasher = DefaultHasher::new();
        document.hash(&mut hasher);
        let at = start;
        start += document.len() + "\n---".len();
        (at as u32, hasher.finish())
    });
    documents.collect()
}
