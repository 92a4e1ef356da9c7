//! Forecasts what a deployer does with a workload when the new version replaces the old one.

use job_lifecycle::{
    Deployer, Event, Hook, Object, Outcome, ReleaseChanges, Role, Tool, classify,
    forecast::{DeployedWorkload, Forecast, forecast},
    kubernetes::immutable::ImmutableField,
    release_changes::Change,
    workload::Kind,
};

use super::{conversion, pair::Pair};
use crate::context::Context;

/// The verdict on a workload under one deployer.
#[derive(Clone, Debug)]
pub(crate) struct Verdict<'a> {
    /// The workload in question: the new object, or the old one if it is removed.
    pub work: DeployedWorkload<'a>,
    /// Its forecast.
    pub forecast: Forecast,
    /// The roles of the old and the new object under this deployer.
    pub roles: [Option<Role>; 2],
    /// The forecast for a deploy before the old Job's TTL has removed it, if the main forecast is for after
    /// that.
    pub within_ttl: Option<Forecast>,
    /// The forecast for the old object after a rename.
    pub old: Option<Forecast>,
}

impl Verdict<'_> {
    /// The reason of the forecast, including that of a renamed object's old name.
    pub(crate) fn reason(&self) -> String {
        let own = &self.forecast.reason;
        let stays = |old: &&Forecast| old.outcome != Outcome::Deleted && !old.reason.is_empty();
        match self.old.as_ref().filter(stays) {
            Some(old) => format!("{own}; the old one stays: {}", old.reason),
            None => own.clone(),
        }
    }
}

/// A TTL shorter than this, in seconds, is taken to have expired before the next deploy.
const SOON: i64 = 86_400;

/// Forecasts a pair under one deployer; `None` if the deployer applies neither side.
pub(crate) fn judge<'a>(
    pair: &Pair<'a>,
    fields: &[ImmutableField],
    deployer: &Deployer,
    context: &Context<'a>,
) -> Option<Verdict<'a>> {
    let from_chart = context.from_chart();
    let role = |object: &Object| classify(object, deployer, from_chart);
    let [old, new] = [pair.old, pair.new].map(|part| part.map(|part| &part.object));
    let roles = [old.map(role), new.map(role)];
    let work = |side: usize| {
        let object = [old, new][side]?;
        let work = DeployedWorkload::new(object, roles[side].clone()?, from_chart)?;
        Some(work.deleted_by(context.deleters(object)))
    };
    let (before, after) = (work(0), work(1));
    let applied = |work: &Option<DeployedWorkload<'_>>| {
        work.as_ref().is_some_and(|work| work.role != Role::Dropped)
    };
    let (work, found) = match (applied(&before), applied(&after)) {
        (false, false) => return None,
        (true, false) => {
            let before = before?;
            let found = forecast(&before, &ReleaseChanges::default(), deployer, Event::Removed)?;
            (after.unwrap_or(before), Replacement::of(found))
        }
        (false, true) => {
            let after = after?;
            let found = arrives(&after, deployer)?;
            (after, Replacement::of(found))
        }
        (true, true) => {
            let (before, after) = (before?, after?);
            let found = replaces(pair, &before, &after, fields, deployer)?;
            (after, found)
        }
    };
    let Replacement { forecast, within_ttl, old } = found;
    Some(Verdict { work, forecast, roles, within_ttl, old })
}

/// The forecast for the new object, with those for the old one that it does not cover.
struct Replacement {
    forecast: Forecast,
    within_ttl: Option<Forecast>,
    old: Option<Forecast>,
}

impl Replacement {
    fn of(forecast: Forecast) -> Self {
        Self { forecast, within_ttl: None, old: None }
    }
}

/// Forecasts a workload that the deployer applies in both versions.
fn replaces(
    pair: &Pair<'_>,
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    fields: &[ImmutableField],
    deployer: &Deployer,
) -> Option<Replacement> {
    match (&before.role, &after.role) {
        (Role::Plain, Role::Plain) => {
            let met = stays(before, after, fields, pair.renamed, deployer)?;
            if !pair.renamed {
                return Some(after_ttl(before, after, met, deployer));
            }
            // The old object's own annotations decide what happens to it.
            let old = forecast(before, &ReleaseChanges::default(), deployer, Event::Removed);
            let also = old.iter().map(|old| old.outcome).collect();
            Some(Replacement { forecast: Forecast { also, ..met }, within_ttl: None, old })
        }
        (Role::Hook(old), Role::Hook(new)) => {
            let role = Role::Hook(succeeding(old, new));
            let changes = changes_between(before, after, fields, pair.renamed);
            let work = DeployedWorkload { role, ..after.clone() };
            forecast(&work, &changes, deployer, Event::Upgrade).map(Replacement::of)
        }
        _ => conversion::judge(before, after, fields, deployer).map(Replacement::of),
    }
}

