//! The parsed manifests of a chart, kept between renders.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use foldhash::HashMap;
use yaml_spans::{self as yaml, ParseError};

/// The documents of a manifest as [`yaml_spans::parse`] reads them. Helm reads no further than the first.
pub type ParsedManifest = Arc<[Result<yaml::Document, ParseError>]>;

/// The number of YAML values that a cache keeps, roughly: some 40 MB.
const MOST_VALUES: usize = 400_000;

/// The manifests of a chart's renders by their text. Renders of one chart with other values or at another time print
/// most manifests alike.
#[derive(Debug, Default)]
pub(crate) struct ManifestCache(OnceLock<Arc<Mutex<Known>>>);

#[derive(Debug, Default)]
struct Known {
    manifests: HashMap<Box<str>, ParsedManifest>,
    values: usize,
}

impl ManifestCache {
    /// The documents of a text, which is parsed unless a render has printed it before.
    pub(crate) fn parsed(&self, text: &str) -> ParsedManifest {
        let lock = |known: &Mutex<Known>| {
            known.lock().unwrap_or_else(PoisonError::into_inner).manifests.get(text).cloned()
        };
        if let Some(known) = lock(self.known()) {
            return known;
        }
        let parsed: ParsedManifest = yaml::parse(text).into();
        let mut known = self.known().lock().unwrap_or_else(PoisonError::into_inner);
        let values = known.values + most_values(text);
        if values <= MOST_VALUES {
            known.values = values;
            known.manifests.insert(text.into(), parsed.clone());
        }
        parsed
    }

    /// Uses the manifests of another chart, such as an earlier text of the same, unless it has some already.
    pub(crate) fn share(&self, other: &Self) {
        let _ = self.0.set(other.known().clone());
    }

    fn known(&self) -> &Arc<Mutex<Known>> {
        self.0.get_or_init(Arc::default)
    }
}

/// The most YAML values that a text can hold.
///
/// A parsed value takes a hundred times the memory of the comma that separates it.
pub(crate) fn most_values(text: &str) -> usize {
    let separates = |byte: &&u8| matches!(byte, b'\n' | b',' | b'[' | b'{');
    text.as_bytes().iter().filter(separates).count()
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
        let other = ManifestCache::default();
        other.share(&cache);
        assert!(Arc::ptr_eq(&first, &other.parsed("a: 1")));
    }

    #[test]
    fn a_cache_has_a_bound() {
        let cache = ManifestCache::default();
        let large = format!("[{}]", "0,".repeat(MOST_VALUES));
        assert!(!Arc::ptr_eq(&cache.parsed(&large), &cache.parsed(&large)));
        let small = cache.parsed("[0, 0]");
        assert!(Arc::ptr_eq(&small, &cache.parsed("[0, 0]")));
    }
}
