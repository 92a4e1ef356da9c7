//! Forecasts an ordinary object that becomes a hook, or the reverse. Sources: helm A.10;
//! observed 2; observed k-tohook; observed q-tohook2; observed q-back.

use job_lifecycle::{
    Deployer, Event, Hook, Outcome, ReleaseChanges, Role, Tool,
    forecast::{DeployedWorkload, Forecast, forecast},
    kubernetes::immutable::ImmutableField,
};

use super::judge::{changes_between, is_kept, is_left};

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
        (_, Role::Hook(hook)) => to_helm_hook(before, after, hook, fields, deployer),
        (Role::Hook(hook), _) if deployer.tool == Tool::Argocd => {
            from_argo_hook(before, after, hook, fields, deployer)
        }
        (Role::Hook(hook), _) => from_helm_hook(before, after, hook, deployer),
        _ => None,
    }
}

/// The release no longer contains the object, so the upgrade deletes it, including the object that a
/// pre-upgrade hook of the same name has just created.
fn to_helm_hook(
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    hook: &Hook,
    fields: &[ImmutableField],
    deployer: &Deployer,
) -> Option<Forecast> {
    let name = before.object.display_name();
    let removed = forecast(before, &ReleaseChanges::default(), deployer, Event::Removed)?;
    let kept = is_kept(before.object);
    if hook.listens_to("pre-upgrade") {
        return Some(
            match (hook.policies.iter().any(|policy| policy == "before-hook-creation"), kept) {
                (true, true) => outcome(Outcome::RunsAgain, String::new(), "helm A.10"),
                (true, false) => Forecast {
                    also: vec![Outcome::Deleted],
                    ..outcome(
                        Outcome::RunsAgain,
                        format!(
                            "the hook runs, then the update deletes `{name}`: it is no longer part of the release"
                        ),
                        "helm A.10",
                    )
                },
                (false, _) => meets_existing(after, fields, deployer, &name),
            },
        );
    }
    if !hook.listens_to("post-upgrade") {
        return Some(Forecast {
            reason: format!(
                "`{name}` is no longer part of the release, and an upgrade does not run the hook"
            ),
            ..removed
        });
    }
    match kept && !hook.policies.iter().any(|policy| policy == "before-hook-creation") {
        true => Some(meets_existing(after, fields, deployer, &name)),
        // The upgrade deletes the object before post-upgrade hooks run.
        false => Some(outcome(Outcome::RunsAgain, String::new(), "helm A.10")),
    }
}

/// A hook without a prior deletion finds the ordinary object in the cluster (helm A.5; helm A.6).
fn meets_existing(
    after: &DeployedWorkload<'_>,
    fields: &[ImmutableField],
    deployer: &Deployer,
    name: &str,
) -> Forecast {
    let applies = deployer.tool != Tool::Helm3 && !deployer.applies_client_side();
    match (applies, fields.is_empty()) {
        (false, _) => outcome(
            Outcome::Blocked,
            format!("`{name}` is still there, and hooks are created: `already exists`"),
            "helm A.5",
        ),
        (true, false) => Forecast {
            fields: fields.iter().map(|field| field.path).collect(),
            ..outcome(
                Outcome::Rejected,
                format!("`{name}` is still there, and `{}` is immutable", fields[0].path),
                "helm A.6",
            )
        },
        (true, true) => outcome(
            Outcome::FalseSuccess,
            format!(
                "the old {} `{name}`, which is done, counts as the run of the hook",
                after.object.kind()
            ),
            "helm A.6",
        ),
    }
}

/// Helm does not adopt objects that it created as hooks.
fn from_helm_hook(
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    hook: &Hook,
    deployer: &Deployer,
) -> Option<Forecast> {
    let has_run = ["pre-install", "post-install", "pre-upgrade", "post-upgrade"]
        .iter()
        .any(|event| hook.listens_to(event));
    let name = before.object.display_name();
    if before.ttl().is_none() && has_run && is_left(hook) {
        let reason = format!(
            "the hook left `{name}` without Helm's labels: `{} \"{name}\" … exists and cannot be imported into the current \
             release: invalid ownership metadata`",
            after.object.kind()
        );
        return Some(outcome(Outcome::Rejected, reason, "helm A.10"));
    }
    let mut created = forecast(after, &ReleaseChanges::default(), deployer, Event::Install)?;
    if has_run && created.outcome == Outcome::Runs {
        created.outcome = Outcome::RunsAgain;
        created.reason = format!("nothing is left of the hook `{name}`, so it is created");
    }
    Some(created)
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
