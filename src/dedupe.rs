//! Merges equal findings of several value sets into one.

use std::{
    collections::{BTreeSet, HashMap},
    path::Path,
    sync::Arc,
};

use crate::{diagnostic::Diagnostic, unit::Loaded};

/// The rule and the location of a finding, and the object that it is about if that is somewhere else.
type Key = (&'static str, (String, u32, u32), Option<(String, u32, u32)>);

fn owned((path, start, end): (&str, u32, u32)) -> (String, u32, u32) {
    (path.to_owned(), start, end)
}

/// The findings of a unit, at most one per location and rule.
#[derive(Default)]
pub(crate) struct Findings {
    all: Vec<Diagnostic>,
    by_location: HashMap<Key, usize>,
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
        // A line of a kustomization may concern several objects.
        let object = finding.raised_at.get(1).map(|object| owned(object.written().sort_key()));
        let key = (finding.rule.id, owned(finding.location.sort_key()), object);
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

impl Findings {
    /// Keeps a finding of one kustomization by itself.
    pub(crate) fn keep(&mut self, mut finding: Diagnostic, values: Option<Arc<str>>) {
        finding.value_sets.extend(values);
        self.all.push(finding);
    }

    /// All findings as they were added.
    pub(crate) fn all(self) -> Vec<Diagnostic> {
        self.all
    }

    /// Merges equal findings of several kustomizations. The message names them, unless there is only one or the
    /// location says it.
    pub(crate) fn merge_overlays(findings: Vec<Diagnostic>, views: &[Loaded]) -> Vec<Diagnostic> {
        let mut merged = Self::default();
        for mut finding in findings {
            let overlay = finding.value_sets.pop();
            merged.add(finding, overlay);
        }
        let overlays = views.iter().filter_map(|view| view.overlay.as_ref());
        let folder = |name: &Arc<str>| {
            overlays.clone().find(|overlay| overlay.name == *name).map(|own| &own.folder)
        };
        for finding in merged.all.iter_mut().filter(|_| views.len() > 1) {
            let path = Path::new(&finding.location.source.path);
            let is_inside = |name| folder(name).is_some_and(|folder| path.starts_with(folder));
            match &finding.value_sets[..] {
                [] => {}
                [only] if is_inside(only) => {}
                all => finding.message.push_str(&format!(" (in {})", named(all))),
            }
        }
        merged.all
    }
}

/// At most three names, and how many there are besides.
fn named(all: &[Arc<str>]) -> String {
    const MOST: usize = 3;
    let first = all.iter().take(MOST).map(|name| &**name).collect::<Vec<_>>().join(", ");
    match all.len().saturating_sub(MOST) {
        0 => first,
        more => format!("{first} and {more} more"),
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
