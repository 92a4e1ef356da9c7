//! Helm 3 and Helm 4, by hand or inside Flux's helm-controller and Fleet's agent.
//!
//! helm.md A (hooks), B (the rest), F (the matrices); OBSERVED 1 to 3; flux 2, fleet 3 for what those add.

use super::{
    Event, Outcome,
    apply_strategy::Way,
    cluster_state::{Live, Scene},
    fleet, flux,
    hook::{self, Brings},
    prediction::{Cause, Cell, cell},
    resource::{self, Plain},
    work::Shape,
};
use crate::deploy::{Hook, OPERATIONS, Role, Tool};

/// Who runs Helm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    Helm3,
    Helm4,
    HelmRelease,
    Fleet,
}

/// What Helm is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Install,
    Upgrade,
    Rollback,
    Uninstall,
    /// The tool sees nothing new and does not call Helm.
    None,
}

/// The hooks of each operation (helm A.11).
const CALLS: &[(Operation, [&str; 2])] = &[
    (Operation::Install, OPERATIONS[0]),
    (Operation::Upgrade, OPERATIONS[1]),
    (Operation::Rollback, OPERATIONS[2]),
    (Operation::Uninstall, ["pre-delete", "post-delete"]),
];

/// The events of the hooks that the operation of an event calls; `None` where Helm is not called.
pub fn calls(scene: &Scene<'_>) -> Option<[&'static str; 2]> {
    let does = operation(host(scene), scene.event);
    CALLS.iter().find(|(of, _)| *of == does).map(|(_, events)| *events)
}

/// Force: who is asked for it, whether the release is server-side applied, and how objects are then sent.
const FORCED: &[(Host, Option<bool>, Way, &str)] = &[
    (Host::Helm3, None, Way::Put, "helm B.3"),
    (Host::Helm4, Some(true), Way::Refuse, "helm B.4"),
    (Host::Helm4, Some(false), Way::Put, "helm B.4"),
    // Ignored with server-side apply.
    (Host::HelmRelease, Some(true), Way::Patch, "flux 2.3"),
    (Host::HelmRelease, Some(false), Way::Put, "flux 2.3"),
    // Switches server-side apply off.
    (Host::Fleet, None, Way::Put, "fleet 3.2"),
];

/// What an operation of each host is at each event, where it is not an upgrade.
fn operation(host: Host, event: Event) -> Operation {
    let cli = matches!(host, Host::Helm3 | Host::Helm4);
    match event {
        Event::Install => Operation::Install,
        Event::Uninstall => Operation::Uninstall,
        Event::Rollback if cli => Operation::Rollback,
        // A correction is a rollback to the release that is live (fleet 3.5).
        Event::SelfHeal if host == Host::Fleet => Operation::Rollback,
        // Nothing without a new digest; what is gone is created outside Helm, or drifts.
        Event::Redeploy | Event::AfterTtl | Event::SelfHeal if !cli => Operation::None,
        _ => Operation::Upgrade,
    }
}

pub fn host(scene: &Scene<'_>) -> Host {
    match scene.deployer.tool {
        Tool::Helm3 => Host::Helm3,
        Tool::Helm4 => Host::Helm4,
        Tool::Fleet => Host::Fleet,
        _ => Host::HelmRelease,
    }
}

/// Helm 4, whoever runs it.
fn is_four(scene: &Scene<'_>) -> bool {
    scene.deployer.tool != Tool::Helm3
        && (scene.deployer.tool != Tool::Fleet || scene.deployer.since(&[0, 15]))
}

fn is_forced(scene: &Scene<'_>) -> bool {
    let option = scene.deployer.is("force") || scene.deployer.is("forceReplace");
    scene.event == Event::Forced || option
}

/// Objects go through server-side apply: Helm 4, unless Helm 3 made the release or Fleet forces.
fn is_server_side(scene: &Scene<'_>) -> bool {
    let csa = scene.deployer.text("apply") == Some("csa");
    let fleet_forces = host(scene) == Host::Fleet && is_forced(scene);
    is_four(scene) && !csa && !fleet_forces
}

