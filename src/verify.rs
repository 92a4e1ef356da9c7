//! Proves fixes of charts and kustomizations: with the fix they are rendered or built again, the finding must be gone,
//! and nothing may differ but what the fix names.

mod generator;
mod outputs;
mod revealed;
mod template;

use std::{cell::RefCell, sync::Arc};

use job_lifecycle::Object;
use serde_json::Value as Json;
use yaml_spans::{self as yaml, Edit, Source};

use crate::{
    context::Context,
    finding::{Finding, RaisedFix, Severity},
    fix::{self, Allowance},
    rules::{
        self, Raised, Rule, kustomize_churn, missing_ttl, template_changes_under_fixed_name,
        unreplaceable_job,
    },
    unit::{Loaded, Unit, UnitKind},
};
use outputs::{Document, documents};
use revealed::Changed;

/// How many fixes of one unit are tried. Each takes a render or build of all views.
const MOST_PROOFS: usize = 64;

/// The fixes of a unit that were tried. The same fix in another view has the same verdict.
#[derive(Default)]
pub(crate) struct Proofs(RefCell<Vec<Proof>>);

struct Proof {
    rule: &'static Rule,
    path: String,
    edits: Vec<Edit>,
    verdict: Verdict,
}

impl Proofs {
    /// The verdict about a fix; `None` when too many were tried.
    fn verdict(
        &self,
        rule: &'static Rule,
        file: &Source,
        edits: &[Edit],
        prove: impl FnOnce() -> Verdict,
    ) -> Option<Verdict> {
        let is_same =
            |one: &&Proof| *one.rule == *rule && one.path == file.path && one.edits == edits;
        if let Some(known) = self.0.borrow().iter().find(is_same) {
            return Some(known.verdict);
        }
        if self.0.borrow().len() >= MOST_PROOFS {
            return None;
        }
        let (path, edits, verdict) = (file.path.clone(), edits.to_vec(), prove());
        self.0.borrow_mut().push(Proof { rule, path, edits, verdict });
        Some(verdict)
    }
}

/// What fixes are proven for.
pub(crate) struct Scope<'a, 'c> {
    pub(crate) unit: &'a Unit,
    /// All views of the unit.
    pub(crate) all: &'a [Loaded],
    /// The view in which the rules raised the findings.
    pub(crate) loaded: &'a Loaded,
    pub(crate) context: &'a Context<'c>,
    pub(crate) active: &'a [&'static Rule],
    /// Whether a finding is reported. The fixes of others are not proven.
    pub(crate) is_shown: &'a dyn Fn(&Raised<'_>) -> bool,
}

/// Keeps the first fix per finding that a render or build proves. Fixes of plain manifests are kept as they are: their
/// edits are compared with the whole document.
pub(crate) fn fixes<'a>(
    raised: Vec<Raised<'a>>,
    scope: &Scope<'_, '_>,
    proofs: &Proofs,
) -> Vec<Raised<'a>> {
    let is_rendered =
        |one: &Raised<'_>| !one.finding.fixes.is_empty() && one.object.source.origin.is_some();
    if !raised.iter().any(is_rendered) {
        return raised;
    }
    let candidates = raised.iter().map(Candidate::all).collect();
    let verifier = Verifier { scope, raised: &raised, candidates, proofs };
    let kept: Vec<_> = (0..raised.len()).map(|index| verifier.kept(index)).collect();
    let with = raised.into_iter().zip(kept);
    let with = with.map(|(one, (fixes, by_hand))| {
        let meant = || one.finding.help.clone().unwrap_or_else(|| one.rule.meta().help());
        let help = by_hand.map(|at| format!("{}: {at}", meant().trim_end_matches('.')));
        let help = help.or_else(|| one.finding.help.clone());
        Raised { finding: Finding { fixes, help, ..one.finding }, ..one }
    });
    with.collect()
}

/// A fix of a rendered text, carried over to the file that holds what it touches.
struct Candidate {
    file: Arc<Source>,
    edits: Vec<Edit>,
    /// The document before the fix, and after it.
    before: Json,
    expected: Json,
}

impl Candidate {
    /// The candidates of the fixes of a finding; `None` for a fix that has no place in a file, or already has one.
    fn all(raised: &Raised<'_>) -> Vec<Option<Self>> {
        let object = raised.object;
        let fixes = raised.finding.fixes.iter();
        let candidate = |fix: &RaisedFix| match fix.source {
            Some(_) => None,
            None => Self::of(object, &fix.edits),
        };
        fixes.map(candidate).collect()
    }

    fn of(object: &Object, edits: &[Edit]) -> Option<Self> {
        let is_sound = fix::is_sound(&object.source, object.document, edits, &Allowance::default());
        let document = |edits: &[Edit]| fix::edited(&object.source, object.document, edits);
        let (before, expected) = document(&[]).zip(document(edits).filter(|_| is_sound))?;
        let (before, expected) = (before.to_json(), expected.to_json());
        let (file, edits) = fix::translated(&object.source, edits)?;
        is_sound_in_file(&file, &edits).then_some(Self { file, edits, before, expected })
    }

