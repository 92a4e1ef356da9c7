//! The parsed templates of a chart, kept between renders.

use std::sync::{Arc, Mutex, PoisonError};

use go_template::TemplateSet;

use crate::HelmVersion;

/// The templates of a chart's last render. A render of the same templates reuses them.
///
/// The cache names templates and never holds charts: a chart owns its cache, so the two would keep each other
/// alive.
#[derive(Debug, Default)]
pub(crate) struct TemplateCache(Mutex<Option<CachedTemplates>>);

#[derive(Debug)]
struct CachedTemplates {
    version: HelmVersion,
    names: Vec<Arc<str>>,
    set: Arc<TemplateSet>,
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
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
