//! Argo CD: a full sync, self-heal, pruning.
//!
//! argocd.md 0.5 (the matrix), 1, 2, 5, 6, 7; OBSERVED 5 and "Argo CD controllers".

use super::{
    Event, Outcome,
    apply_strategy::Way,
    cluster_state::{Live, Scene, Sent},
    hook::{self, Brings},
    prediction::{Cause, Cell, cell},
    resource::{self, Plain},
};
use crate::deploy::{Hook, Role, forces, has_sync_option, replaces};

/// How an object is applied: replace, force, server-side (argocd 5).
const WAYS: &[(bool, bool, bool, Way)] = &[
    // replace force server-side
    (true, true, false, Way::Recreate),
    (true, true, true, Way::Recreate),
    (true, false, false, Way::Put),
    (true, false, true, Way::Put),
    (false, true, false, Way::Force),
    (false, true, true, Way::Refuse),
    (false, false, false, Way::Patch),
    (false, false, true, Way::Patch),
];

pub fn answer(scene: &Scene<'_>) -> Option<Cell> {
    let syncs = scene.work.role.hook().is_none_or(Hook::is_of_sync);
    if syncs && !scene.work.object.is_unnamed() && usual_way(scene) == Way::Refuse {
        let gone = cell(Outcome::Deleted, "", "argocd 5");
        return resource::never(scene, Way::Refuse.meets(scene, "argocd 5", gone));
    }
    match &scene.work.role {
        Role::Hook(hook) => hook_answer(scene, hook),
        Role::Plain | Role::Dropped => plain_answer(scene),
    }
}

/// How it is applied at this event.
fn way(scene: &Scene<'_>) -> Way {
    // A self-heal is no sync with `--force`.
    way_of(scene, scene.event == Event::Forced)
}

/// How it is applied where nobody forces the sync.
fn usual_way(scene: &Scene<'_>) -> Way {
    way_of(scene, false)
}

fn way_of(scene: &Scene<'_>, forced: bool) -> Way {
    let (object, deployer) = (scene.work.object, scene.deployer);
    let server_side = (deployer.is("serverSideApply")
        || has_sync_option(object, "ServerSideApply=true"))
        && !has_sync_option(object, "ServerSideApply=false");
    let asked =
        (replaces(object, deployer), forces(object, deployer, false) || forced, server_side);
    WAYS.iter().find(|row| (row.0, row.1, row.2) == asked).map_or(Way::Patch, |row| row.3)
}

fn plain_answer(scene: &Scene<'_>) -> Option<Cell> {
    let work = scene.work;
    if work.object.is_unnamed() {
        return match replaces(work.object, scene.deployer) {
            true => unnamed(scene),
            false => resource::never(scene, NAMELESS),
        };
    }
    let way = way(scene);
    let heals = scene.deployer.is("selfHeal");
    // Without another object out of sync a partial sync leaves the Job alone (argocd 0.4).
    let in_sync = cell(Outcome::Unchanged, "", "argocd 0.4");
    let healed = in_sync.cause(&[Cause::Option("selfHeal")]);
    // Only what is out of sync is applied: not a Job that is as it was (argocd 5).
    let spares = scene.deployer.is("applyOutOfSyncOnly") && scene.sent == Sent::Same;
    if way == Way::Recreate && spares && scene.event == Event::Redeploy {
        return Some(in_sync.cause(&[Cause::Option("applyOutOfSyncOnly")]));
    }
    let plain = Plain {
        way,
        fact: if way == Way::Patch { "argocd 0.5" } else { "argocd 5" },
        removed: pruned(scene),
        uninstalled: cascaded(scene),
        gone: Some(gone(scene)),
        heals: heals.then_some(healed),
    };
    plain.answer(scene)
}

/// A Job that a TTL has removed (argocd 6.1).
fn gone(scene: &Scene<'_>) -> Cell {
    let fact = "argocd 6.1";
    let heals = scene.deployer.is("selfHeal");
    match (heals, scene.deployer.is("automated")) {
        (true, _) => cell(
            Outcome::Loop,
            "self-heal puts it back: a run every run time + {ttl} s + a back-off of at most 300 s",
            fact,
        ),
        (false, true) => {
            cell(Outcome::Drift, "OutOfSync; every commit of the repository runs it again", fact)
        }
        (false, false) => cell(Outcome::Drift, "OutOfSync; the next sync runs it again", fact),
    }
    .cause(&[Cause::Ttl, Cause::Option("selfHeal"), Cause::Option("automated")])
}