    /// Where to change by hand what decides more than one object.
    fn shared(&self) -> String {
        let start = self.edits.iter().map(|edit| edit.span.start).min().unwrap_or_default();
        let line = self.file.position(start).line;
        format!("the text is in `{}`, line {line}, and decides more than this", self.file.path)
    }

    fn is_same(&self, other: &Self) -> bool {
        self.file.path == other.file.path && self.edits == other.edits
    }
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

/// The unit before a fix, and what the rules raise about it.
struct Verifier<'a> {
    scope: &'a Scope<'a, 'a>,
    raised: &'a [Raised<'a>],
    /// For each finding its fixes in files.
    candidates: Vec<Vec<Option<Candidate>>>,
    proofs: &'a Proofs,
}

/// What a render or build with a fix shows.
#[derive(Clone, Copy)]
enum Verdict {
    /// The finding is gone, and nothing else is different.
    Proven,
    /// Something else is different too.
    Shared,
    /// The unit does not render, or a rule raises something new.
    Worse,
}

/// An object that a fix changes: its document before and after.
struct Member<'a> {
    object: &'a Object,
    before: &'a Json,
    after: &'a Json,
}

impl Verifier<'_> {
    /// The fix of a finding that holds, or where to change by hand what other objects share.
    fn kept(&self, index: usize) -> (Vec<RaisedFix>, Option<String>) {
        let raised = &self.raised[index];
        if raised.object.source.origin.is_none() {
            return (raised.finding.fixes.clone(), None);
        }
        let Scope { loaded, is_shown, .. } = self.scope;
        if !loaded.counts(raised.object) || !is_shown(raised) {
            return (Vec::new(), None);
        }
        let mut by_hand = None;
        let with = raised.finding.fixes.iter().zip(&self.candidates[index]);
        let mut proven = |(fix, candidate): (&RaisedFix, &Option<Candidate>)| {
            let (file, edits) = match (&fix.source, candidate) {
                (Some(file), _) => (file, &fix.edits),
                (None, candidate) => candidate.as_ref().map(|one| (&one.file, &one.edits))?,
            };
            let prove = || match candidate {
                Some(candidate) => self.verdict(raised.rule, candidate),
                None if self.scope.unit.kind == UnitKind::Overlay => {
                    self.generator_verdict(raised, file, edits)
                }
                None => self.template_verdict(raised, file, edits),
            };
            match self.proofs.verdict(raised.rule, file, edits, prove)? {
                Verdict::Proven => {
                    let (source, edits) = (Some(file.clone()), edits.clone());
                    Some(RaisedFix { source, edits, ..fix.clone() })
                }
                Verdict::Shared => {
                    by_hand = by_hand.take().or(candidate.as_ref().map(Candidate::shared));
                    None
                }
                Verdict::Worse => None,
            }
        };
        let mut is_tried =
            with.filter(|(fix, candidate)| fix.source.is_some() || candidate.is_some());
        let kept: Vec<_> = is_tried.find_map(&mut proven).into_iter().collect();
        let by_hand = by_hand.filter(|_| kept.is_empty());
        (kept, by_hand)
    }

    /// Renders or builds the unit with the fix. The objects whose findings of the rule have this fix must become what
    /// the fix says, and all others must stay as they are.
    fn verdict(&self, rule: &Rule, candidate: &Candidate) -> Verdict {
        let members = self.members(rule, candidate);
        let text = Edit::apply(&candidate.file.text, &candidate.edits);
        let after = text.and_then(|text| outputs::after(self.scope, &candidate.file.path, text));
        let Some(after) = after else { return Verdict::Worse };
        let objects = members.iter().map(|member| member.object);
        let changed = Changed::of(self.scope, &after, objects);
        let is_as_said = self.scope.all.iter().zip(&after.documents).all(|(view, after)| {
            let before = documents(view);
            let is_current = std::ptr::eq(view, self.scope.loaded);
            before.len() == after.len()
                && before.iter().zip(after).all(|pair| is_allowed(pair, &members, is_current))
        });
        match is_as_said {
            false => Verdict::Shared,
            true if self.is_better(rule, &after.loaded, members.len(), &changed) => Verdict::Proven,
            true => Verdict::Worse,
        }
    }

    fn members(&self, rule: &Rule, candidate: &Candidate) -> Vec<Member<'_>> {
        let mut members: Vec<Member<'_>> = Vec::new();
        for (raised, own) in self.raised.iter().zip(&self.candidates) {
            let same = own.iter().flatten().find(|own| own.is_same(candidate));
            let Some(same) = same.filter(|_| raised.rule.id == rule.id) else { continue };
            if members.iter().all(|member| !std::ptr::eq(member.object, raised.object)) {
                let (before, after) = (&same.before, &same.expected);
                members.push(Member { object: raised.object, before, after });
            }
        }
        members
    }

    /// True when the rule raises `fixed` findings fewer than before, and no other rule raises more, but for what the
    /// flaw [hid](Changed::is_revealed).
    fn is_better(&self, rule: &Rule, after: &Loaded, fixed: usize, changed: &Changed<'_>) -> bool {
        let context = Context {
            objects: &after.objects,
            before: &after.before,
            changes: &after.changes,
            generated: &after.generated,
            counts: after.counts,
            deletions: Default::default(),
            ..*self.scope.context
        };
        let mut raised = rules::run(&context, self.scope.active);
        // Of a Job that nothing can replace, the rules say that, and not that it stays.
        let of_replacement =
            |all: &[Raised<'_>]| all.iter().filter(|one| REPLACEMENT.contains(&one.rule)).count();
        let hid_ttl = of_replacement(self.raised) > of_replacement(&raised);
        raised.retain(|one| {
            let is_hidden = changed.is_revealed(one, &context)
                || is_in_general(rule, one)
                || hid_ttl && one.rule.id == missing_ttl::RULE.id;
            one.rule.id == rule.id || !is_hidden
        });
        let path = changed.path();
        let (before, after) = (counted(self.raised, path, rule), counted(&raised, path, rule));
        let count = |all: &[Counted], id: &str, least: Severity| {
            all.iter().filter(|(own, severity)| *own == id && *severity >= least).count()
        };
        let least = Severity::Info;
        count(&after, rule.id, least) + fixed <= count(&before, rule.id, least)
            && after.iter().all(|(id, severity)| {
                [least, *severity]
                    .iter()
                    .all(|least| count(&after, id, *least) <= count(&before, id, *least))
            })
    }
}

