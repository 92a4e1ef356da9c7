//! The parsed templates of a chart, kept between renders.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::HashMap;
use go_template::{ParsedSource, TemplateSet, provenance::FileId};

use crate::HelmVersion;

/// The templates of a chart's last render. A render of the same templates reuses them.
///
/// The cache names templates and never holds charts: a chart owns its cache, so the two would keep each other
/// alive.
#[derive(Debug, Default)]
pub(crate) struct TemplateCache(Mutex<Option<CachedTemplates>>);

#[derive(Debug)]
pub(crate) struct CachedTemplates {
    version: HelmVersion,
    names: Vec<Arc<str>>,
    set: Arc<TemplateSet>,
}

/// The parsed template files of a chart, by their names. Another version of the chart parses only files that differ.
#[derive(Clone, Debug, Default)]
pub(crate) struct ParsedFiles(Arc<Mutex<HashMap<Box<str>, ParsedFile>>>);

#[derive(Debug)]
struct ParsedFile {
    /// What decides besides the text: which functions there are, and the file that positions name.
    parsed_for: (HelmVersion, FileId),
    text: Arc<[u8]>,
    source: ParsedSource,
}

impl TemplateCache {
    /// The cached templates if they have these names, else those that `parse` returns.
    ///
    /// # Errors
    ///
    /// The error of `parse`; the cache then stays as it is.
    pub(crate) fn get_or_parse<E>(
        &self,
        version: HelmVersion,
        names: Vec<Arc<str>>,
        parse: impl FnOnce() -> Result<TemplateSet, E>,
    ) -> Result<Arc<TemplateSet>, E> {
        let mut last = lock(&self.0);
        if let Some(last) =
            last.as_ref().filter(|last| last.version == version && last.names == names)
        {
            return Ok(last.set.clone());
        }
        let set = Arc::new(parse()?);
        *last = Some(CachedTemplates { version, names, set: set.clone() });
        Ok(set)
    }
}

impl ParsedFiles {
    /// The templates of a file if it was parsed with this text, else those that `parse` returns.
    ///
    /// # Errors
    ///
    /// The error of `parse`.
    pub(crate) fn get_or_parse<E>(
        &self,
        parsed_for: (HelmVersion, FileId),
        name: &str,
        text: &Arc<[u8]>,
        parse: impl FnOnce() -> Result<ParsedSource, E>,
    ) -> Result<ParsedSource, E> {
        let is_same = |one: &&ParsedFile| one.parsed_for == parsed_for && one.text == *text;
        if let Some(known) = lock(&self.0).get(name).filter(is_same) {
            return Ok(known.source.clone());
        }
        let source = parse()?;
        let file = ParsedFile { parsed_for, text: text.clone(), source: source.clone() };
        lock(&self.0).insert(name.into(), file);
        Ok(source)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use go_template::Functions;

    use super::*;

    #[test]
    fn a_file_is_parsed_again_when_it_differs() {
        let files = ParsedFiles::default();
        let is_parsed = |number, text: &[u8]| {
            let (id, mut is_parsed) = (FileId(number), false);
            let parse = || {
                is_parsed = true;
                ParsedSource::parse("a", text, id, &Functions::builtin())
            };
            files.get_or_parse((HelmVersion::V4, id), "a", &text.into(), parse).unwrap();
            is_parsed
        };
        assert!(is_parsed(0, b"{{ . }}"));
        assert!(!is_parsed(0, b"{{ . }}"));
        assert!(is_parsed(0, b"{{ .a }}"));
        assert!(is_parsed(1, b"{{ .a }}"));
    }
}
