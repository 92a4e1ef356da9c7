//! Proves fixes before they are offered: the unit is loaded, rendered or built again with the fix, the rules run again,
//! the finding must be gone, no other may have come, and nothing may differ but what the fix names.

mod attempt;
mod batch;
mod change;
mod hidden;
mod judge;
mod outputs;

use std::{cell::Cell, collections::BTreeSet};

use attempt::{Attempt, Attempts};
use batch::{Batch, apart};
use job_lifecycle::Object;
use judge::Judge;

use crate::{
    context::Context,
    finding::{Finding, RaisedFix},
    resolve,
    rules::{Raised, Rule},
    settings::Settings,
    unit::{Loaded, Unit, UnitKind},
};

/// How many times a unit is loaded again to prove its fixes.
const MOST_PROOFS: usize = 64;

/// How many objects of plain files the rules check again to prove the fixes of a unit, if [`LEAST_PROOFS`] check fewer.
const MOST_OBJECTS: usize = 100_000;

/// How many times plain files are checked again, however many objects they hold.
const LEAST_PROOFS: usize = 8;

/// One view of a unit, and what is known about it.
pub(crate) struct View<'a> {
    pub(crate) loaded: &'a Loaded,
    /// `None` if nothing deploys this view: no rule runs then.
    pub(crate) context: Option<Context<'a>>,
    pub(crate) active: &'a [&'static Rule],
}

/// What fixes are proven for.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) unit: &'a Unit,
    pub(crate) views: &'a [View<'a>],
    pub(crate) settings: &'a Settings,
    /// The user's rules and policies.
    pub(crate) own: &'a [&'static Rule],
}

impl Scope<'_> {
    /// Whether a finding is reported. The fixes of others are not proven.
    fn is_shown(&self, view: usize, raised: &Raised<'_>) -> bool {
        let View { loaded, context, .. } = &self.views[view];
        let is_hidden = |context| resolve::is_hidden(raised, context, self.settings);
        loaded.counts(raised.object) && !context.as_ref().is_none_or(is_hidden)
    }

    fn most_proofs(&self) -> usize {
        let objects: usize = self.views.iter().map(|view| view.loaded.objects.len()).sum();
        match self.unit.kind {
            UnitKind::Plain => (MOST_OBJECTS / objects.max(1)).clamp(LEAST_PROOFS, MOST_PROOFS),
            UnitKind::Chart | UnitKind::Overlay => MOST_PROOFS,
        }
    }
}

/// What loading a unit with a fix shows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Verdict {
    /// The finding is gone, nothing new is found, and nothing else is different.
    Proven,
    /// Something else is different too.
    Shared,
    /// The unit does not load, the finding stays, or something new is found.
    Worse,
}

/// Keeps for each finding of each view the first fix that is proven.
pub(crate) fn fixes<'a>(raised: Vec<Vec<Raised<'a>>>, scope: Scope<'_>) -> Vec<Vec<Raised<'a>>> {
    let has_fixes = |one: &Raised<'_>| !one.finding.fixes.is_empty();
    if !raised.iter().flatten().any(has_fixes) {
        return raised;
    }
    let attempts = Attempts::new(&raised, &scope);
    let left = Cell::new(scope.most_proofs());
    let verifier = Verifier { scope, raised: &raised, attempts: &attempts.all, left };
    verifier.try_all(&attempts);
    let kept: Vec<Vec<_>> = (0..raised.len())
        .map(|view| {
            let fixes = |index| attempts.kept(view, index, &raised[view][index]);
            (0..raised[view].len()).map(fixes).collect()
        })
        .collect();
    let with = |(one, kept): (Raised<'a>, Kept)| one.with(kept);
    raised
        .into_iter()
        .zip(kept)
        .map(|(all, kept)| all.into_iter().zip(kept).map(with).collect())
        .collect()
}

/// The fix of a finding that is proven, or where to change by hand what other objects share.
type Kept = (Vec<RaisedFix>, Option<String>);

impl Raised<'_> {
    fn with(self, (fixes, by_hand): Kept) -> Self {
        let meant = || self.finding.help.clone().unwrap_or_else(|| self.rule.meta().help());
        let help = by_hand.map(|at| format!("{}: {at}", meant().trim_end_matches('.')));
        let help = help.or_else(|| self.finding.help.clone());
        Self { finding: Finding { fixes, help, ..self.finding }, ..self }
    }
}

