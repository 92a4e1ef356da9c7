//! The masked sources of a run. Each source is searched once.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
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

/// The newest mask with what it is made of, shared by the redactors of several runs: while somebody types, they seldom
/// need another.
#[derive(Clone, Debug, Default)]
pub(crate) struct LastMask(Arc<Mutex<Option<KnownMask>>>);

#[derive(Debug)]
struct KnownMask {
    values: SecretValues,
    public: String,
    mask: Arc<Mask>,
}

impl LastMask {
    fn of(&self, values: SecretValues, public: String) -> Arc<Mask> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) =
            last.as_ref().filter(|own| own.values == values && own.public == public)
        {
            return known.mask.clone();
        }
        let mask = Arc::new(Mask::new(&values, &public));
        *last = Some(KnownMask { values, public, mask: mask.clone() });
        mask
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
        let Self { redacted, mask, .. } = self;
        let keyed = sources.map(|source| (Arc::as_ptr(source) as usize, source));
        let new: HashMap<_, _> = keyed.filter(|(key, _)| !redacted.contains_key(key)).collect();
        let made = new.into_par_iter().map(|(key, source)| (key, searched(source, mask)));
        let made: Vec<_> = made.collect();
        redacted.extend(made);
    }

    /// The redacted copy of a source.
    pub(crate) fn of(&mut self, source: &Arc<Source>) -> Arc<Redacted> {
        let key = Arc::as_ptr(source) as usize;
        let Self { redacted, mask, .. } = self;
        redacted.entry(key).or_insert_with(|| searched(source, mask)).clone()
    }

    /// A redactor that also masks these values and all secrets found so far, in every source and message.
    pub(crate) fn with_values(self, mut values: SecretValues) -> Self {
        self.redacted.values().for_each(|known| values.add_all(&known.secrets));
        let paths = self.redacted.values().map(|known| known.original.path.as_str());
        let public: Vec<_> = paths.chain(values.public()).collect();
        let public = public.join("\n");
        let mask = self.last.of(values, public);
        let again = |(key, known): (usize, Arc<Redacted>)| {
            (key, Arc::new(Redacted::new(&known.original, known.secrets.clone(), &mask)))
        };
        let redacted = self.redacted.into_iter().map(again).collect();
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

fn searched(source: &Arc<Source>, mask: &Mask) -> Arc<Redacted> {
    Arc::new(Redacted::new(source, Arc::new(Secrets::find(&source.text)), mask))
}

impl Redacted {
    fn new(original: &Arc<Source>, secrets: Arc<Secrets>, mask: &Mask) -> Self {
        let mut spans = mask.spans(&original.text);
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
