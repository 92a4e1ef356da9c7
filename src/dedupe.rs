//! Merges equal findings of several value sets into one.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{chart, diagnostic::Diagnostic, unit::Loaded};

/// The findings of a unit, at most one per location and rule.
#[derive(Default)]
pub(crate) struct Findings {
    all: Vec<Diagnostic>,
    by_location: HashMap<(&'static str, String, u32, u32), usize>,
    /// The value sets that people wrote, in contrast to explored ones.
    written: BTreeSet<Arc<str>>,
}

impl Findings {
    /// Adds the value set of a view, which may have no findings.
    pub(crate) fn add_view(&mut self, loaded: &Loaded) {
        let written = loaded.rendering.iter().filter(|rendering| !rendering.is_explored);
        self.written.extend(written.map(|rendering| rendering.values.clone()));
    }

    /// Adds a finding of one view and its value set.
    pub(crate) fn add(&mut self, mut finding: Diagnostic, values: Option<Arc<str>>) {
        let Some(values) = values else { return self.all.push(finding) };
        let (path, start, end) = finding.location.sort_key();
        let key = (finding.rule.id, path.to_owned(), start, end);
        match self.by_location.get(&key) {
            Some(&index) => self.all[index].absorb(finding, values),
            None => {
                finding.value_sets.push(values);
                self.by_location.insert(key, self.all.len());
                self.all.push(finding);
            }
        }
    }

    /// The merged findings. The message names the value sets unless the finding occurs in all of them.
    pub(crate) fn merged(mut self) -> Vec<Diagnostic> {
        let sets = self.written.len();
        for finding in &mut self.all {
            let own: Vec<_> =
                finding.value_sets.iter().filter(|set| self.written.contains(*set)).collect();
            let note = match (&own[..], finding.value_sets.first()) {
                // The defaults do not render, and users do not deploy the values that test the chart.
                ([only], _) if sets == 1 && chart::is_test_set(only) => format!(" (with {only})"),
                (own, _) if !own.is_empty() && own.len() == sets => continue,
                ([], None) => continue,
                ([], Some(only)) => format!(" (with {only})"),
                ([only], _) => format!(" (with {only})"),
                (own, _) => format!(" (in {} of {sets} value sets)", own.len()),
            };
            finding.message.push_str(&note);
        }
        self.all
    }
}

impl Diagnostic {
    /// Merges the same finding of another value set; the more severe one wins.
    fn absorb(&mut self, other: Diagnostic, values: Arc<str>) {
        let worse = other.severity > self.severity;
        if (self.hidden && !other.hidden) || (self.hidden == other.hidden && worse) {
            let sets = std::mem::take(&mut self.value_sets);
            let raised_at = std::mem::take(&mut self.raised_at);
            *self = Diagnostic { value_sets: sets, ..other };
            self.raised_at.extend(raised_at);
        } else {
            self.raised_at.extend(other.raised_at);
        }
        if !self.value_sets.contains(&values) {
            self.value_sets.push(values);
        }
    }
}