/// Forecasts a new object. A hook runs for the first time; Helm runs no install hooks in an upgrade.
fn arrives(after: &DeployedWorkload<'_>, deployer: &Deployer) -> Option<Forecast> {
    let unchanged = ReleaseChanges::default();
    let Role::Hook(hook) = &after.role else {
        return forecast(after, &unchanged, deployer, Event::Install);
    };
    if deployer.tool == Tool::Argocd {
        return forecast(after, &unchanged, deployer, Event::Install);
    }
    let mut hook = hook.clone();
    hook.events.retain(|event| !matches!(event.as_str(), "pre-install" | "post-install"));
    if hook.events.is_empty() {
        hook.events.push("test".to_owned());
    }
    let after = DeployedWorkload { role: Role::Hook(hook), ..after.clone() };
    forecast(&after, &unchanged, deployer, Event::Upgrade)
}

/// Forecasts an object that is ordinary, not a hook, in both versions.
fn stays(
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    fields: &[ImmutableField],
    renamed: bool,
    deployer: &Deployer,
) -> Option<Forecast> {
    let changes = changes_between(before, after, fields, renamed);
    let mut met = forecast(after, &changes, deployer, Event::Upgrade)?;
    let resumed = before.is_suspended() && !after.is_suspended();
    if resumed
        && met.outcome == Outcome::Unchanged
        && job_lifecycle::workload::kind_of(after.object) == Some(Kind::Job)
    {
        met.outcome = Outcome::Runs;
        met.reason = "it was suspended and no longer is".to_owned();
        met.fact = "kubernetes-jobs 2.2";
    }
    Some(met)
}

/// Forecasts a Job whose TTL removes it before the next deploy: it is created and runs, changed or not
/// (observed 1; helm F.1; argocd 6.1; flux 1.5).
fn after_ttl(
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    met: Forecast,
    deployer: &Deployer,
) -> Replacement {
    let ttl = before.ttl().and_then(|ttl| ttl.value.as_int());
    let Some(ttl) = ttl.filter(|ttl| *ttl < SOON && !before.is_suspended()) else {
        return Replacement::of(met);
    };
    let kept = matches!(met.outcome, Outcome::Rejected | Outcome::Unchanged | Outcome::Replaced);
    let created = forecast(after, &ReleaseChanges::default(), deployer, Event::Install);
    let Some(created) = created.filter(|created| kept && created.outcome == Outcome::Runs) else {
        return Replacement::of(met);
    };
    let name = before.object.display_name();
    let forecast = Forecast {
        outcome: Outcome::RunsAgain,
        reason: format!(
            "`{name}` is gone {ttl} s after its run, so it is created again, changed or not"
        ),
        ..created
    };
    Replacement { forecast, within_ttl: Some(met), old: None }
}

/// The changes from the old to the new version.
pub(crate) fn changes_between(
    before: &DeployedWorkload<'_>,
    after: &DeployedWorkload<'_>,
    fields: &[ImmutableField],
    renamed: bool,
) -> ReleaseChanges {
    let upgrade = Change {
        name: renamed,
        mutable: before.object.root != after.object.root,
        fields: fields.iter().map(|field| field.path).collect(),
        ..Change::default()
    };
    ReleaseChanges { upgrade, ..ReleaseChanges::default() }
}

/// The new hook as it finds the cluster after a run of the old one: the old policies decide what was left
/// behind, the new ones whether it is deleted first.
fn succeeding(old: &Hook, new: &Hook) -> Hook {
    const CREATION: [&str; 2] = ["before-hook-creation", "BeforeHookCreation"];
    let first = |policy: &&String| CREATION.contains(&policy.as_str());
    let recreated = new.policies.iter().filter(first);
    let left = old.policies.iter().filter(|policy| !first(policy));
    Hook { policies: recreated.chain(left).cloned().collect(), ..new.clone() }
}

/// Returns whether a hook's object remains after a successful run and can conflict with the next deploy.
pub(crate) fn is_left(hook: &Hook) -> bool {
    !hook.has_policy("hook-succeeded") && !hook.has_policy("HookSucceeded")
}
