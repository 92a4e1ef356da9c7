//! Merges findings: those of several value sets about one object, and those of several objects with one cause.

mod cause;
mod copies;
mod group;
mod rendered;

use std::{
    collections::{BTreeSet, HashMap},
    mem::take,
    path::Path,
    sync::Arc,
};

use yaml_spans::Location;

use crate::{chart, diagnostic::Diagnostic, unit::Loaded, words::noted_if_short};

pub(crate) use group::grouped;

/// The findings of a unit: several value sets raise a finding about an object once.
#[derive(Default)]
pub(crate) struct Findings {
    all: Vec<Diagnostic>,
    known: HashMap<Key, usize>,
    /// How often a view has raised each finding so far.
    raised: HashMap<Key, usize>,
    /// The value sets that people wrote, in contrast to explored ones.
    written: BTreeSet<Arc<str>>,
}

/// Rule, place and object of a finding, and a counter: a rule may say several things about one place.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    rule: &'static str,
    place: Place,
    object: String,
    ordinal: usize,
}

/// A path and a range in its file.
type Place = (String, u32, u32);

impl Key {
    fn new(finding: &Diagnostic) -> Self {
        let object = finding.workload.as_ref().map(|name| format!("{name:?}")).unwrap_or_default();
        Self { rule: finding.rule.id, place: place(&finding.location), object, ordinal: 0 }
    }

    /// Overlays may give an object other names, so it is known by where it is written. A line of a kustomization may
    /// concern several objects.
    fn in_overlay(finding: &Diagnostic) -> Self {
        let object = finding.raised_at.get(1).map(|object| place(&object.written()));
        let object = object.map(|place| format!("{place:?}")).unwrap_or_default();
        Self { object, ..Self::new(finding) }
    }
}

fn place(location: &Location) -> Place {
    let (path, start, end) = location.sort_key();
    (path.to_owned(), start, end)
}

impl Findings {
    /// Starts a view. It may have no findings.
    pub(crate) fn add_view(&mut self, loaded: &Loaded) {
        self.raised.clear();
        let written = loaded.rendering.iter().filter(|rendering| !rendering.is_explored);
        self.written.extend(written.map(|rendering| rendering.values.clone()));
    }

    /// Adds a finding of one view and its value set.
    pub(crate) fn add(&mut self, mut finding: Diagnostic, values: Option<Arc<str>>) {
        let Some(values) = values else { return self.all.push(finding) };
        finding.value_sets.push(values);
        let key = Key::new(&finding);
        self.insert(key, finding);
    }

    /// Adds a finding unless the rule says something about the place already.
    pub(crate) fn add_new(&mut self, finding: Diagnostic) {
        let at = (finding.rule.id, place(&finding.location));
        if !self.all.iter().any(|one| (one.rule.id, place(&one.location)) == at) {
            self.all.push(finding);
        }
    }

    fn insert(&mut self, mut key: Key, finding: Diagnostic) {
        let count = self.raised.entry(key.clone()).or_default();
        key.ordinal = *count;
        *count += 1;
        match self.known.get(&key) {
            Some(&index) => self.all[index].absorb(finding),
            None => {
                self.known.insert(key, self.all.len());
                self.all.push(finding);
            }
        }
    }

    /// The merged findings. The message names the value sets unless the finding occurs in all of them.
    pub(crate) fn merged(self) -> Vec<Diagnostic> {
        let Self { all, written, .. } = self;
        let mut all = without_other_names(all);
        for finding in &mut all {
            let sets = note(finding, &written);
            finding.message = noted_if_short(&finding.message, &sets);
            finding.note = [take(&mut finding.note), sets]
                .into_iter()
                .filter(|text| !text.is_empty())
                .collect::<Vec<_>>()
                .join("; ");
        }
        all
    }
}

/// Merges the findings about an object that has another name in each value set. Objects of one template that exist
/// in the same value set are different ones, and so are those that different templates print with one helper.
fn without_other_names(all: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut kept: Vec<Diagnostic> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    let mut several = BTreeSet::new();
    let template = |finding: &Diagnostic| {
        let at = place(finding.named_at.as_ref().filter(|_| !finding.value_sets.is_empty())?);
        let printed = finding.raised_at.first().map(|raised| raised.source.path.clone());
        Some((finding.rule.id, place(&finding.location), at, printed))
    };
    let mut seen: HashMap<_, BTreeSet<Arc<str>>> = HashMap::new();
    for finding in &all {
        let Some(key) = template(finding) else { continue };
        let sets = seen.entry(key.clone()).or_default();
        if finding.value_sets.iter().any(|set| !sets.insert(set.clone())) {
            several.insert(key);
        }
    }
    for finding in all {
        let Some(key) = template(&finding).filter(|key| !several.contains(key)) else {
            kept.push(finding);
            continue;
        };
        match known.get(&key) {
            Some(&index) => kept[index].absorb(finding),
            None => {
                known.insert(key, kept.len());
                kept.push(finding);
            }
        }
    }
    kept
}

/// The value sets in which a finding occurs; empty if that is all of them.
fn note(finding: &Diagnostic, written: &BTreeSet<Arc<str>>) -> String {
    let sets = written.len();
    let own: Vec<_> = finding.value_sets.iter().filter(|set| written.contains(*set)).collect();
    let is_of_users = |set: &&Arc<str>| !chart::is_test_set(set);
    let mut of_users = written.iter().filter(is_of_users).peekable();
    // Values that test the chart switch off what users get.
    if of_users.peek().is_some() && of_users.all(|set| own.contains(&set)) {
        return String::new();
    }
    match (&own[..], finding.value_sets.first()) {
        // The defaults do not render, and users do not deploy the values that test the chart.
        ([only], _) if sets == 1 && chart::is_test_set(only) => format!("with {only}"),
        (own, _) if !own.is_empty() && own.len() == sets => String::new(),
        ([], None) => String::new(),
        ([], Some(only)) => format!("with {only}"),
        ([only], _) => format!("with {only}"),
        (own, _) => format!("in {} of {sets} value sets", own.len()),
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
        let (mut merged, mut last) = (Self::default(), Vec::new());
        for finding in findings {
            if finding.value_sets != last {
                merged.raised.clear();
                last.clone_from(&finding.value_sets);
            }
            merged.insert(Key::in_overlay(&finding), finding);
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
                all => {
                    finding.note = format!("in {}", named(all));
                    finding.message = noted_if_short(&finding.message, &finding.note);
                }
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
    /// Merges the same finding of other value sets; the more severe one wins.
    fn absorb(&mut self, mut other: Diagnostic) {
        let worse = other.severity > self.severity;
        if (self.hidden && !other.hidden) || (self.hidden == other.hidden && worse) {
            std::mem::swap(self, &mut other);
            // The value sets stay in the order of the views.
            std::mem::swap(&mut self.value_sets, &mut other.value_sets);
        }
        self.raised_at.extend(other.raised_at);
        for set in other.value_sets {
            if !self.value_sets.contains(&set) {
                self.value_sets.push(set);
            }
        }
    }
}