/// Taken out of Git (argocd 9).
fn pruned(scene: &Scene<'_>) -> Cell {
    let fact = "argocd 9";
    let says = |option| has_sync_option(scene.work.object, option);
    match scene.deployer.is("prune") {
        _ if says("Prune=false") => {
            cell(Outcome::LeftBehind, "`Prune=false` keeps it", fact).cause(&[Cause::Prune])
        }
        true if says("Prune=confirm") => {
            cell(Outcome::Unknown, "somebody has to confirm that it is pruned", fact)
                .cause(&[Cause::Prune])
        }
        true => cell(Outcome::Deleted, "", fact).cause(&[Cause::Option("prune")]),
        false => cell(Outcome::Orphaned, "OutOfSync (requires pruning), and pruning is off", fact)
            .cause(&[Cause::Option("prune")]),
    }
}

/// The Application is deleted with its resources (argocd 3, 5.1).
fn cascaded(scene: &Scene<'_>) -> Cell {
    let fact = "argocd 5.1";
    let says = |option| has_sync_option(scene.work.object, option);
    if says("Delete=false") {
        return cell(Outcome::LeftBehind, "`Delete=false` keeps it", fact).cause(&[Cause::Prune]);
    }
    if scene.work.policy() == Some("keep") {
        return cell(Outcome::LeftBehind, "`helm.sh/resource-policy` keeps it", "argocd 3")
            .cause(&[Cause::ResourcePolicy]);
    }
    match says("Delete=confirm") {
        true => cell(Outcome::Unknown, "somebody has to confirm that it is deleted", fact)
            .cause(&[Cause::Prune]),
        false => cell(Outcome::Deleted, "", fact),
    }
}

const NAMELESS: Cell = cell(
    Outcome::Rejected,
    "`cannot use generate name with apply`: the whole sync fails",
    "argocd 7",
)
.cause(&[Cause::GenerateName]);

/// `generateName` with `Replace=true`: each sync creates one, and Argo CD knows none of them (argocd 7).
fn unnamed(scene: &Scene<'_>) -> Option<Cell> {
    let fact = "argocd 7";
    let heals = scene.deployer.is("selfHeal");
    let kept = "Argo CD does not know the names that were made up";
    let endless =
        "the app is never Synced: self-heal creates a Job at every attempt, at most 300 s apart";
    let found = match scene.event {
        Event::SelfHeal if !heals => return None,
        Event::AfterTtl if scene.work.ttl().is_none() => return None,
        Event::Removed => cell(Outcome::LeftBehind, kept, fact),
        Event::Uninstall => cell(
            Outcome::Deleted,
            "the deletion of the Application finds all that it has made",
            fact,
        ),
        _ if heals => cell(Outcome::Loop, endless, fact),
        Event::Install => cell(Outcome::Runs, "the app is never Synced", fact),
        Event::AfterTtl => {
            cell(Outcome::Drift, "OutOfSync for ever; the next sync runs it again", fact)
        }
        _ => cell(Outcome::RunsAgain, "every sync creates another Job, none is pruned", fact)
            .also(Outcome::LeftBehind),
    };
    Some(found.cause(&[Cause::GenerateName]))
}

fn hook_answer(scene: &Scene<'_>, hook: &Hook) -> Option<Cell> {
    let event = scene.event;
    let syncs = hook.is_of_sync();
    let in_life = syncs || hook.listens_to("SyncFail");
    match event {
        Event::SelfHeal if !scene.deployer.is("selfHeal") => return None,
        Event::AfterTtl if scene.work.ttl().is_none() || !in_life => return None,
        Event::WhileRunning | Event::AfterFailure if !in_life => return None,
        Event::Uninstall => {
            let has_run = syncs && !scene.work.is_suspended_job();
            return Some(at_deletion(scene, hook, has_run));
        }
        _ => {}
    }
    let has_run = match event {
        Event::Install => false,
        Event::WhileRunning | Event::AfterFailure => true,
        _ => syncs,
    };
    // To terminate a sync deletes the hooks that run: played with the controller (docs/observed.md).
    let live = match event {
        Event::WhileRunning if syncs => Live::Gone,
        _ => hook::live(hook, event, has_run),
    };
    let runs = syncs && !matches!(event, Event::AfterTtl | Event::SelfHeal | Event::Removed);
    if scene.work.is_suspended_job() {
        return suspended(scene, runs);
    }
    Some(match event {
        _ if runs => run(scene, hook, live),
        Event::Removed => hook::abandoned(live, "argocd 0.5"),
        Event::SelfHeal => hook::left_alone(live, "argocd 0.4").cause(&[Cause::Option("selfHeal")]),
        _ => hook::left_alone(live, "argocd 0.4"),
    })
}

