//! What a witness changes in a workload, and which of its inputs each difference follows from.
//!
//! A difference depends on what is behind its text in the original render: inputs that are part of it, and inputs that
//! decide conditions around it. So one render with all inputs changed tells what most of them change alone.

use job_lifecycle::{
    Label,
    release_changes::{Change, Difference},
};
use yaml_spans::{Node, Span};

use super::{
    compare::{self, TreeDifference},
    excerpt::shown,
    origin::Raised,
    predict::{Predictor, RenderedWorkload},
};
use crate::redact::Secrets;

/// What a witness changes in each workload.
pub(super) struct Joint {
    /// The paths of the inputs that it changes.
    pub(super) names: Vec<String>,
    pub(super) found: Vec<Found>,
}

/// What a witness changes in one workload.
#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) change: Change,
    /// The changed inputs that the name depends on.
    behind_name: Vec<String>,
    /// For each difference the changed inputs that it depends on.
    behind: Vec<Vec<String>>,
    /// Whether there may be more differences.
    is_cut: bool,
}

impl Found {
    /// The workload is gone.
    pub(super) fn gone() -> Self {
        Self { change: Change { gone: true, ..Change::default() }, ..Self::default() }
    }
}

/// How much of what a part depends on are some inputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Share {
    Nothing,
    Some,
    All,
}

impl Share {
    fn of(names: &[String], behind: &[String]) -> Self {
        match behind.iter().filter(|name| names.contains(name)).count() {
            0 => Self::Nothing,
            count if count == behind.len() => Self::All,
            _ => Self::Some,
        }
    }
}

