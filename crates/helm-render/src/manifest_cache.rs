//! The YAML texts of a chart's renders, parsed.

use std::{
    mem,
    sync::{Arc, Mutex, PoisonError},
};

use foldhash::HashMap;
use yaml_spans::{self as yaml, ParseError};

/// The documents of a text as [`yaml_spans::parse`] reads them. Helm reads no further than the first.
pub type ParsedManifest = Arc<[Result<yaml::Document, ParseError>]>;

/// The number of YAML values of each half of a cache, roughly: some 20 MB.
const MOST_VALUES: usize = 200_000;

/// The manifests that renders print and the texts that `fromYaml` reads. Renders of one chart with other values or at
/// another time have most of them in common.
#[derive(Clone, Debug, Default)]
pub(crate) struct ManifestCache(Arc<Mutex<Known>>);

/// Texts that were used lately. What is used again moves to the recent ones; what is not is forgotten when they are full.
#[derive(Debug, Default)]
struct Known {
    recent: HashMap<Box<str>, ParsedManifest>,
    values: usize,
    older: HashMap<Box<str>, ParsedManifest>,
}

impl ManifestCache {
    /// The documents of a text, which is parsed unless it is known.
    pub(crate) fn parsed(&self, text: &str) -> ParsedManifest {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parsed) = known.find(text) {
            return parsed;
        }
        drop(known);
        let parsed: ParsedManifest = yaml::parse(text).into();
        known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.keep(text.into(), &parsed);
        parsed
    }
}

impl Known {
    fn find(&mut self, text: &str) -> Option<ParsedManifest> {
        if let Some(parsed) = self.recent.get(text) {
            return Some(parsed.clone());
        }
        let (text, parsed) = self.older.remove_entry(text)?;
        self.keep(text, &parsed);
        Some(parsed)
    }

    fn keep(&mut self, text: Box<str>, parsed: &ParsedManifest) {
        let values = most_values(&text);
        if values > MOST_VALUES {
            return;
        }
        if self.values + values > MOST_VALUES {
            self.older = mem::take(&mut self.recent);
            self.values = 0;
        }
        self.values += values;
        self.recent.insert(text, parsed.clone());
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
    fn a_text_that_is_too_large_is_not_kept() {
        let cache = ManifestCache::default();
        let large = format!("[{}]", "0,".repeat(MOST_VALUES));
        assert!(!Arc::ptr_eq(&cache.parsed(&large), &cache.parsed(&large)));
    }

    #[test]
    fn texts_that_are_not_used_are_forgotten() {
        let cache = ManifestCache::default();
        let (used, unused) = (cache.parsed("a: 1"), cache.parsed("b: 1"));
        for number in 0..10 {
            cache.parsed(&format!("[{}{number}]", "0,".repeat(MOST_VALUES / 4)));
            assert!(Arc::ptr_eq(&used, &cache.parsed("a: 1")));
        }
        assert!(!Arc::ptr_eq(&unused, &cache.parsed("b: 1")));
    }
}
