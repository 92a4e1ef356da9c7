//! Helm 3 and Helm 4, from the command line or inside Flux's helm-controller and Fleet's agent.
//!
//! Sources: helm A (hooks); helm B (ordinary objects); helm F (tables); observed 1; observed 2; observed 3.
//! flux 2; fleet 3: what these two add.

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::{ClusterState, Live},
    deletion, fleet, flux,
    hook::{self, Brings},
    prediction::{Cause, Prediction, predict},
    resource::{self, Resource},
    work::Shape,
};
use crate::{
    deploy::{Hook, OPERATIONS, Role},
    deployer::Tool,
};

/// What runs Helm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Host {
    Helm3,
    Helm4,
    HelmRelease,
    Fleet,
}

/// The operation of Helm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Install,
    Upgrade,
    Rollback,
    Uninstall,
    /// The tool sees no change and does not call Helm.
    None,
}

/// The hook events of each operation (helm A.11).
const CALLS: &[(Operation, [&str; 2])] = &[
    (Operation::Install, OPERATIONS[0]),
    (Operation::Upgrade, OPERATIONS[1]),
    (Operation::Rollback, OPERATIONS[2]),
    (Operation::Uninstall, ["pre-delete", "post-delete"]),
];

/// The hook events of the operation that an event causes; `None` when Helm is not called.
pub(super) fn calls(state: &ClusterState<'_>) -> Option<[&'static str; 2]> {
    let does = operation(host(state), state.event);
    CALLS.iter().find(|(of, _)| *of == does).map(|(_, events)| *events)
}

/// Force: what runs Helm, whether the release uses server-side apply (`None`: either), how objects are sent,
/// and the source.
const FORCED: &[(Host, Option<bool>, ApplyStrategy, &str)] = &[
    (Host::Helm3, None, ApplyStrategy::Put, "helm B.3"),
    (Host::Helm4, Some(true), ApplyStrategy::Reject, "helm B.4"),
    (Host::Helm4, Some(false), ApplyStrategy::Put, "helm B.4"),
    // Ignored with server-side apply.
    (Host::HelmRelease, Some(true), ApplyStrategy::Patch, "flux 2.3"),
    (Host::HelmRelease, Some(false), ApplyStrategy::Put, "flux 2.3"),
    // Switches server-side apply off.
    (Host::Fleet, None, ApplyStrategy::Put, "fleet 3.2"),
];

/// The operation that an event causes.
fn operation(host: Host, event: Event) -> Operation {
    let cli = matches!(host, Host::Helm3 | Host::Helm4);
    match event {
        Event::Install => Operation::Install,
        Event::Uninstall => Operation::Uninstall,
        Event::Rollback if cli => Operation::Rollback,
        // A correction is a rollback to the release that is live (fleet 3.5).
        Event::SelfHeal if host == Host::Fleet => Operation::Rollback,
        // Helm is not called without a new digest; a missing object is recreated outside Helm, or stays missing.
        Event::Redeploy | Event::AfterTtl | Event::SelfHeal if !cli => Operation::None,
        _ => Operation::Upgrade,
    }
}

pub(super) fn host(state: &ClusterState<'_>) -> Host {
    match state.deployer.tool {
        Tool::Helm3 => Host::Helm3,
        Tool::Helm4 => Host::Helm4,
        Tool::Fleet => Host::Fleet,
        _ => Host::HelmRelease,
    }
}

/// True when Helm 4 runs, whatever runs it.
fn is_four(state: &ClusterState<'_>) -> bool {
    state.deployer.tool != Tool::Helm3
        && (state.deployer.tool != Tool::Fleet || state.deployer.since(&[0, 15]))
}

fn is_forced(state: &ClusterState<'_>) -> bool {
    state.event == Event::Forced || state.deployer.is_forced()
}

/// True when objects are sent by server-side apply: Helm 4, unless Helm 3 created the release or Fleet forces.
pub(super) fn is_server_side(state: &ClusterState<'_>) -> bool {
    let csa = state.deployer.applies_client_side();
    let fleet_forces = host(state) == Host::Fleet && is_forced(state);
    is_four(state) && !csa && !fleet_forces
}