/// The unit before a fix, and what the rules raise about it.
struct Verifier<'a> {
    scope: Scope<'a>,
    /// For each view.
    raised: &'a [Vec<Raised<'a>>],
    attempts: &'a [Attempt<'a>],
    /// How many proofs are left.
    left: Cell<usize>,
}

impl Verifier<'_> {
    /// Tries the first fix of each finding, then the next of those whose first does not hold.
    fn try_all(&self, attempts: &Attempts<'_>) {
        loop {
            let open: BTreeSet<usize> = attempts.open().collect();
            if open.is_empty() {
                break;
            }
            for batch in apart(self.attempts, open) {
                self.prove(&batch);
            }
        }
    }

    /// Proves fixes together. If that fails, those at whose objects it fails are tried apart from the others.
    fn prove(&self, batch: &[usize]) {
        let set = |verdict| batch.iter().for_each(|one| self.attempts[*one].verdict.set(verdict));
        let Some(left) = self.left.get().checked_sub(1) else { return set(Some(Verdict::Worse)) };
        self.left.set(left);
        let (verdict, blamed) = self.verdict(batch);
        if verdict == Verdict::Proven || batch.len() == 1 {
            return set(Some(verdict));
        }
        let (blamed, others): (Vec<_>, Vec<_>) =
            batch.iter().copied().partition(|one| blamed.contains(one));
        match (blamed.is_empty(), others.is_empty()) {
            (false, false) => {
                self.prove(&others);
                self.prove(&blamed);
            }
            _ => {
                let (first, second) = batch.split_at(batch.len() / 2);
                self.prove(first);
                self.prove(second);
            }
        }
    }

    /// Loads the unit with fixes. Returns also at which of them it fails, if that is known.
    fn verdict(&self, batch: &[usize]) -> (Verdict, BTreeSet<usize>) {
        let none = BTreeSet::new;
        let batch = Batch::new(self.attempts, batch);
        let Some(mut outputs) = outputs::Outputs::new(&self.scope, &batch) else {
            return (Verdict::Worse, none());
        };
        for (index, view) in self.scope.views.iter().enumerate() {
            let before = outputs::documents(view.loaded);
            let Some(after) = outputs.documents(index) else { return (Verdict::Worse, none()) };
            let is_touched = batch.members(index).next().is_some();
            if !is_touched && before == after {
                continue;
            }
            if before.len() != after.len() {
                return (Verdict::Shared, none());
            }
            let differing = before.iter().zip(&after).filter(|(old, new)| old != new);
            if !{ differing }.all(|(old, new)| batch.allows(index, old, new)) {
                return (Verdict::Shared, none());
            }
            let Some(context) = &view.context else { continue };
            let Some(loaded) = outputs.take(index) else { return (Verdict::Worse, none()) };
            let judge = Judge { scope: &self.scope, index, context, raised: &self.raised[index] };
            let blamed = judge.worse(&loaded, (&before, &after), &batch);
            if let Some(blamed) = blamed {
                return (Verdict::Worse, blamed);
            }
        }
        (Verdict::Proven, none())
    }
}

/// The position of an object in a view: of its document among those of the view, and in the document. It stays what it is
/// when a fix renames the object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Place(usize, usize);

/// The same objects have the same address while the fixes of a unit are proven.
fn address(object: &Object) -> usize {
    std::ptr::from_ref(object) as usize
}
