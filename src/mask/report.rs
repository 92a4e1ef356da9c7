//! A report as formats may see it.

use std::{cell::RefCell, collections::HashMap, ops::Deref, rc::Rc, sync::Arc};

use super::{SHORTEST, Secrets};
use crate::{
    check::Report,
    finding::{Applicability, Located},
    source::Source,
};

/// A report without secrets: the only kind that formats take.
#[derive(Debug, Default)]
pub struct Masked(Report);

impl Masked {
    /// Blanks out the secrets of a report: in the sources its places are in, and in its texts.
    ///
    /// A fix that would write a secret stays as a picture (`display`): applying what is left of it
    /// would destroy the secret. Apply fixes from the report as it was.
    pub fn new(mut report: Report) -> Self {
        let mut sources = Sources::default();
        let mut reasons = HashMap::new();
        for finding in &mut report.findings {
            let before = finding.label.clone();
            sources.mask(finding);
            if before != finding.label {
                reasons.insert(before, finding.label.clone());
            }
        }
        for unchecked in &mut report.unchecked {
            if let Some(masked) = reasons.get(&unchecked.reason) {
                unchecked.reason.clone_from(masked);
            }
        }
        Self(report)
    }
}

impl Deref for Masked {
    type Target = Report;

    fn deref(&self) -> &Report {
        &self.0
    }
}

/// The masked sources by the address of what they stand for.
#[derive(Default)]
struct Sources(HashMap<usize, Rc<Known>>);

/// A source with its masked copy.
struct Known {
    original: Arc<Source>,
    masked: Arc<Source>,
    /// Values that the masked text shows nevertheless: no secret.
    shown: RefCell<HashMap<String, bool>>,
}

impl Sources {
    fn mask(&mut self, finding: &mut Located) {
        let mut known = vec![self.swap(&mut finding.location.source)];
        known.extend(finding.secondary.iter_mut().map(|(at, _)| self.swap(&mut at.source)));
        known.extend(finding.fixes.iter_mut().map(|fix| self.swap(&mut fix.source)));
        known.extend(finding.raised.iter_mut().map(|at| self.swap(&mut at.source)));
        known.retain(|known| !known.original.secrets().is_empty());
        known.sort_by_key(Rc::as_ptr);
        known.dedup_by_key(|known| Rc::as_ptr(known));
        if known.is_empty() {
            return;
        }
        let labels = finding.secondary.iter_mut().map(|(_, text)| text);
        let deployers = finding.deployers.iter_mut().map(|own| &mut own.text);
        let own = [&mut finding.message, &mut finding.label, &mut finding.help];
        for text in own.into_iter().chain(labels).chain(deployers) {
            known.iter().for_each(|known| _ = known.hide(text));
        }
        for fix in &mut finding.fixes {
            known.iter().for_each(|known| _ = known.hide(&mut fix.title));
            for edit in &mut fix.edits {
                let hidden = known.iter().filter(|known| known.hide(&mut edit.text)).count() > 0;
                let own = Secrets::find(&edit.text);
                edit.text = own.blank(&edit.text);
                if hidden || !own.is_empty() {
                    fix.applicability = Applicability::Display;
                }
            }
        }
    }

    /// Puts the masked copy in the place of a source.
    fn swap(&mut self, source: &mut Arc<Source>) -> Rc<Known> {
        let key = Arc::as_ptr(source) as usize;
        let known = self.0.entry(key).or_insert_with(|| Rc::new(Known::new(source)));
        *source = known.masked.clone();
        known.clone()
    }
}

impl Known {
    fn new(original: &Arc<Source>) -> Self {
        let secrets = original.secrets();
        let masked = match secrets.is_empty() {
            true => original.clone(),
            false => Arc::new(original.masked()),
        };
        Self { original: original.clone(), masked, shown: RefCell::default() }
    }

    /// Hides the secrets of this source in a text; true when there were some.
    fn hide(&self, text: &mut String) -> bool {
        if text.len() < SHORTEST {
            return false;
        }
        match self.original.secrets().hide(text, |value| self.is_shown(value)) {
            Some(hidden) => {
                *text = hidden;
                true
            }
            None => false,
        }
    }

    fn is_shown(&self, value: &str) -> bool {
        let search =
            || memchr::memmem::find(self.masked.text.as_bytes(), value.as_bytes()).is_some();
        *self.shown.borrow_mut().entry(value.to_owned()).or_insert_with(search)
    }
}