pub(super) fn answer(state: &ClusterState<'_>) -> Option<Prediction> {
    match &state.work.role {
        Role::Hook(hook) => hook_answer(state, hook),
        Role::Plain | Role::Dropped => plain_answer(state),
    }
}

fn plain_answer(state: &ClusterState<'_>) -> Option<Prediction> {
    if let Some(rejection) = nameless(state) {
        return resource::never(state, rejection);
    }
    let host = host(state);
    let (strategy, fact) = strategy(state, host);
    let removed = removed(state, true);
    let plain = Resource {
        strategy,
        fact,
        removed: if strategy == ApplyStrategy::Reject {
            strategy.meets(state, fact, removed)
        } else {
            removed
        },
        uninstalled: self::removed(state, false),
        gone: match host {
            Host::HelmRelease => Some(flux::release_gone(state)),
            Host::Fleet => Some(fleet::gone(state)),
            Host::Helm3 | Host::Helm4 => None,
        },
        heals: match host {
            Host::HelmRelease => flux::release_heals(state),
            Host::Fleet => fleet::heals(state),
            Host::Helm3 | Host::Helm4 => None,
        },
    };
    if state.work.object.is_unnamed() {
        return unnamed(state);
    }
    plain.answer(state).map(|met| flux::remediated(state, met))
}

pub(super) fn strategy(state: &ClusterState<'_>, host: Host) -> (ApplyStrategy, &'static str) {
    match operation(host, state.event) {
        Operation::None if host == Host::Fleet => (ApplyStrategy::Nothing, "fleet 3.1"),
        Operation::None => (ApplyStrategy::Nothing, "flux 2.4"),
        Operation::Upgrade | Operation::Rollback if is_forced(state) => FORCED
            .iter()
            .find(|row| row.0 == host && row.1.is_none_or(|ssa| ssa == is_server_side(state)))
            .map_or((ApplyStrategy::Patch, "helm F.1"), |row| (row.2, row.3)),
        _ => (ApplyStrategy::Patch, "helm F.1"),
    }
}

/// `helm.sh/resource-policy`: an upgrade keeps objects with exactly `keep`, an uninstall those with any value
/// (helm B.9).
fn removed(state: &ClusterState<'_>, by_upgrade: bool) -> Prediction {
    let keeps = match state.work.policy() {
        Some(policy) if by_upgrade => policy == "keep",
        Some(_) => true,
        None => false,
    };
    match keeps {
        true => predict(Outcome::LeftBehind, "`helm.sh/resource-policy` keeps it", "helm B.9")
            .cause(&[Cause::ResourcePolicy]),
        false if by_upgrade => predict(Outcome::Deleted, "", "helm F.1"),
        false => predict(Outcome::Deleted, "", "helm B.9"),
    }
}

/// Rejects objects with only a `generateName`, or with both names (helm B.6; flux 2.2; observed f13).
fn nameless(state: &ClusterState<'_>) -> Option<Prediction> {
    let object = state.work.object;
    object.generate_name()?;
    let fact = if host(state) == Host::HelmRelease { "flux 2.2" } else { "helm B.6" };
    let rejected = |why| predict(Outcome::Rejected, why, fact).cause(&[Cause::GenerateName]);
    match (object.name(), host(state)) {
        (Some(_), _) if is_four(state) => {
            Some(rejected("Helm 4 refuses a `name` beside `generateName`"))
        }
        (Some(_), _) => None,
        // Client-side apply creates it once.
        (None, Host::Helm4) if !is_server_side(state) => None,
        (None, _) => Some(rejected("Helm needs a name: `resource name may not be empty`")),
    }
}

/// `generateName` under Helm 4 without server-side apply: created once, then rejected (helm B.6).
fn unnamed(state: &ClusterState<'_>) -> Option<Prediction> {
    let fact = "helm B.6";
    Some(
        match state.event {
            Event::Install => predict(Outcome::Runs, "", fact),
            Event::SelfHeal => return None,
            Event::AfterTtl if state.work.ttl().is_none() => return None,
            Event::Removed | Event::Uninstall => {
                predict(Outcome::LeftBehind, "Helm does not know the name it was given", fact)
            }
            _ => predict(
                Outcome::Rejected,
                "Helm needs a name: `resource name may not be empty`",
                fact,
            ),
        }
        .cause(&[Cause::GenerateName]),
    )
}