impl Predictor<'_> {
    /// What some of the inputs of a witness change alone in each workload; `None` where only a render can tell.
    pub(super) fn parts(&self, joint: &Joint, names: &[String]) -> Vec<Option<Change>> {
        let is_part = names.iter().all(|name| joint.names.contains(name));
        let both = self.works.iter().zip(&joint.found);
        both.map(|(work, found)| is_part.then(|| self.part(work, found, names)).flatten()).collect()
    }

    /// `None` if a difference depends on these inputs and on others.
    fn part(&self, work: &RenderedWorkload<'_>, found: &Found, names: &[String]) -> Option<Change> {
        let whole = &found.change;
        if found.is_cut || whole.gone || whole.hook.is_some() {
            return None;
        }
        let share = Share::of(names, &found.behind_name);
        let name = match share {
            _ if !whole.name || share == Share::Nothing => false,
            Share::Some if !self.is_hashed_into_name(work, names) => return None,
            _ => true,
        };
        let mut differences = Vec::new();
        for (difference, behind) in whole.differences.iter().zip(&found.behind) {
            match Share::of(names, behind) {
                Share::Nothing if !behind.is_empty() => {}
                Share::All => differences.push(difference.clone()),
                Share::Nothing | Share::Some => return None,
            }
        }
        let mut fields: Vec<_> = differences.iter().filter_map(|one| one.field).collect();
        fields.dedup();
        let mutable = differences.iter().any(|one| one.field.is_none());
        let new_name = whole.new_name.clone().filter(|_| name && share == Share::All);
        let mut part = Change { name, new_name, mutable, fields, differences, ..Change::default() };
        let names: Vec<_> = names.iter().map(String::as_str).collect();
        part.causes = self.causes(work, &part, &Raised::new(self.rendered, &names));
        Some(part)
    }

    /// Whether a hash in the name follows one of some values, so that the name changes with each of them.
    fn is_hashed_into_name(&self, work: &RenderedWorkload<'_>, names: &[String]) -> bool {
        let Some(name) = work.root.at(&["metadata", "name"]) else { return false };
        let raised: Vec<_> = names.iter().map(String::as_str).collect();
        let behind = Raised::new(self.rendered, &raised).behind(work.file, work.in_file(name.span));
        names.iter().all(|name| name.starts_with("Values."))
            && !behind.inputs.is_empty()
            && !behind.by_condition
            && self.name_is_hashed(work)
    }

    /// Where changed inputs enter the template: those of the name if it changes, else those of immutable fields if there
    /// are any.
    fn causes(
        &self,
        work: &RenderedWorkload<'_>,
        change: &Change,
        raised: &Raised<'_>,
    ) -> Vec<Label> {
        match work.root.at(&["metadata", "name"]) {
            Some(name) if change.name => {
                let span = work.in_file(name.span);
                let behind = raised.behind(work.file, span);
                behind.place("metadata.name").into_iter().collect()
            }
            _ => {
                let wanted = |one: &&Difference| one.field.is_some() || change.fields.is_empty();
                let differences = change.differences.iter().filter(wanted);
                differences.filter_map(|one| one.at.clone()).collect()
            }
        }
    }

    /// Compares a workload with that of a witness that changes the inputs `raised`.
    pub(super) fn found(
        &self,
        work: &RenderedWorkload<'_>,
        new: &Node,
        raised: &Raised<'_>,
    ) -> Found {
        let raw = compare::differences(work.root, new);
        let mut change = compare::summary(work.root, new, &raw);
        let is_cut = compare::is_cut(&raw);
        let (differences, behind) = self.described(work, &raw, raised).into_iter().unzip();
        change.differences = differences;
        debug_assert!(
            change.name
                || !self.options.provenance
                || change.differences.iter().all(|d| !d.approximate),
            "provenance lost what changed {:?}",
            change.differences
        );
        change.causes = self.causes(work, &change, raised);
        let name = work.root.at(&["metadata", "name"]).filter(|_| change.name);
        let behind_name = name.map(|name| raised.behind(work.file, work.in_file(name.span)).all);
        let behind_name = behind_name.unwrap_or_default();
        Found { change, behind_name, behind, is_cut }
    }

    /// The differences, each with all changed inputs that it depends on.
    fn described(
        &self,
        work: &RenderedWorkload<'_>,
        raw: &[TreeDifference<'_>],
        raised: &Raised<'_>,
    ) -> Vec<(Difference, Vec<String>)> {
        if raw.is_empty() {
            return Vec::new();
        }
        let text = &self.rendered.files[work.file].text;
        let secrets = self.secrets[work.file].get_or_init(|| Secrets::find(text));
        let difference = |raw: &TreeDifference<'_>| {
            let span = work.in_file(raw.span);
            let traced = work.in_file(raw.traced);
            let behind = raised.behind(work.file, traced);
            let is_secret = secrets.spans.iter().any(|secret| overlap(*secret, span));
            let (old, new) = shown(raw, is_secret);
            let difference = Difference {
                field: raw.field,
                path: raw.path.clone(),
                span: changed_line(raw, &text[span.range()]),
                old,
                new,
                at: behind.place(&raw.path),
                approximate: behind.inputs.is_empty(),
                inputs: behind.inputs,
                by_condition: behind.by_condition,
                causes: behind.causes,
            };
            (difference, behind.all)
        };
        raw.iter().map(difference).collect()
    }
}

/// The first line that differs in a text of several lines, which is `written` in the old render; the whole span otherwise.
fn changed_line(raw: &TreeDifference<'_>, written: &str) -> Span {
    let text = |node: Option<&Node>| node.and_then(Node::as_str).map(str::to_owned);
    let (Some(old), Some(new)) = (text(raw.old), text(raw.new)) else { return raw.span };
    let differing = old.lines().zip(new.lines()).find(|(old, new)| old != new);
    let Some(line) = differing.map(|(line, _)| line.trim()).filter(|line| !line.is_empty()) else {
        return raw.span;
    };
    let mut found = written.match_indices(line);
    match (found.next(), found.next()) {
        (Some((at, _)), None) if written.contains('\n') => {
            let start = raw.span.start as usize + at;
            Span::new(start, start + line.len())
        }
        _ => raw.span,
    }
}

fn overlap(a: Span, b: Span) -> bool {
    a.start < b.end && b.start < a.end
}
