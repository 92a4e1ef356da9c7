//! Runs the rules on a view with fixes, and compares what they say with what they said before.

use std::collections::{BTreeSet, HashMap};

use super::{
    Place, Scope, address,
    batch::Batch,
    hidden::Hidden,
    outputs::{Document, places},
};
use crate::{
    context::Context,
    deployers,
    finding::Severity,
    raise, resolve,
    rules::{self, Raised},
    unit::Loaded,
};

/// What the rules say about a view without the fixes.
pub(super) struct Judge<'a> {
    pub(super) scope: &'a Scope<'a>,
    pub(super) index: usize,
    pub(super) context: &'a Context<'a>,
    pub(super) raised: &'a [Raised<'a>],
}

/// How many findings a rule has about an object: of any kind, and reported ones from a warning or from an error on.
pub(super) type Said = HashMap<(&'static str, Place), [usize; 3]>;

impl Judge<'_> {
    /// `None` if the fixes remove the findings that ask for them, and no other finding comes. Else the fixes at whose
    /// objects that fails; none if it fails elsewhere.
    pub(super) fn worse(
        &self,
        after: &Loaded,
        (old, new): (&[Document], &[Document]),
        batch: &Batch<'_>,
    ) -> Option<BTreeSet<usize>> {
        let Scope { unit, settings, own, .. } = *self.scope;
        let view = &self.scope.views[self.index];
        let deployers = deployers::of_view(unit, after, settings);
        let context = Context {
            objects: &after.objects,
            before: &after.before,
            changes: &after.changes,
            generated: &after.generated,
            counts: after.counts,
            deployers: &deployers,
            found: Default::default(),
            ..*self.context
        };
        let (mut raised, _) = raise::all(&context, view.active, own);
        rules::one_per_cause(&mut raised);
        let at = Places::new(view.loaded, old);
        let before = self.said(self.raised, self.context, &at);
        let places_after = Places::new(after, new);
        let after = self.said(&raised, &context, &places_after);
        let mut asked: HashMap<_, Vec<usize>> = HashMap::new();
        let mut changing: HashMap<Place, Vec<usize>> = HashMap::new();
        for (attempt, rule, member) in batch.members(self.index) {
            let place = at.of(address(member.object));
            asked.entry((rule.id, place)).or_default().push(attempt);
            changing.entry(place).or_default().push(attempt);
        }
        let count = |said: &Said, key| said.get(key).copied().unwrap_or_default();
        let hidden = Hidden::new((self.context, &at), (&context, &places_after), (&before, &after));
        let mut blamed = BTreeSet::new();
        let mut is_worse = false;
        for (key, attempts) in &asked {
            if count(&after, key)[0] + attempts.len() > count(&before, key)[0] {
                is_worse = true;
                blamed.extend(attempts);
            }
        }
        for (key, now) in &after {
            let then = count(&before, key);
            let is_new = now[1] > then[1] || now[2] > then[2];
            if is_new && !hidden.covers(key) {
                is_worse = true;
                blamed.extend(changing.get(&key.1).into_iter().flatten());
            }
        }
        is_worse.then_some(blamed)
    }

    fn said(&self, raised: &[Raised<'_>], context: &Context<'_>, places: &Places) -> Said {
        let mut said = Said::new();
        for one in raised {
            let counts = said.entry((one.rule.id, places.of(address(one.object)))).or_default();
            let severity = resolve::reported(one, context, self.scope.settings);
            let severity = severity.filter(|_| !one.is_pedantic());
            counts[0] += 1;
            counts[1] += usize::from(severity >= Some(Severity::Warning));
            counts[2] += usize::from(severity >= Some(Severity::Error));
        }
        said
    }
}

/// The objects of a view by their addresses.
pub(super) struct Places(HashMap<usize, Place>);

impl Places {
    fn new(loaded: &Loaded, documents: &[Document]) -> Self {
        let places = places(loaded, documents);
        Self(loaded.objects.iter().map(address).zip(places).collect())
    }

    pub(super) fn of(&self, address: usize) -> Place {
        self.0.get(&address).copied().unwrap_or(Place(usize::MAX, 0))
    }
}