fn hook_answer(state: &ClusterState<'_>, hook: &Hook) -> Option<Prediction> {
    let (host, event) = (host(state), state.event);
    let does = operation(host, event);
    let in_life = listens(hook, Operation::Install) || listens(hook, Operation::Upgrade);
    if event == Event::SelfHeal && !flux::corrects(state) && !fleet::corrects(state) {
        return None;
    }
    if event == Event::AfterTtl && (state.work.ttl().is_none() || !in_life) {
        return None;
    }
    if matches!(event, Event::WhileRunning | Event::AfterFailure) {
        // A failed rollback hook leaves the release pending; after a delete hook there is nothing to upgrade.
        let rolls_back =
            listens(hook, Operation::Rollback) && matches!(host, Host::Helm3 | Host::Helm4);
        let tests = hook.listens_to("test");
        match (in_life, rolls_back, tests) {
            (true, ..) => {}
            (_, true, _) => return Some(PENDING),
            (_, _, true) => {}
            _ => return None,
        }
    }
    if hook.is_test() && !matches!(event, Event::WhileRunning | Event::AfterFailure) {
        return Some(hook::left_alone(Live::Never, "helm A.9"));
    }
    if state.work.object.generate_name().is_some() {
        return generated(state, hook, does);
    }
    let live = deletion::left(state, hook, has_run(hook, event));
    let reinstalls = flux::reinstalls(state) && !listens(hook, does);
    let does = if reinstalls { Operation::Install } else { does };
    let runs = event != Event::Removed && listens(hook, does);
    if state.work.is_suspended_job() {
        return suspended(state, hook, runs);
    }
    Some(match event {
        _ if runs => flux::tried_again(state, hook, run(state, hook, does, live)),
        Event::Removed | Event::Uninstall => hook::abandoned(live, "helm A.10"),
        _ => hook::left_alone(live, "helm A.11"),
    })
}

/// What happens to a hook when the operation reaches it.
fn run(state: &ClusterState<'_>, hook: &Hook, does: Operation, live: Live) -> Prediction {
    if let Some(cell) = not_reached(state, hook, does) {
        return cell;
    }
    // Uninstall always applies its hooks (helm A.6).
    let server_side = is_server_side(state) || (is_four(state) && does == Operation::Uninstall);
    let brings = if server_side { Brings::Apply } else { Brings::Create };
    if state.work.shape == Shape::Pod
        && is_four(state)
        && host(state) != Host::HelmRelease
        && hook.is_recreated()
        && live == Live::Running
    {
        return DYING;
    }
    let fact = if brings == Brings::Apply { "helm A.6" } else { "helm A.5" };
    let met = hook::meets(state, hook, brings, live, fact);
    match does == Operation::Uninstall && met.outcome.starts() && !hook.has_policy("hook-succeeded")
    {
        true => Prediction { why: "no uninstall deletes it", ..met.also(Outcome::LeftBehind) },
        false => met,
    }
}

/// Flags that Helm 4 rejects only after the `pre-` hooks have run (helm A.11; helm B.4).
fn not_reached(state: &ClusterState<'_>, hook: &Hook, does: Operation) -> Option<Prediction> {
    let rejected = matches!(does, Operation::Upgrade | Operation::Rollback)
        && strategy(state, host(state)).0 == ApplyStrategy::Reject;
    let pre = CALLS.iter().any(|(of, [pre, _])| *of == does && hook.listens_to(pre));
    (rejected && !pre).then_some(predict(
        Outcome::Blocked,
        "{tool} refuses force together with server-side apply before it comes to this hook",
        "helm B.4",
    ))
}

/// A failed rollback hook leaves the release in `pending-rollback` (helm A.11).
const PENDING: Prediction = predict(
    Outcome::Blocked,
    "the failed rollback is pending: `another operation (install/upgrade/rollback) is in progress`",
    "helm A.11",
)
.cause(&[Cause::Hook]);

/// Helm 4 does not wait until the old hook is deleted (helm A.5); helm-controller does.
const DYING: Prediction = predict(
    Outcome::Blocked,
    "{tool} does not wait until the running Pod is gone, and takes its end for a failure",
    "helm A.5",
)
.also(Outcome::Deleted)
.cause(&[Cause::Hook]);