/// At its phase of a full sync.
fn run(scene: &Scene<'_>, hook: &Hook, live: Live) -> Cell {
    let cleans = hook.has_policy("HookSucceeded");
    if scene.work.object.is_unnamed() {
        return match live {
            Live::Never => cell(Outcome::Runs, "", "argocd 2.4"),
            Live::Gone => cell(Outcome::RunsAgain, "", "argocd 2.4"),
            Live::Done | Live::Running if cleans => cell(Outcome::RunsAgain, "", "argocd 2.4"),
            _ => cell(Outcome::RunsAgain, "each sync leaves another Job", "argocd 2.4")
                .also(Outcome::LeftBehind)
                .cause(&[Cause::GenerateName]),
        };
    }
    let there = matches!(live, Live::Done | Live::Failed | Live::Running);
    let way = way(scene);
    if way == Way::Refuse {
        return way.meets(scene, "argocd 5", cell(Outcome::Deleted, "", "argocd 5"));
    }
    if there && !hook.is_recreated() && way != Way::Patch {
        let met = way.meets(scene, "argocd 5", cell(Outcome::LeftBehind, "", "argocd 5"));
        if met.outcome != Outcome::Unchanged {
            return met;
        }
    }
    let met = hook::meets(scene, hook, Brings::Apply, live, "argocd 2.2");
    match (met.outcome, scene.event) {
        // The failed operation deletes it, so that the next one runs it (argocd 0.5).
        (Outcome::Rejected, _) if hook.has_policy("HookFailed") => met.also(Outcome::Deleted),
        (Outcome::RunsAgain, Event::WhileRunning) => {
            Cell { why: "to end the sync that waits for it deletes the run", ..met }
        }
        _ => met,
    }
}

/// Progressing for ever (argocd 6.3). Whoever goes on terminates the sync, and that deletes it.
fn suspended(scene: &Scene<'_>, runs: bool) -> Option<Cell> {
    Some(match scene.event {
        Event::WhileRunning | Event::AfterFailure | Event::AfterTtl => return None,
        _ if runs => cell(
            Outcome::Blocked,
            "`suspend: true`: nothing runs, and the sync waits for it for ever",
            "argocd 6.3",
        )
        .cause(&[Cause::Suspend]),
        Event::Removed => hook::abandoned(Live::Gone, "argocd 0.5"),
        _ => hook::left_alone(Live::Gone, "argocd 0.4"),
    })
}

/// The Application is deleted: its delete hooks run, the others go with everything else (argocd 1.3).
fn at_deletion(scene: &Scene<'_>, hook: &Hook, has_run: bool) -> Cell {
    let fact = "argocd 1.3";
    let (pre, post) = (hook.listens_to("PreDelete"), hook.listens_to("PostDelete"));
    let live = hook::live(hook, Event::Uninstall, has_run);
    let there = !matches!(live, Live::Never | Live::Gone);
    let cleans = hook.has_policy("HookSucceeded");
    match (pre || post, there) {
        (true, _) if scene.work.object.is_unnamed() => cell(
            Outcome::Loop,
            "each pass of the deletion creates another Job, about 3 per second, and never ends",
            fact,
        )
        .cause(&[Cause::GenerateName]),
        (true, true) => {
            cell(Outcome::FalseSuccess, "the `{name}` of the last sync counts as this run", fact)
                .also(Outcome::Deleted)
                .cause(&[Cause::Hook])
        }
        (true, false) => {
            let met =
                cell(if live == Live::Gone { Outcome::RunsAgain } else { Outcome::Runs }, "", fact);
            match (cleans, post) {
                (true, _) => met,
                (false, true) => Cell {
                    why: "nothing deletes it after the app",
                    ..met.also(Outcome::LeftBehind)
                },
                (false, false) => Cell { why: "it is deleted with the app", ..met },
            }
        }
        (false, true) => cell(Outcome::Deleted, "", fact),
        (false, false) => cell(Outcome::Skipped, "", fact),
    }
}
