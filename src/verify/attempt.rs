//! The fixes that findings ask for, each in the file that it edits.

use std::{cell::Cell, collections::HashMap, sync::Arc};

use job_lifecycle::Object;
use yaml_spans::{self as yaml, Edit, Source};

use super::{Kept, Scope, Verdict, change::Change};
use crate::{
    finding::RaisedFix,
    fix::{self, Allowance},
    rules::{Raised, Rule},
    unit::UnitKind,
};

/// A fix in a file, and the findings that ask for it.
pub(super) struct Attempt<'a> {
    pub(super) rule: &'static Rule,
    pub(super) file: Arc<Source>,
    pub(super) edits: Vec<Edit>,
    pub(super) members: Vec<Member<'a>>,
    pub(super) verdict: Cell<Option<Verdict>>,
}

/// An object that a fix changes, once for each finding about it.
pub(super) struct Member<'a> {
    pub(super) view: usize,
    pub(super) object: &'a Object,
    pub(super) change: Change,
}

impl Attempt<'_> {
    /// Where to change by hand what decides more than one object.
    fn shared(&self) -> String {
        let start = self.edits.iter().map(|edit| edit.span.start).min().unwrap_or_default();
        let line = self.file.position(start).line;
        format!("the text is in `{}`, line {line}, and decides more than this", self.file.path)
    }
}

/// The rule, the file and the edits of an attempt.
type Key = (&'static str, String, Vec<(u32, u32, String)>);

/// All fixes that findings ask for.
pub(super) struct Attempts<'a> {
    pub(super) all: Vec<Attempt<'a>>,
    /// For each view, finding and fix the attempt; `None` for a fix that has no place in a file.
    of: Vec<Vec<Vec<Option<usize>>>>,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(raised: &'a [Vec<Raised<'a>>], scope: &Scope<'_>) -> Self {
        let (mut known, mut all) = (HashMap::new(), Vec::new());
        let allowance = Allowance::default();
        let mut attempt = |one: &'a Raised<'a>, fix: &RaisedFix| {
            let (file, edits, change) = in_file(fix, one.object, scope, &allowance)?;
            let texts = edits.iter().map(|one| (one.span.start, one.span.end, one.text.clone()));
            let key: Key = (one.rule.id, file.path.clone(), texts.collect());
            let index = *known.entry(key).or_insert(all.len());
            if index == all.len() {
                let (members, verdict) = (Vec::new(), Cell::new(None));
                all.push(Attempt { rule: one.rule, file, edits, members, verdict });
            }
            Some((index, change))
        };
        let mut of = Vec::new();
        let mut members = Vec::new();
        for (view, raised) in raised.iter().enumerate() {
            let mut in_view = Vec::new();
            for one in raised {
                let fixes = Some(&one.finding.fixes)
                    .filter(|fixes| !fixes.is_empty() && scope.is_shown(view, one));
                let mut own = Vec::new();
                for fix in fixes.into_iter().flatten() {
                    let found = attempt(one, fix);
                    let index = found.as_ref().map(|(index, _)| *index);
                    // Two fixes of a finding can be the same edit of a file.
                    if let Some((at, change)) = found.filter(|_| !own.contains(&index)) {
                        members.push((at, Member { view, object: one.object, change }));
                    }
                    own.push(index);
                }
                in_view.push(own);
            }
            of.push(in_view);
        }
        members.into_iter().for_each(|(at, member)| all[at].members.push(member));
        Self { all, of }
    }

    /// For each finding the first fix that is neither refused nor proven, unless an earlier one is proven.
    pub(super) fn open(&self) -> impl Iterator<Item = usize> {
        let first = |fixes: &Vec<Option<usize>>| {
            let mut tried = fixes.iter().flatten().map(|one| (*one, self.all[*one].verdict.get()));
            let is_left = |verdict| matches!(verdict, None | Some(Verdict::Proven));
            let (index, verdict) = tried.find(|(_, verdict)| is_left(*verdict))?;
            verdict.is_none().then_some(index)
        };
        self.of.iter().flatten().filter_map(first)
    }

    /// The proven fix of a finding.
    pub(super) fn kept(&self, view: usize, index: usize, raised: &Raised<'_>) -> Kept {
        let fixes = raised.finding.fixes.iter().zip(&self.of[view][index]);
        let tried = fixes.filter_map(|(fix, own)| Some((fix, &self.all[(*own)?])));
        let mut by_hand = None;
        for (fix, attempt) in tried {
            match attempt.verdict.get() {
                Some(Verdict::Proven) => {
                    let (source, edits) = (Some(attempt.file.clone()), attempt.edits.clone());
                    return (vec![RaisedFix { source, edits, ..fix.clone() }], None);
                }
                Some(Verdict::Shared) if fix.source.is_none() => {
                    by_hand = by_hand.or_else(|| Some(attempt.shared()));
                }
                _ => {}
            }
        }
        (Vec::new(), by_hand)
    }
}

/// The file that a fix edits, its edits there, and what they change.
fn in_file(
    fix: &RaisedFix,
    object: &Object,
    scope: &Scope<'_>,
    allowance: &Allowance,
) -> Option<(Arc<Source>, Vec<Edit>, Change)> {
    if let Some(file) = &fix.source {
        let change = match scope.unit.kind {
            UnitKind::Overlay => Change::Hashes,
            UnitKind::Chart | UnitKind::Plain => Change::Metadata,
        };
        return Some((file.clone(), fix.edits.clone(), change));
    }
    let own = &object.source;
    if own.origin.is_none() {
        let is_sound = || fix::is_sound(own, object.document, &fix.edits, allowance);
        return (own.editable && is_sound())
            .then(|| (own.clone(), fix.edits.clone(), Change::Text));
    }
    let allowance = &Allowance::default();
    let is_sound = fix::is_sound(own, object.document, &fix.edits, allowance);
    let document = |edits: &[Edit]| fix::edited(own, object.document, edits);
    let (before, after) = document(&[]).zip(document(&fix.edits).filter(|_| is_sound))?;
    let (file, edits) = fix::translated(own, &fix.edits)?;
    let change = Change::Document { before: before.to_json(), after: after.to_json() };
    is_sound_in_file(&file, &edits).then_some((file, edits, change))
}

/// True when the edits leave the rest of a YAML file as it is. What a template prints, the render shows.
fn is_sound_in_file(file: &Source, edits: &[Edit]) -> bool {
    if file.text.contains("{{") {
        return true;
    }
    let holds =
        |document: &yaml::Document| edits.iter().all(|one| document.span.contains(one.span));
    let documents = yaml::parse(&file.text);
    let document = documents.iter().flatten().find(|document| holds(document));
    document.is_some_and(|one| fix::is_sound(file, one.span, edits, &Allowance::default()))
}