pub fn answer(scene: &Scene<'_>) -> Option<Cell> {
    match &scene.work.role {
        Role::Hook(hook) => hook_answer(scene, hook),
        Role::Plain | Role::Dropped => plain_answer(scene),
    }
}

fn plain_answer(scene: &Scene<'_>) -> Option<Cell> {
    if let Some(refusal) = nameless(scene) {
        return resource::never(scene, refusal);
    }
    let host = host(scene);
    let (way, fact) = way(scene, host);
    let removed = removed(scene, true);
    let plain = Plain {
        way,
        fact,
        removed: if way == Way::Refuse { way.meets(scene, fact, removed) } else { removed },
        uninstalled: self::removed(scene, false),
        gone: match host {
            Host::HelmRelease => Some(flux::release_gone(scene)),
            Host::Fleet => Some(fleet::gone(scene)),
            Host::Helm3 | Host::Helm4 => None,
        },
        heals: match host {
            Host::HelmRelease => flux::release_heals(scene),
            Host::Fleet => fleet::heals(scene),
            Host::Helm3 | Host::Helm4 => None,
        },
    };
    if scene.work.object.is_unnamed() {
        return unnamed(scene);
    }
    plain.answer(scene)
}

fn way(scene: &Scene<'_>, host: Host) -> (Way, &'static str) {
    match operation(host, scene.event) {
        Operation::None => (Way::Nothing, "flux 2.1, fleet 3.1"),
        Operation::Upgrade | Operation::Rollback if is_forced(scene) => FORCED
            .iter()
            .find(|row| row.0 == host && row.1.is_none_or(|ssa| ssa == is_server_side(scene)))
            .map_or((Way::Patch, "helm F.1"), |row| (row.2, row.3)),
        _ => (Way::Patch, "helm F.1"),
    }
}

/// `helm.sh/resource-policy`: an upgrade reads exactly `keep`, an uninstall any case, and leaves alone what
/// says something else (helm B.9).
fn removed(scene: &Scene<'_>, by_upgrade: bool) -> Cell {
    let keeps = match scene.work.policy() {
        Some(policy) if by_upgrade => policy == "keep",
        Some(_) => true,
        None => false,
    };
    match keeps {
        true => cell(Outcome::LeftBehind, "`helm.sh/resource-policy` keeps it", "helm B.9")
            .cause(&[Cause::ResourcePolicy]),
        false => cell(Outcome::Deleted, "", "helm F.1"),
    }
}

/// Objects without a name, or with two (helm B.6; flux 2.2; OBSERVED, fleet f13).
fn nameless(scene: &Scene<'_>) -> Option<Cell> {
    let object = scene.work.object;
    object.generate_name()?;
    let refused = |why| cell(Outcome::Rejected, why, "helm B.6").cause(&[Cause::GenerateName]);
    match (object.name(), host(scene)) {
        (Some(_), _) if is_four(scene) => {
            Some(refused("Helm 4 refuses a `name` beside `generateName`"))
        }
        (Some(_), _) => None,
        // A release of Helm 3 creates it once.
        (None, Host::Helm4) if !is_server_side(scene) => None,
        (None, _) => Some(refused("Helm needs a name: `resource name may not be empty`")),
    }
}

/// `generateName` under Helm 4 without server-side apply: created once, then in the way (helm B.6).
fn unnamed(scene: &Scene<'_>) -> Option<Cell> {
    let fact = "helm B.6";
    Some(
        match scene.event {
            Event::Install => cell(Outcome::Runs, "", fact),
            Event::SelfHeal => return None,
            Event::AfterTtl if scene.work.ttl().is_none() => return None,
            Event::Removed | Event::Uninstall => {
                cell(Outcome::LeftBehind, "Helm does not know the name it was given", fact)
            }
            _ => {
                cell(Outcome::Rejected, "Helm needs a name: `resource name may not be empty`", fact)
            }
        }
        .cause(&[Cause::GenerateName]),
    )
}

