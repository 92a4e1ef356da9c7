//! The sources of a run with their secrets blanked out, each searched once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use yaml_spans::Source;

use super::{SHORTEST, Secrets};

/// Redacted sources by the address of what they stand for.
#[derive(Debug, Default)]
pub struct Redactor(HashMap<usize, Arc<Redacted>>);

/// A source with its redacted copy: same path, same places.
#[derive(Debug)]
pub struct Redacted {
    /// Keeps the address that it is found by.
    original: Arc<Source>,
    /// The copy; the original itself where it holds no secrets.
    pub source: Arc<Source>,
    pub secrets: Secrets,
    /// Values that the redacted text shows nevertheless: no secret.
    shown: Mutex<HashMap<String, bool>>,
}

impl Redactor {
    /// The redacted form of a source.
    pub fn of(&mut self, source: &Arc<Source>) -> Arc<Redacted> {
        let key = Arc::as_ptr(source) as usize;
        self.0.entry(key).or_insert_with(|| Arc::new(Redacted::new(source))).clone()
    }

    /// Takes in what another part of the run has searched.
    pub fn extend(&mut self, other: Redactor) {
        self.0.extend(other.0);
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

    /// True when there is nothing to hide.
    pub fn is_clean(&self) -> bool {
        Arc::ptr_eq(&self.original, &self.source)
    }

    /// Hides the secrets of this source in a text, unless the redacted source shows them all the same; true
    /// when there were some.
    pub fn hide(&self, text: &mut String) -> bool {
        if text.len() < SHORTEST {
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
