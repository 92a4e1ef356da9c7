//! Fixes that are proven together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use helm_render::Rendered;
use yaml_spans::{Edit, Span};

use super::{
    address,
    attempt::{Attempt, Member},
    change::{Change, differing, differs_in_metadata, loses_hashes},
    outputs::Document,
};
use crate::rules::Rule;

/// Divides fixes into batches. In one batch no edit touches one of another fix, and the fixes of an object are of one
/// rule: what one rule's fix does to an object must not hide what another's does.
pub(super) fn apart(attempts: &[Attempt<'_>], open: BTreeSet<usize>) -> Vec<Vec<usize>> {
    let mut batches: Vec<(Vec<usize>, Taken<'_>)> = Vec::new();
    for index in open {
        let attempt = &attempts[index];
        match batches.iter_mut().find(|(_, taken)| taken.has_room(attempt)) {
            Some((batch, taken)) => {
                batch.push(index);
                taken.take(attempt);
            }
            None => {
                let mut taken = Taken::default();
                taken.take(attempt);
                batches.push((vec![index], taken));
            }
        }
    }
    batches.into_iter().map(|(batch, _)| batch).collect()
}

/// What the fixes of a batch change.
#[derive(Default)]
struct Taken<'a> {
    /// The rule whose fixes change an object.
    rules: HashMap<usize, &'static str>,
    /// The ends of the edits of each file, by their starts.
    edits: HashMap<&'a str, BTreeMap<u32, u32>>,
}

impl<'a> Taken<'a> {
    fn has_room(&self, attempt: &Attempt<'_>) -> bool {
        let edits = self.edits.get(&*attempt.file.path);
        let is_touched = |edit: &Edit| {
            let before = edits.and_then(|edits| edits.range(..=edit.span.end).next_back());
            before.is_some_and(|(_, end)| *end >= edit.span.start)
        };
        let is_others = |member: &Member<'_>| {
            let rule = self.rules.get(&address(member.object));
            rule.is_some_and(|rule| *rule != attempt.rule.id)
        };
        !attempt.edits.iter().any(is_touched) && !attempt.members.iter().any(is_others)
    }

    fn take(&mut self, attempt: &'a Attempt<'_>) {
        let objects = attempt.members.iter().map(|member| address(member.object));
        self.rules.extend(objects.map(|object| (object, attempt.rule.id)));
        let edits = self.edits.entry(&attempt.file.path).or_default();
        let spans =
            attempt.edits.iter().map(|Edit { span: Span { start, end }, .. }| (*start, *end));
        edits.extend(spans);
    }
}

/// A finding that asks for a fix: the attempt, the rule, and the object.
type Asked<'a> = (usize, &'static Rule, &'a Member<'a>);

/// Fixes of one unit that are tried together.
pub(super) struct Batch<'a> {
    attempts: Vec<(usize, &'a Attempt<'a>)>,
}

impl<'a> Batch<'a> {
    pub(super) fn new(all: &'a [Attempt<'a>], indices: &[usize]) -> Self {
        Self { attempts: indices.iter().map(|index| (*index, &all[*index])).collect() }
    }

    /// The files with the fixes, by path; `None` if edits overlap.
    pub(super) fn texts(&self) -> Option<BTreeMap<String, String>> {
        let mut edits: BTreeMap<&str, (&str, Vec<Edit>)> = BTreeMap::new();
        for (_, Attempt { file, edits: own, .. }) in &self.attempts {
            let (_, all) = edits.entry(&file.path).or_insert((&file.text, Vec::new()));
            all.extend(own.iter().cloned());
        }
        let applied = |(path, (text, edits)): (&str, (&str, Vec<Edit>))| {
            Some((path.to_owned(), Edit::apply(text, &edits)?))
        };
        edits.into_iter().map(applied).collect()
    }

    /// Whether the fixes of a chart neither write nor remove template actions or values: what its output depends on stays
    /// the same.
    pub(super) fn is_literal(&self, rendered: &Rendered) -> bool {
        let is_template =
            |path: &str| rendered.templates.iter().any(|one| one.file().path == *path);
        let is_literal = |attempt: &Attempt<'_>| {
            let text = &attempt.file.text;
            let is_plain = |text: &str| !text.contains("{{") && !text.contains("}}");
            let is_outside = |edit: &Edit| {
                let before = text.get(..edit.span.range().start).unwrap_or_default();
                before.rfind("{{") <= before.rfind("}}")
                    && text.get(edit.span.range()).is_some_and(is_plain)
            };
            is_template(&attempt.file.path)
                && attempt.edits.iter().all(|edit| is_outside(edit) && is_plain(&edit.text))
        };
        self.attempts.iter().all(|(_, attempt)| is_literal(attempt))
    }

    /// The objects that the fixes change in a view, with their attempts and rules.
    pub(super) fn members(&self, view: usize) -> impl Iterator<Item = Asked<'a>> {
        let of = move |(index, attempt): &(usize, &'a Attempt<'a>)| {
            let (index, rule, members) = (*index, attempt.rule, attempt.members.iter());
            let in_view = members.filter(move |member| member.view == view);
            in_view.map(move |member| (index, rule, member))
        };
        self.attempts.iter().flat_map(of)
    }

    /// True when a document has become what the fixes say of its object. Under other values it may differ where a fix
    /// changes the object.
    pub(super) fn allows(&self, view: usize, old: &Document, new: &Document) -> bool {
        if old.path != new.path {
            return false;
        }
        let members = || self.attempts.iter().flat_map(|(_, attempt)| &attempt.members);
        let is_allowed = |member: &Member<'_>| {
            let object = member.object;
            match member.change {
                Change::Text => object.source.path == old.path,
                Change::Metadata => {
                    object.source.path == old.path
                        && differs_in_metadata(&old.text, &new.text, object.kind())
                }
                Change::Hashes => loses_hashes(old, new, object.kind()),
                Change::Document { .. } => false,
            }
        };
        if members().any(is_allowed) {
            return true;
        }
        let (Some(before), Some(after)) = (old.json(), new.json()) else { return false };
        before == after || {
            let documents = members().filter_map(|member| match &member.change {
                Change::Document { before, after } if member.object.source.path == old.path => {
                    let is_own = member.view == view && member.object.source.text == old.text;
                    Some((is_own, before, after))
                }
                _ => None,
            });
            let (own, others): (Vec<_>, Vec<_>) = documents.partition(|(is_own, ..)| *is_own);
            match &own[..] {
                [] => is_within(&others, &before, &after),
                [(_, _, first), rest @ ..] if rest.iter().all(|(_, _, other)| other == first) => {
                    after == **first
                }
                _ => is_within(&own, &before, &after),
            }
        }
    }
}

type Trees<'a> = (bool, &'a serde_json::Value, &'a serde_json::Value);

/// True when two documents differ only where one of the fixes changes an object of their kind.
fn is_within(all: &[Trees<'_>], old: &serde_json::Value, new: &serde_json::Value) -> bool {
    let (mut allowed, mut found) = (Vec::new(), Vec::new());
    for (_, before, after) in all.iter().filter(|(_, before, _)| before["kind"] == old["kind"]) {
        differing(before, after, "", &mut allowed);
    }
    differing(old, new, "", &mut found);
    !allowed.is_empty() && found.iter().all(|path| allowed.contains(path))
}
