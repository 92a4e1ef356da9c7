//! The masked sources of a run. Each source is searched once.

use std::{
    collections::{BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use job_lifecycle::ObjectName;
use rayon::prelude::*;
use yaml_spans::Source;

use super::{MIN_LENGTH, Mask, SecretValues, Secrets, blanked, merged};

/// Redacted sources by the address of the original.
#[derive(Debug, Default)]
pub struct Redactor {
    redacted: HashMap<usize, Arc<Redacted>>,
    /// The values to mask in all sources and messages.
    mask: Arc<Mask>,
    last: LastMask,
}

/// What the newest redactor has made, shared by the redactors of several runs: while somebody types, they seldom need
/// another mask, and most of their sources are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastMask(Arc<Mutex<Last>>);

#[derive(Debug, Default)]
struct Last {
    /// What the mask is made of.
    values: SecretValues,
    public: String,
    mask: Arc<Mask>,
    redacted: HashMap<usize, Arc<Redacted>>,
}

impl LastMask {
    /// The mask for some values, and the redacted sources that were made with the same mask.
    fn of(
        &self,
        values: SecretValues,
        public: String,
    ) -> (Arc<Mask>, HashMap<usize, Arc<Redacted>>) {
        let mut last = self.lock();
        if last.values == values && last.public == public {
            return (last.mask.clone(), std::mem::take(&mut last.redacted));
        }
        last.mask = Arc::new(Mask::new(&values, &public));
        (last.values, last.public) = (values, public);
        (last.mask.clone(), HashMap::new())
    }

    /// The secrets of a source, if the newest redactor has searched it.
    fn secrets(&self, key: usize) -> Option<Arc<Secrets>> {
        self.lock().redacted.get(&key).map(|known| known.secrets.clone())
    }

    fn lock(&self) -> MutexGuard<'_, Last> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A source with its redacted copy, which has the same path and positions.
#[derive(Debug)]
pub struct Redacted {
    /// Kept alive, because its address is the key.
    original: Arc<Source>,
    /// The copy; the original itself if it has no secrets.
    pub(crate) source: Arc<Source>,
    /// The secrets of the original.
    pub(crate) secrets: Arc<Secrets>,
    /// Whether the redacted text still contains a value, which is then not secret; a cache.
    shown: Mutex<HashMap<String, bool>>,
}

impl Redactor {
    /// Makes the redacted copies of several sources, in parallel.
    pub(crate) fn prepare<'s>(&mut self, sources: impl Iterator<Item = &'s Arc<Source>>) {
        let keyed = sources.map(|source| (Arc::as_ptr(source) as usize, source));
        let new = keyed.filter(|(key, _)| !self.redacted.contains_key(key));
        let new: HashMap<_, _> = new.collect();
        let made = new.into_par_iter().map(|(key, source)| (key, self.searched(key, source)));
        let made: Vec<_> = made.collect();
        self.redacted.extend(made);
    }

    /// The redacted copy of a source.
    pub(crate) fn of(&mut self, source: &Arc<Source>) -> Arc<Redacted> {
        let key = Arc::as_ptr(source) as usize;
        if let Some(known) = self.redacted.get(&key) {
            return known.clone();
        }
        let made = self.searched(key, source);
        self.redacted.insert(key, made.clone());
        made
    }

    fn searched(&self, key: usize, source: &Arc<Source>) -> Arc<Redacted> {
        let known = self.last.secrets(key);
        let secrets = known.unwrap_or_else(|| Arc::new(Secrets::find(&source.text)));
        Arc::new(Redacted::new(source, secrets, &self.mask))
    }

    /// A redactor that also masks these values and all secrets found so far, in every source and message.
    pub(crate) fn with_values(self, mut values: SecretValues) -> Self {
        self.redacted.values().for_each(|known| values.add_all(&known.secrets));
        let paths = self.redacted.values().map(|known| known.original.path.as_str());
        let public: BTreeSet<_> = paths.chain(values.public()).collect();
        let public = public.into_iter().collect::<Vec<_>>().join("\n");
        let (mask, mut last) = self.last.of(values, public);
        let again = |(key, known): (usize, Arc<Redacted>)| {
            let made = || Arc::new(Redacted::new(&known.original, known.secrets.clone(), &mask));
            (key, last.remove(&key).unwrap_or_else(made))
        };
        let redacted: HashMap<_, _> = self.redacted.into_iter().map(again).collect();
        self.last.lock().redacted.clone_from(&redacted);
        Self { redacted, mask, last: self.last }
    }

    /// The same redactor, which takes over the mask of an earlier run if it needs the same.
    pub(crate) fn after(self, last: &LastMask) -> Self {
        Self { last: last.clone(), ..self }
    }

    /// Masks the values of the run in a message. Returns true if there were any.
    pub(crate) fn hide(&self, text: &mut String) -> bool {
        self.mask.apply(text)
    }

    /// Masks the values of the run in the name of an object.
    pub(crate) fn hide_name(&self, name: &mut ObjectName) {
        let parts = [&mut name.namespace, &mut name.name, &mut name.generate_name];
        parts.into_iter().flatten().for_each(|part| _ = self.hide(part));
    }

    /// Masks the values of the run in a shared text.
    pub(crate) fn hide_shared(&self, text: &mut Arc<str>) {
        let mut own = text.to_string();
        if self.hide(&mut own) {
            *text = own.into();
        }
    }
}

impl Redacted {
    fn new(original: &Arc<Source>, secrets: Arc<Secrets>, mask: &Mask) -> Self {
        let mut spans = mask.spans_of_source(&original.text);
        spans.extend(&secrets.spans);
        let source = match spans.is_empty() {
            true => original.clone(),
            false => {
                let text = blanked(&original.text, &merged(spans));
                let mut redacted = Source::new(&original.path, text);
                redacted.editable = original.editable;
                Arc::new(redacted)
            }
        };
        Self { original: original.clone(), source, secrets, shown: Mutex::default() }
    }

    /// True if the source has no secrets.
    pub(crate) fn is_clean(&self) -> bool {
        self.secrets.is_empty()
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
