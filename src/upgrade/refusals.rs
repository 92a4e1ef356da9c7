//! What the admission policies of the user say about the objects of the new version.

use std::sync::Arc;

use admission_policy::Request;
use job_lifecycle::{Object, Role};

use super::{Judged, finding::located, judge::Verdict};
use crate::{
    admission::{self, Admission},
    context::Context,
    diagnostic::Diagnostic,
    rules::Raised,
    settings::Settings,
};

impl Verdict<'_> {
    /// Returns whether the deployer updates the object that is there, instead of making a new one.
    fn updates(&self) -> bool {
        matches!(&self.roles, [Some(Role::Plain), Some(Role::Plain)])
    }
}

impl Judged<'_> {
    /// The findings of the policies: about an update where a deployer updates the object, about a new object where it
    /// makes one.
    pub(crate) fn refusals(
        &self,
        context: &Context<'_>,
        settings: &Settings,
        values: Option<&Arc<str>>,
    ) -> Vec<Diagnostic> {
        let own = &settings.own;
        let Some(new) = self.pair.new.filter(|_| !own.admission.is_empty()) else {
            return Vec::new();
        };
        let namespace = context.from_chart().then_some(self.namespace);
        let namespace = admission::namespace(context).or(namespace);
        let old = self.pair.old.filter(|_| !self.pair.renamed).map(|old| &old.object);
        let updates = |holds: bool| {
            self.verdicts.iter().any(|(_, verdict)| (old.is_some() && verdict.updates()) == holds)
        };
        let rules = settings.active_own_rules();
        let mut all = Admission::default();
        let mut ask = |old: Option<&Object>| {
            let request = Request { object: &new.object, old, namespace };
            all.ask(&request, &new.object, own, &rules);
        };
        if updates(true) {
            ask(old);
        }
        if updates(false) {
            ask(None);
        }
        let mut raised = all.raised;
        let mut seen = Vec::new();
        raised.retain(|one| {
            let key = (one.rule.id, one.finding.message.clone());
            let is_new = !seen.contains(&key);
            seen.push(key);
            is_new
        });
        let located = raised.into_iter().map(|Raised { rule, finding, .. }| {
            located(rule, new, finding, (context, settings), values)
        });
        located.collect()
    }
}
