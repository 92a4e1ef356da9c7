//! The same finding under several sets of values is one finding.

use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
};

use crate::{diagnostic::Diagnostic, unit::Loaded};

/// The findings of a unit, each place and rule once.
#[derive(Default)]
pub struct Findings {
    all: Vec<Diagnostic>,
    by_place: HashMap<(&'static str, String, u32, u32), usize>,
    /// The sets of values that somebody wrote.
    written: BTreeSet<Arc<str>>,
}

impl Findings {
    /// Knows of a view of the unit, which may have no findings.
    pub fn view(&mut self, loaded: &Loaded) {
        let written = loaded.rendering.iter().filter(|rendering| !rendering.is_explored);
        self.written.extend(written.map(|rendering| rendering.values.clone()));
    }

    /// Adds a finding of one view of the unit, which holds under these values.
    pub fn add(&mut self, mut finding: Diagnostic, values: Option<Arc<str>>) {
        let Some(values) = values else { return self.all.push(finding) };
        let (path, start, end) = finding.location.sort_key();
        let key = (finding.rule.id, path.to_owned(), start, end);
        match self.by_place.get(&key) {
            Some(&index) => self.all[index].absorb(finding, values),
            None => {
                finding.value_sets.push(values);
                self.by_place.insert(key, self.all.len());
                self.all.push(finding);
            }
        }
    }

    /// All of them; the message names the sets of values where it does not hold for each.
    pub fn merged(mut self) -> Vec<Diagnostic> {
        let sets = self.written.len();
        for finding in &mut self.all {
            let own: Vec<_> =
                finding.value_sets.iter().filter(|set| self.written.contains(*set)).collect();
            let note = match (&own[..], finding.value_sets.first()) {
                // The defaults do not render: who does not test the chart does not use these.
                ([only], _) if sets == 1 && only.starts_with("ci/") => format!(" (with {only})"),
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
    /// Takes in the same finding of another set of values: the worse of both.
    fn absorb(&mut self, other: Diagnostic, values: Arc<str>) {
        let worse = other.severity > self.severity;
        if (self.hidden && !other.hidden) || (self.hidden == other.hidden && worse) {
            let sets = std::mem::take(&mut self.value_sets);
            let raised = std::mem::take(&mut self.raised);
            *self = Diagnostic { value_sets: sets, ..other };
            self.raised.extend(raised);
        } else {
            self.raised.extend(other.raised);
        }
        if !self.value_sets.contains(&values) {
            self.value_sets.push(values);
        }
    }
}
