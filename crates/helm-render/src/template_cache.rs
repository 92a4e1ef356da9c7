//! The parsed templates of a chart, kept between renders.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use foldhash::HashMap;
use go_template::{ParseError, ParsedSource, TemplateSet, provenance::FileId};

use crate::{HelmVersion, renderer::registry};

/// The templates of a chart's last render. A render of the same templates reuses them.
///
/// The cache names templates and never holds charts: a chart owns its cache, so the two would keep each other
/// alive.
#[derive(Debug, Default)]
pub(crate) struct TemplateCache {
    last: Mutex<Option<CachedTemplates>>,
    files: OnceLock<ParsedFiles>,
}

#[derive(Debug)]
struct CachedTemplates {
    version: HelmVersion,
    names: Vec<Arc<str>>,
    set: Arc<TemplateSet>,
}

/// The parsed template files of a chart, by their names. Another version of the chart parses only files that differ.
#[derive(Clone, Debug, Default)]
pub struct ParsedFiles(Arc<Mutex<HashMap<Box<str>, ParsedFile>>>);

#[derive(Debug)]
struct ParsedFile {
    version: HelmVersion,
    id: FileId,
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
        parse: impl FnOnce(&ParsedFiles) -> Result<TemplateSet, E>,
    ) -> Result<Arc<TemplateSet>, E> {
        let mut last = lock(&self.last);
        if let Some(last) =
            last.as_ref().filter(|last| last.version == version && last.names == names)
        {
            return Ok(last.set.clone());
        }
        let set = Arc::new(parse(self.files())?);
        *last = Some(CachedTemplates { version, names, set: set.clone() });
        Ok(set)
    }

    /// Uses the parsed files of another version of the chart, unless it has some already.
    pub(crate) fn share(&self, files: &ParsedFiles) {
        let _ = self.files.set(files.clone());
    }

    pub(crate) fn files(&self) -> &ParsedFiles {
        self.files.get_or_init(ParsedFiles::default)
    }
}

impl ParsedFiles {
    /// The templates of a file, which is parsed unless it has been with this text.
    ///
    /// # Errors
    ///
    /// The text is not a valid template.
    pub(crate) fn get_or_parse(
        &self,
        version: HelmVersion,
        name: &str,
        id: FileId,
        text: &Arc<[u8]>,
    ) -> Result<ParsedSource, ParseError> {
        let is_same =
            |one: &&ParsedFile| one.version == version && one.id == id && one.text == *text;
        if let Some(known) = lock(&self.0).get(name).filter(is_same) {
            return Ok(known.source.clone());
        }
        let source = ParsedSource::parse(name, text.clone(), id, registry(version))?;
        let file = ParsedFile { version, id, text: text.clone(), source: source.clone() };
        lock(&self.0).insert(name.into(), file);
        Ok(source)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_parsed_again_when_they_differ() {
        let files = ParsedFiles::default();
        let names = |id, text: &[u8]| {
            let source =
                files.get_or_parse(HelmVersion::V4, "a", FileId(id), &text.into()).unwrap();
            let mut set = TemplateSet::new("gotpl");
            set.add(&source);
            set.contains("b")
        };
        assert!(names(0, b"{{ define \"b\" }}1{{ end }}"));
        assert!(names(0, b"{{ define \"b\" }}1{{ end }}"));
        assert!(!names(0, b"{{ define \"c\" }}1{{ end }}"));
        assert!(files.get_or_parse(HelmVersion::V4, "a", FileId(0), &b"{{"[..].into()).is_err());
        assert!(!names(1, b"{{ define \"c\" }}1{{ end }}"));
    }
}
