//! Forecasts an ordinary object that becomes a hook, or the reverse. Sources: helm A.10;
//! observed 2; observed k-tohook; observed q-tohook2; observed q-back.

use job_lifecycle::{
    Deployer, Event, Hook, Outcome, ReleaseChanges, Role, Tool,
    forecast::{DeployedWorkload, Forecast, forecast},
    kubernetes::immutable::ImmutableField,
    release_changes::{Change, HookChange},
};

use super::judge::{changes_between, is_left};

/// Forecasts a conversion under one deployer. Both versions are applied, exactly one of them as a hook.
pub(crate) fn judge(
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    fields: &[ImmutableField],
    deployer: &Deployer,
) -> Option<Forecast> {
    match (&before.role, &after.role) {
        (_, Role::Hook(hook)) if deployer.tool == Tool::Argocd => {
            Some(to_argo_hook(hook, deployer))
        }
        (_, Role::Hook(hook)) => {
            by_helm(before, HookChange::Becomes(hook.clone()), fields, deployer)
        }
        (Role::Hook(hook), _) if deployer.tool == Tool::Argocd => {
            from_argo_hook(before, after, hook, fields, deployer)
        }
        (Role::Hook(_), _) => by_helm(before, HookChange::Ceases, fields, deployer),
        _ => None,
    }
}

/// The forecast of an upgrade by Helm that converts the workload.
fn by_helm(
    before: &DeployedWorkload<'_>,
    conversion: HookChange,
    fields: &[ImmutableField],
    deployer: &Deployer,
) -> Option<Forecast> {
    let fields = fields.iter().map(|field| field.path).collect();
    let upgrade = Change { hook: Some(conversion), mutable: true, fields, ..Change::default() };
    let changes = ReleaseChanges { upgrade, ..ReleaseChanges::default() };
    forecast(before, &changes, deployer, Event::Upgrade)
}

/// To Argo CD the live object is extraneous, because hooks are not part of the app.
fn to_argo_hook(hook: &Hook, deployer: &Deployer) -> Forecast {
    let syncs = hook.is_of_sync();
    match (syncs, deployer.argocd().prune == Some(true)) {
        (true, true) => outcome(Outcome::RunsAgain, String::new(), "observed k-tohook"),
        (true, false) => outcome(
            Outcome::Deleted,
            "pruning is off: a sync deletes the old object and does not run the hook, and yet succeeds; the next one runs it".to_owned(),
            "observed q-tohook2",
        ),
        (false, true) => outcome(Outcome::Deleted, String::new(), "argocd 9"),
        (false, false) => outcome(
            Outcome::Orphaned,
            "OutOfSync (requires pruning), and pruning is off".to_owned(),
            "argocd 9",
        ),
    }
}

/// Argo CD applies the ordinary object to whatever the hook left: the annotation goes, nothing runs, and changes
/// of immutable fields are rejected as for any Job (argocd 5; observed q-back).
fn from_argo_hook(
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    hook: &Hook,
    fields: &[ImmutableField],
    deployer: &Deployer,
) -> Option<Forecast> {
    let name = before.object.display_name();
    if is_left(hook) && before.ttl().is_none() {
        if !fields.is_empty() {
            let changes = changes_between(before, after, fields, false);
            return forecast(after, &changes, deployer, Event::Upgrade);
        }
        let reason = format!(
            "the sync removes the hook annotation from the existing `{name}`, and nothing runs"
        );
        return Some(outcome(Outcome::Unchanged, reason, "observed q-back"));
    }
    let mut created = forecast(after, &ReleaseChanges::default(), deployer, Event::Install)?;
    if created.outcome == Outcome::Runs {
        created.outcome = Outcome::RunsAgain;
    }
    Some(created)
}

fn outcome(outcome: Outcome, reason: String, fact: &'static str) -> Forecast {
    Forecast { outcome, also: Vec::new(), reason, fact, fields: Vec::new(), labels: Vec::new() }
}
