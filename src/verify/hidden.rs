//! Findings that a flaw hid: they are not new when it is gone.

use std::collections::HashSet;

use job_lifecycle::{Deployer, Object, deploy::Role, kubernetes::api_versions};

use super::{
    Place, address,
    judge::{Places, Said},
};
use crate::{
    context::Context,
    rules::{
        Rule, kustomize_churn, missing_ttl, template_changes_under_fixed_name, unreplaceable_job,
    },
    workload::Subject,
};

/// Rules whose finding about an object stands for that of another rule, which was true before: that nothing can replace a
/// Job says more than that it stays, and that its next change is rejected more than that any change is.
static STAND_FOR: [(&Rule, &Rule); 5] = [
    (&template_changes_under_fixed_name::RULE, &unreplaceable_job::RULE),
    (&template_changes_under_fixed_name::RULE, &missing_ttl::RULE),
    (&kustomize_churn::RULE, &unreplaceable_job::RULE),
    (&kustomize_churn::RULE, &missing_ttl::RULE),
    (&unreplaceable_job::RULE, &missing_ttl::RULE),
];

/// What could not be found before a fix.
pub(super) struct Hidden {
    /// The objects that no deployer created, and one creates now.
    created: HashSet<Place>,
    /// The rules about an object for which another stood, which is silent now.
    revealed: HashSet<(&'static str, Place)>,
}

/// The objects of a view and their places.
type Objects<'a, 'c> = (&'a Context<'c>, &'a Places);

impl Hidden {
    pub(super) fn new(
        before: Objects<'_, '_>,
        after: Objects<'_, '_>,
        (said, says): (&Said, &Said),
    ) -> Self {
        let [then, now] = [absent(before), absent(after)];
        let created = then.difference(&now).copied().collect();
        let of = |(first, other): &(&Rule, &'static Rule)| {
            let other = other.id;
            let own = said.keys().filter(|(id, _)| *id == first.id);
            let gone = own.filter(|key| !says.contains_key(*key));
            gone.map(|(_, place)| (other, *place)).collect::<Vec<_>>()
        };
        Self { created, revealed: STAND_FOR.iter().flat_map(of).collect() }
    }

    pub(super) fn covers(&self, key: &(&'static str, Place)) -> bool {
        self.created.contains(&key.1) || self.revealed.contains(key)
    }
}

/// The objects that no deployer creates.
fn absent((context, places): Objects<'_, '_>) -> HashSet<Place> {
    let absent = context.objects.iter().filter(|object| is_absent(object, context));
    absent.map(|object| places.of(address(object))).collect()
}

/// True for a workload that the API server does not know or rejects, or that the deployers leave out.
fn is_absent(object: &Object, context: &Context<'_>) -> bool {
    let Some(job) = Subject::new(object, context) else { return false };
    let served = api_versions::find(object.kind(), object.api_version());
    if !served.is_some_and(|served| served.is_in(context.kubernetes)) {
        return true;
    }
    let is_left_out = |deployer: &Deployer| match context.role(object, deployer) {
        Role::Dropped => true,
        Role::Hook(hook) => hook.events.is_empty(),
        Role::Plain => false,
    };
    !context.deployers.iter().any(|one| job.is_accepted(one) && !is_left_out(one))
}
