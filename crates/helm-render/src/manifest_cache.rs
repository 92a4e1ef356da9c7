//! The YAML texts of a chart's renders, parsed.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use foldhash::HashMap;
use yaml_spans::{self as yaml, Node, ParseError};

/// The documents of a text as [`yaml_spans::parse`] reads them. Helm reads no further than the first.
pub type ParsedManifest = Arc<[Result<yaml::Document, ParseError>]>;

/// The memory of each half of a cache, in bytes.
const MOST_BYTES: usize = 24 << 20;

/// The memory of a YAML value without its text, in bytes.
const VALUE: usize = 100;

/// The manifests that renders print and the texts that `fromYaml` reads. Renders of one chart with other values or at
/// another time have most of them in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct ManifestCache(Arc<Mutex<Known>>);

/// Texts that were used lately. What is used again moves to the recent ones; what is not is forgotten when they are full.
#[derive(Debug, Default)]
struct Known {
    recent: HashMap<Box<str>, Parsed>,
    /// The memory of the recent ones.
    bytes: usize,
    older: HashMap<Box<str>, Parsed>,
}

/// What is known of a text.
#[derive(Clone, Debug)]
struct Parsed {
    /// The fields that lead to what was parsed, as `.A.B`; empty for all of it.
    fields: Box<str>,
    /// Whether nothing is known of what comes behind them.
    is_trusted: bool,
    documents: ParsedManifest,
}

impl ManifestCache {
    /// The documents of a text, which is parsed unless it is known.
    pub(crate) fn parsed(&self, text: &str) -> ParsedManifest {
        self.parsed_field(text, "", false)
    }

    /// The same, for what fields alone lead to: `.A.B`. All else may be absent. A trusted text is not read any further.
    pub(crate) fn parsed_field(
        &self,
        text: &str,
        fields: &str,
        is_trusted: bool,
    ) -> ParsedManifest {
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(documents) = known().find(text, fields, is_trusted) {
            return documents;
        }
        let path: Vec<_> = fields.split('.').skip(1).collect();
        let parse = if is_trusted { yaml::parse_up_to_field } else { yaml::parse_field };
        let documents: ParsedManifest = parse(text, &path).into();
        let parsed = Parsed { fields: fields.into(), is_trusted, documents: documents.clone() };
        known().keep(text.into(), parsed);
        documents
    }
}

impl Known {
    fn find(&mut self, text: &str, fields: &str, is_trusted: bool) -> Option<ParsedManifest> {
        let holds = |parsed: &Parsed| {
            (parsed.fields.is_empty() || *parsed.fields == *fields)
                && (is_trusted || !parsed.is_trusted)
        };
        if let Some(parsed) = self.recent.get(text) {
            return holds(parsed).then(|| parsed.documents.clone());
        }
        let (text, parsed) = self.older.remove_entry(text).filter(|(_, parsed)| holds(parsed))?;
        let documents = parsed.documents.clone();
        self.keep(text, parsed);
        Some(documents)
    }

    fn keep(&mut self, text: Box<str>, parsed: Parsed) {
        // The text is a key, and most of it stands in values once more.
        let mut bytes = 2 * text.len();
        for document in parsed.documents.iter().flatten() {
            weigh(&document.root, &mut bytes);
        }
        if bytes > MOST_BYTES {
            return;
        }
        if self.bytes + bytes > MOST_BYTES {
            self.older = mem::take(&mut self.recent);
            self.bytes = 0;
        }
        self.bytes += bytes;
        self.recent.insert(text, parsed);
    }
}

/// Adds the memory of a tree, as far as the cache would keep it: aliases can repeat a value very often.
fn weigh(node: &Node, bytes: &mut usize) {
    *bytes += VALUE;
    let values = node.entries().iter().map(|entry| &entry.value);
    for value in values.chain(node.items()) {
        if *bytes > MOST_BYTES {
            return;
        }
        weigh(value, bytes);
    }
}

/// The most YAML values that a text can hold.
///
/// A parsed value takes a hundred times the memory of the comma that separates it.
pub(crate) fn most_values(text: &str) -> usize {
    let separates = |byte: &u8| u8::from(matches!(byte, b'\n' | b',' | b'[' | b'{'));
    // Sums of so few bytes fit into a byte, and are computed many at a time.
    let sum = |bytes: &[u8]| usize::from(bytes.iter().map(separates).sum::<u8>());
    text.as_bytes().chunks(usize::from(u8::MAX)).map(sum).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once() {
        let cache = ManifestCache::default();
        let first = cache.parsed("a: 1");
        assert!(Arc::ptr_eq(&first, &cache.parsed("a: 1")));
        assert!(!Arc::ptr_eq(&first, &cache.parsed("a: 2")));
        assert!(Arc::ptr_eq(&first, &cache.clone().parsed("a: 1")));
    }

    #[test]
    fn a_part_is_not_taken_for_the_whole() {
        let cache = ManifestCache::default();
        let name = cache.parsed_field("{a: {b: 1, c: 2}, d: 3}", ".a.b", false);
        assert!(Arc::ptr_eq(&name, &cache.parsed_field("{a: {b: 1, c: 2}, d: 3}", ".a.b", false)));
        assert!(!Arc::ptr_eq(&name, &cache.parsed_field("{a: {b: 1, c: 2}, d: 3}", ".a.c", false)));
        let whole = cache.parsed("{a: {b: 1, c: 2}, d: 3}");
        assert_eq!(whole[0].as_ref().unwrap().root.entries().len(), 2);
        assert!(Arc::ptr_eq(&whole, &cache.parsed_field("{a: {b: 1, c: 2}, d: 3}", ".a.b", false)));
    }

    #[test]
    fn a_trusted_text_is_read_again_without_trust() {
        let cache = ManifestCache::default();
        let text = "a: {b: 1}\nc: [";
        assert!(cache.parsed_field(text, ".a.b", true)[0].is_ok());
        assert!(cache.parsed_field(text, ".a.b", false)[0].is_err());
        assert!(cache.parsed_field(text, ".a.b", true)[0].is_err());
    }

    #[test]
    fn a_text_that_is_too_large_is_not_kept() {
        let cache = ManifestCache::default();
        let large = format!("[{}]", "0,".repeat(MOST_BYTES / VALUE));
        assert!(!Arc::ptr_eq(&cache.parsed(&large), &cache.parsed(&large)));
    }

    #[test]
    fn texts_that_are_not_used_are_forgotten() {
        let cache = ManifestCache::default();
        let (used, unused) = (cache.parsed("a: 1"), cache.parsed("b: 1"));
        for number in 0..10 {
            cache.parsed(&format!("{number}: {}", "0".repeat(MOST_BYTES / 8)));
            assert!(Arc::ptr_eq(&used, &cache.parsed("a: 1")));
        }
        assert!(!Arc::ptr_eq(&unused, &cache.parsed("b: 1")));
    }
}
