//! The forecast of all workloads that are deployed together: what an operation does not reach because it
//! fails earlier, and hooks that need objects created after them.

use std::cmp::Ordering;

use super::{ClusterState, DeployedWorkload, Event, Forecast, Outcome, forecast, helm};
use crate::{
    Label,
    deploy::{Finds, Hook, Need, OPERATIONS, Role, classify, needs, wave},
    deployer::{Deployer, Tool},
    object::Object,
    release_changes::ReleaseChanges,
};

/// The forecast of one workload under one deployer, at each event that can happen to it.
#[derive(Clone, Debug)]
pub struct Row {
    /// The role of the workload under the deployer.
    pub role: Role,
    /// The forecasts, in the order in which the events were asked for.
    pub events: Vec<(Event, Forecast)>,
}

/// The events at which all workloads are in the same state. At the others, each forecast assumes that only
/// its own workload failed or still runs.
const TOGETHER: &[Event] =
    &[Event::Install, Event::Redeploy, Event::Upgrade, Event::Forced, Event::Rollback];

/// The forecasts of all workloads that a deployer applies together, one row for each of `works`, in that
/// order. `objects` are all objects that are deployed with them.
pub fn forecast_unit(
    works: &[(DeployedWorkload<'_>, ReleaseChanges)],
    objects: &[&Object],
    deployer: &Deployer,
    events: &[Event],
) -> Vec<Row> {
    let alone = |(work, changes): &(DeployedWorkload<'_>, ReleaseChanges)| {
        let at = |event: &Event| Some((*event, forecast(work, changes, deployer, *event)?));
        let mut events: Vec<_> = events.iter().filter_map(at).collect();
        wait_in_vain(&mut events, work, changes, objects, deployer);
        Row { role: work.role.clone(), events }
    };
    let mut rows: Vec<Row> = works.iter().map(alone).collect();
    if deployer.tool != Tool::Kubectl {
        for event in TOGETHER.iter().filter(|event| events.contains(event)) {
            block(&mut rows, works, deployer, *event);
        }
    }
    rows
}

/// Blocks a hook whose pod needs an object that is created after it: the pod cannot start, so the deploy
/// never creates the object, and the next attempt meets the same state (helm A.4; argocd 0.2; argocd 8;
/// observed 2; observed 5).
fn wait_in_vain(
    events: &mut Vec<(Event, Forecast)>,
    work: &DeployedWorkload<'_>,
    changes: &ReleaseChanges,
    objects: &[&Object],
    deployer: &Deployer,
) {
    let Some(hook) = work.role.hook() else { return };
    let role = |object: &Object| classify(object, deployer, work.from_chart);
    let all = needs(work.object, objects.iter().copied());
    let is_late =
        |need: &Need<'_>| need.finds(hook, &role(need.target), deployer) == Some(Finds::Nothing);
    let Some(need) = all.iter().find(|need| need.twins(&all).all(is_late)) else {
        return lack(events, (hook, &all), (work, changes), deployer);
    };
    let is_later = |events| need.is_later(hook, &role(need.target), events);
    let comes_later = |event| match helm::calls(&ClusterState::new(work, changes, deployer, event))
    {
        _ if deployer.tool == Tool::Argocd => true,
        Some(events) => is_later(events),
        // Nothing is tried again, and the install stays failed.
        None => event == Event::Redeploy && is_later(OPERATIONS[0]),
    };
    // It has not run, so there is no run to end or to be joined.
    if comes_later(Event::Install) {
        events.retain(|(event, _)| !matches!(event, Event::WhileRunning | Event::AfterTtl));
    }
    for (event, forecast) in events {
        let deletes = matches!(event, Event::Removed | Event::Uninstall);
        let is_tried = forecast.outcome.starts() || *event == Event::Redeploy;
        if is_tried && !deletes && comes_later(*event) {
            *forecast =
                without(need, deployer, ["is created after this hook", "created after the hook"]);
        } else if deletes && deployer.tool == Tool::Argocd && hook.is_of_sync() {
            // The sync that waits is terminated first, and that deletes the hook.
            *forecast =
                Forecast { outcome: Outcome::Skipped, also: Vec::new(), ..forecast.clone() };
        }
    }
}

/// Blocks a hook in the events in which an object that its pod needs does not exist.
fn lack(
    events: &mut [(Event, Forecast)],
    (hook, needs): (&Hook, &[Need<'_>]),
    (work, changes): (&DeployedWorkload<'_>, &ReleaseChanges),
    deployer: &Deployer,
) {
    if matches!(deployer.tool, Tool::Argocd | Tool::Kubectl) {
        return;
    }
    let role = |object: &Object| classify(object, deployer, work.from_chart);
    let lacking = |need: &Need<'_>| need.lacks(needs, hook, role);
    let Some((need, when)) = needs.iter().find_map(|need| Some((need, lacking(need)?))) else {
        return;
    };
    for (event, forecast) in events {
        let calls = helm::calls(&ClusterState::new(work, changes, deployer, *event));
        if forecast.outcome.starts() && calls.is_some_and(|events| events.contains(&when)) {
            *forecast = without(need, deployer, ["does not exist then", "does not exist then"]);
        }
    }
}

/// The forecast of a hook whose pod needs an object that is not there, and what is said of it: of the object in a
/// sentence, and where it is written.
fn without(need: &Need<'_>, deployer: &Deployer, [is, label]: [&str; 2]) -> Forecast {
    let (kind, name) = (need.reference.kind, need.reference.name);
    let at = need.target.root.at(&["metadata", "name"]).map(|node| Label {
        source: need.target.source.clone(),
        span: node.span,
        text: label.to_owned(),
    });
    let own = Label {
        source: need.hook.source.clone(),
        span: need.reference.span,
        text: format!("the pod cannot start without {kind} `{name}`"),
    };
    Forecast {
        outcome: Outcome::Blocked,
        also: Vec::new(),
        reason: format!("{kind} `{name}`, which its pod needs, {is}"),
        fact: if deployer.tool == Tool::Argocd { "argocd 8" } else { "helm A.4" },
        fields: Vec::new(),
        labels: [Some(own), at].into_iter().flatten().collect(),
    }
}

/// Blocks what comes after the first failure, and runs the `SyncFail` hooks of a failed sync.
fn block(
    rows: &mut [Row],
    works: &[(DeployedWorkload<'_>, ReleaseChanges)],
    deployer: &Deployer,
    event: Event,
) {
    let fails = |row: &Row| row.at(event).is_some_and(|forecast| forecast.outcome.fails());
    let order = |index: usize| order(&works[index].0, deployer, event);
    let first = (0..rows.len())
        .filter(|index| fails(&rows[*index]))
        .min_by(|a, b| order(*a).cmp(&order(*b)));
    let Some(first) = first else { return };
    // A Kustomization tries all of them before it applies any: each rejection is its own.
    let in_turn = !is_staged(&works[first].0, deployer);
    let name = works[first].0.object.display_name();
    for index in 0..rows.len() {
        let later =
            index != first && reaches_not(&works[first].0, &works[index].0, deployer, event);
        let on_failure = rows[index].role.hook().is_some_and(|hook| hook.listens_to("SyncFail"));
        let Some((_, forecast)) = rows[index].events.iter_mut().find(|(own, _)| *own == event)
        else {
            continue;
        };
        if on_failure && forecast.outcome == Outcome::Skipped {
            forecast.outcome = Outcome::Runs;
            forecast.reason = format!("the sync fails over `{name}`");
        } else if later && (forecast.outcome.starts() || in_turn && forecast.outcome.fails()) {
            forecast.outcome = Outcome::Blocked;
            forecast.also.clear();
            forecast.fields.clear();
            forecast.labels.clear();
            forecast.reason = format!("the deploy fails over `{name}` before it comes to this");
        }
    }
}

/// True when the operation does not reach a workload after the failure of another.
fn reaches_not(
    failed: &DeployedWorkload<'_>,
    other: &DeployedWorkload<'_>,
    deployer: &Deployer,
    event: Event,
) -> bool {
    is_staged(failed, deployer) || order(failed, deployer, event) < order(other, deployer, event)
}

/// True when one rejected object stops the whole stage, as in a Kustomization (flux 1.1).
fn is_staged(work: &DeployedWorkload<'_>, deployer: &Deployer) -> bool {
    deployer.tool == Tool::Flux && !deployer.is_helm_release(work.from_chart)
}

/// When an operation reaches a workload: phase, wave, name. Helm runs hooks one by one and applies the other
/// objects together (helm A.4; helm B.1); Argo CD waits after each wave (argocd 0.2; argocd 0.3).
pub(super) fn order<'a>(
    work: &DeployedWorkload<'a>,
    deployer: &Deployer,
    event: Event,
) -> Turn<'a> {
    let upgrade = event != Event::Install;
    match &work.role {
        Role::Hook(hook) if deployer.tool == Tool::Argocd => {
            Turn { phase: argo_phase(hook), wave: hook.weight, name: "" }
        }
        Role::Hook(hook) => {
            let name = work.object.name().unwrap_or_default();
            Turn { phase: helm_phase(hook, upgrade), wave: hook.weight, name }
        }
        Role::Plain | Role::Dropped if deployer.tool == Tool::Argocd => {
            Turn { phase: 0, wave: wave(work.object), name: "" }
        }
        Role::Plain | Role::Dropped => Turn { phase: 0, wave: 0, name: "" },
    }
}

/// When an operation reaches a workload.
#[derive(PartialEq, Eq)]
pub(super) struct Turn<'a> {
    phase: i8,
    wave: i64,
    name: &'a str,
}

impl PartialOrd for Turn<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Turn<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.phase, self.wave, self.name).cmp(&(other.phase, other.wave, other.name))
    }
}

/// The first phase that runs the hook.
fn argo_phase(hook: &Hook) -> i8 {
    let phases = [("PreSync", -1), ("Sync", 0), ("PostSync", 1)];
    phases.iter().find(|(phase, _)| hook.listens_to(phase)).map_or(2, |(_, phase)| *phase)
}

fn helm_phase(hook: &Hook, upgrade: bool) -> i8 {
    let pre =
        if upgrade { ["pre-upgrade", "pre-rollback"] } else { ["pre-install", "pre-install"] };
    if pre.iter().any(|event| hook.listens_to(event)) { -1 } else { 1 }
}

impl Row {
    /// The forecast at an event; `None` when the event cannot happen or was not asked for.
    pub fn at(&self, event: Event) -> Option<&Forecast> {
        self.events.iter().find(|(own, _)| *own == event).map(|(_, forecast)| forecast)
    }
}