fn hook_answer(scene: &Scene<'_>, hook: &Hook) -> Option<Cell> {
    let (host, event) = (host(scene), scene.event);
    let does = operation(host, event);
    let in_life = listens(hook, Operation::Install) || listens(hook, Operation::Upgrade);
    if event == Event::SelfHeal && !flux::corrects(scene) && !fleet::corrects(scene) {
        return None;
    }
    if event == Event::AfterTtl && (scene.work.ttl().is_none() || !in_life) {
        return None;
    }
    if matches!(event, Event::WhileRunning | Event::AfterFailure) {
        // Of the last run of a rollback hook a failed rollback is left, of a delete hook nothing to upgrade.
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
    if scene.work.object.generate_name().is_some() {
        return generated(scene, hook, does);
    }
    let live = hook::live(hook, event, has_run(hook, event));
    let runs = event != Event::Removed && listens(hook, does);
    if scene.work.is_suspended_job() {
        return suspended(scene, hook, runs);
    }
    Some(match event {
        _ if runs => run(scene, hook, does, live),
        Event::Removed | Event::Uninstall => hook::abandoned(live, "helm A.10"),
        _ => hook::left_alone(live, "helm A.11"),
    })
}

/// A hook of the operation, at its turn.
fn run(scene: &Scene<'_>, hook: &Hook, does: Operation, live: Live) -> Cell {
    if let Some(cell) = not_reached(scene, hook, does) {
        return cell;
    }
    // Uninstall always applies its hooks (helm A.6).
    let server_side = is_server_side(scene) || (is_four(scene) && does == Operation::Uninstall);
    let brings = if server_side { Brings::Apply } else { Brings::Create };
    if scene.work.shape == Shape::Pod
        && is_four(scene)
        && host(scene) != Host::HelmRelease
        && hook.is_recreated()
        && live == Live::Running
    {
        return DYING;
    }
    let met = hook::meets(scene, hook, brings, live, "helm A.5");
    match does == Operation::Uninstall && met.outcome.starts() && !hook.has_policy("hook-succeeded")
    {
        true => Cell { why: "no uninstall deletes it", ..met.also(Outcome::LeftBehind) },
        false => met,
    }
}

/// Flags that Helm 4 refuses when the hooks before the ordinary objects have run (helm B.4).
fn not_reached(scene: &Scene<'_>, hook: &Hook, does: Operation) -> Option<Cell> {
    let refused = matches!(does, Operation::Upgrade | Operation::Rollback)
        && way(scene, host(scene)).0 == Way::Refuse;
    let pre = CALLS.iter().any(|(of, [pre, _])| *of == does && hook.listens_to(pre));
    (refused && !pre).then_some(cell(
        Outcome::Blocked,
        "{tool} refuses force together with server-side apply before it comes to this hook",
        "helm B.4",
    ))
}

/// A failed rollback hook leaves the release in `pending-rollback` (helm A.11).
const PENDING: Cell = cell(
    Outcome::Blocked,
    "the failed rollback is pending: `another operation (install/upgrade/rollback) is in progress`",
    "helm A.11",
)
.cause(&[Cause::Hook]);

/// Helm 4 does not wait until a hook is deleted (helm A.5); helm-controller does.
const DYING: Cell = cell(
    Outcome::Blocked,
    "{tool} does not wait until the running Pod is gone, and takes its end for a failure",
    "helm A.5",
)
.also(Outcome::Deleted)
.cause(&[Cause::Hook]);

/// Nothing runs in it, and Helm waits (helm A.7); helm-controller counts it as done (OBSERVED, h08f).
fn suspended(scene: &Scene<'_>, hook: &Hook, runs: bool) -> Option<Cell> {
    let (host, event) = (host(scene), scene.event);
    // Helm's time-out is a failure.
    let cleaned = host != Host::HelmRelease && hook.has_policy("hook-failed")
        || host == Host::HelmRelease && hook.has_policy("hook-succeeded");
    let live = if cleaned || !has_run(hook, event) { Live::Never } else { Live::Done };
    Some(match (event, host) {
        (Event::WhileRunning | Event::AfterFailure | Event::AfterTtl, _) => return None,
        (_, Host::HelmRelease) if runs => cell(
            Outcome::Unchanged,
            "a suspended hook counts as done, and nothing runs",
            "flux 2.2",
        )
        .cause(&[Cause::Suspend]),
        _ if runs => cell(
            Outcome::Blocked,
            "`suspend: true`: nothing runs, and Helm waits until its time-out",
            "helm A.7",
        )
        .cause(&[Cause::Suspend]),
        (Event::Removed | Event::Uninstall, _) => hook::abandoned(live, "helm A.10"),
        _ => hook::left_alone(live, "helm A.11"),
    })
}

/// Hooks whose name the API server makes up (helm A.13; flux 2.2).
fn generated(scene: &Scene<'_>, hook: &Hook, does: Operation) -> Option<Cell> {
    let named = scene.work.object.name().is_some();
    if named && !is_four(scene) {
        // The name wins.
        let live = hook::live(hook, scene.event, has_run(hook, scene.event));
        let runs = scene.event != Event::Removed && listens(hook, does);
        return Some(match scene.event {
            _ if runs => run(scene, hook, does, live),
            Event::Removed | Event::Uninstall => hook::abandoned(live, "helm A.10"),
            _ => hook::left_alone(live, "helm A.11"),
        });
    }
    let fact = "helm A.13";
    let refused =
        cell(Outcome::Rejected, "Helm needs a name: `resource name may not be empty`", fact)
            .cause(&[Cause::GenerateName]);
    let creates =
        !is_server_side(scene) && !hook.is_recreated() && host(scene) != Host::HelmRelease;
    // Where nothing is tried again the install stays failed.
    let stays_failed = scene.event == Event::Redeploy
        && does == Operation::None
        && listens(hook, Operation::Install);
    let runs = stays_failed || scene.event != Event::Removed && listens(hook, does);
    if let Some(cell) = not_reached(scene, hook, does).filter(|_| runs) {
        return Some(cell);
    }
    if !creates || named {
        return match runs {
            true => resource::never(scene, refused)
                .filter(|_| scene.event != Event::Uninstall)
                .or((scene.event == Event::Uninstall).then_some(refused)),
            false => resource::never(scene, cell(Outcome::Skipped, "", fact)),
        };
    }
    let before = has_run(hook, scene.event);
    Some(match (runs, before) {
        (true, false) => cell(Outcome::Runs, "each run leaves a Job", fact),
        (true, true) => {
            cell(Outcome::RunsAgain, "each run leaves a Job", fact).also(Outcome::LeftBehind)
        }
        (false, true) if matches!(scene.event, Event::Removed | Event::Uninstall) => {
            hook::abandoned(Live::Done, fact)
        }
        (false, true) if scene.event != Event::AfterTtl => hook::left_alone(Live::Done, fact),
        _ => hook::left_alone(Live::Never, fact),
    })
}

fn listens(hook: &Hook, operation: Operation) -> bool {
    let called = CALLS.iter().find(|(of, _)| *of == operation).map(|(_, events)| events);
    called.is_some_and(|events| events.iter().any(|event| hook.listens_to(event)))
}

/// It has run before this event, which says what was deployed by then.
fn has_run(hook: &Hook, event: Event) -> bool {
    match event {
        Event::Install => false,
        Event::WhileRunning | Event::AfterFailure | Event::AfterTtl => true,
        Event::Rollback => listens(hook, Operation::Install) || listens(hook, Operation::Upgrade),
        _ => listens(hook, Operation::Install),
    }
}