/// A suspended hook: nothing runs and Helm waits (helm A.7); helm-controller counts it as done (observed h08f).
fn suspended(state: &ClusterState<'_>, hook: &Hook, runs: bool) -> Option<Prediction> {
    let (host, event) = (host(state), state.event);
    // Helm's timeout counts as a failure.
    let cleaned = host != Host::HelmRelease && hook.has_policy("hook-failed")
        || host == Host::HelmRelease && hook.has_policy("hook-succeeded");
    let live = if cleaned || !has_run(hook, event) { Live::Never } else { Live::Done };
    Some(match (event, host) {
        (Event::WhileRunning | Event::AfterFailure | Event::AfterTtl, _) => return None,
        (_, Host::HelmRelease) if runs => predict(
            Outcome::Unchanged,
            "a suspended hook counts as done, and nothing runs",
            "flux 2.2",
        )
        .cause(&[Cause::Suspend]),
        _ if runs => predict(
            Outcome::Blocked,
            "`suspend: true`: nothing runs, and Helm waits until its time-out",
            "helm A.7",
        )
        .cause(&[Cause::Suspend]),
        (Event::Removed | Event::Uninstall, _) => hook::abandoned(live, "helm A.10"),
        _ => hook::left_alone(live, "helm A.11"),
    })
}

/// Hooks with a `generateName` (helm A.13; flux 2.2).
fn generated(state: &ClusterState<'_>, hook: &Hook, does: Operation) -> Option<Prediction> {
    let named = state.work.object.name().is_some();
    if named && !is_four(state) {
        // Helm 3 ignores `generateName` beside a name.
        let live = deletion::left(state, hook, has_run(hook, state.event));
        let runs = state.event != Event::Removed && listens(hook, does);
        return Some(match state.event {
            _ if runs => run(state, hook, does, live),
            Event::Removed | Event::Uninstall => hook::abandoned(live, "helm A.10"),
            _ => hook::left_alone(live, "helm A.11"),
        });
    }
    let fact = if host(state) == Host::HelmRelease { "flux 2.2" } else { "helm A.13" };
    let rejected =
        predict(Outcome::Rejected, "Helm needs a name: `resource name may not be empty`", fact)
            .cause(&[Cause::GenerateName]);
    let creates =
        !is_server_side(state) && !hook.is_recreated() && host(state) != Host::HelmRelease;
    // Without a retry, the install stays failed.
    let stays_failed = state.event == Event::Redeploy
        && does == Operation::None
        && listens(hook, Operation::Install);
    let runs = stays_failed || state.event != Event::Removed && listens(hook, does);
    if let Some(cell) = not_reached(state, hook, does).filter(|_| runs) {
        return Some(cell);
    }
    if !creates || named {
        return match runs {
            true => resource::never(state, rejected)
                .filter(|_| state.event != Event::Uninstall)
                .or((state.event == Event::Uninstall).then_some(rejected)),
            false => resource::never(state, predict(Outcome::Skipped, "", fact)),
        };
    }
    let before = has_run(hook, state.event);
    Some(match (runs, before) {
        (true, false) => predict(Outcome::Runs, "each run leaves a Job", fact),
        (true, true) => {
            predict(Outcome::RunsAgain, "each run leaves a Job", fact).also(Outcome::LeftBehind)
        }
        (false, true) if matches!(state.event, Event::Removed | Event::Uninstall) => {
            hook::abandoned(Live::Done, fact)
        }
        (false, true) if state.event != Event::AfterTtl => hook::left_alone(Live::Done, fact),
        _ => hook::left_alone(Live::Never, fact),
    })
}

fn listens(hook: &Hook, operation: Operation) -> bool {
    let called = CALLS.iter().find(|(of, _)| *of == operation).map(|(_, events)| events);
    called.is_some_and(|events| events.iter().any(|event| hook.listens_to(event)))
}

/// True when the hook has run before this event.
fn has_run(hook: &Hook, event: Event) -> bool {
    match event {
        Event::Install => false,
        Event::WhileRunning | Event::AfterFailure | Event::AfterTtl => true,
        Event::Rollback => listens(hook, Operation::Install) || listens(hook, Operation::Upgrade),
        _ => listens(hook, Operation::Install),
    }
}
