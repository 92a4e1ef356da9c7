//! The masked sources of a run. Each source is searched once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use yaml_spans::Source;

use super::{MIN_LENGTH, Secrets};

/// Redacted sources by the address of the original.
#[derive(Debug, Default)]
pub struct Redactor(HashMap<usize, Arc<Redacted>>);

/// A source with its redacted copy, which has the same path and positions.
#[derive(Debug)]
pub struct Redacted {
    /// Kept alive, because its address is the key.
    original: Arc<Source>,
    /// The copy; the original itself if it has no secrets.
    pub(crate) source: Arc<Source>,
    /// The secrets of the original.
    pub(crate) secrets: Secrets,
    /// Whether the redacted text still contains a value, which is then not secret; a cache.
    shown: Mutex<HashMap<String, bool>>,
}

impl Redactor {
    /// The redacted copy of a source.
    pub(crate) fn of(&mut self, source: &Arc<Source>) -> Arc<Redacted> {
        let key = Arc::as_ptr(source) as usize;
        self.0.entry(key).or_insert_with(|| Arc::new(Redacted::new(source))).clone()
    }
}

impl Redacted {
    fn new(original: &Arc<Source>) -> Self {
        let secrets = Secrets::find(&original.text);
        let source = match secrets.is_empty() {
            true => original.clone(),
            false => {
                let text = secrets.blank(&original.text);
                let mut redacted = Source::new(&original.path, text);
                redacted.editable = original.editable;
                Arc::new(redacted)
            }
        };
        Self { original: original.clone(), source, secrets, shown: Mutex::default() }
    }

    /// True if the source has no secrets.
    pub(crate) fn is_clean(&self) -> bool {
        Arc::ptr_eq(&self.original, &self.source)
    }

    /// Masks the secrets of this source in a text, except those that the redacted source still shows. Returns true
    /// if the text changed.
    pub(crate) fn hide(&self, text: &mut String) -> bool {
        if text.len() < MIN_LENGTH {
            return false;
        }
        match self.secrets.hide(text, |value| self.is_shown(value)) {
            Some(hidden) => {
                *text = hidden;
                true
            }
            None => false,
        }
    }

    fn is_shown(&self, value: &str) -> bool {
        let search =
            || memchr::memmem::find(self.source.text.as_bytes(), value.as_bytes()).is_some();
        let mut shown = self.shown.lock().unwrap_or_else(PoisonError::into_inner);
        *shown.entry(value.to_owned()).or_insert_with(search)
    }
}