/// True when a document is as before, or has become what the fix says of its object. Under other values it may differ
/// where the fix changes the object.
fn is_allowed(
    (before, after): (&Document, &Document),
    members: &[Member<'_>],
    is_current: bool,
) -> bool {
    if before.path != after.path {
        return false;
    }
    if before.text == after.text {
        return true;
    }
    let (Some(old), Some(new)) = (before.json(), after.json()) else { return false };
    if old == new {
        return true;
    }
    members.iter().any(|member| {
        if is_current {
            let is_own = member.object.source.text == before.text;
            return is_own && member.object.source.path == before.path && new == *member.after;
        }
        let (mut allowed, mut found) = (Vec::new(), Vec::new());
        differing(member.before, member.after, "", &mut allowed);
        differing(&old, &new, "", &mut found);
        member.object.source.path == before.path
            && old["kind"] == member.before["kind"]
            && found.iter().all(|path| allowed.contains(path))
    })
}

/// The paths at which two trees differ.
fn differing(a: &Json, b: &Json, path: &str, found: &mut Vec<String>) {
    match (a, b) {
        (Json::Object(a), Json::Object(b)) => {
            let added = b.keys().filter(|key| !a.contains_key(*key));
            for key in a.keys().chain(added) {
                let (old, new) = (a.get(key), b.get(key));
                let null = Json::Null;
                let (old, new) = (old.unwrap_or(&null), new.unwrap_or(&null));
                differing(old, new, &format!("{path}/{key}"), found);
            }
        }
        (Json::Array(a), Json::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differing(a, b, &format!("{path}/{index}"), found);
            }
        }
        _ if a != b => found.push(path.to_owned()),
        _ => {}
    }
}

/// The rules about Jobs that the deployer cannot replace: the general one, and those about the next release.
static REPLACEMENT: [&Rule; 3] =
    [&unreplaceable_job::RULE, &kustomize_churn::RULE, &template_changes_under_fixed_name::RULE];

/// True when a finding says in general what the other rule said of the next release: that nothing can replace the Job.
fn is_in_general(specific: &Rule, raised: &Raised<'_>) -> bool {
    raised.rule == REPLACEMENT[0] && REPLACEMENT[1..].contains(&specific)
}

/// The id of the rule that raised a finding, and how severe it is.
type Counted = (&'static str, Severity);

/// What the rules raise, about objects of one file if it is given, without `--pedantic`: above info, or of any severity
/// for the rule `own` whose finding is fixed.
fn counted(raised: &[Raised<'_>], path: Option<&str>, own: &Rule) -> Vec<Counted> {
    let count = |one: &Raised<'_>| {
        let Raised { rule, object, finding } = one;
        let severity = finding.severity.unwrap_or(rule.meta().severity);
        let is_there = path.is_none_or(|path| object.source.path == path);
        let counts =
            is_there && (rule.id == own.id || !one.is_pedantic() && severity > Severity::Info);
        counts.then_some((rule.id, severity))
    };
    raised.iter().filter_map(count).collect()
}
