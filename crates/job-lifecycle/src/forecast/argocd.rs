//! Argo CD: syncs, self-heal, pruning.
//!
//! Sources: argocd 0.5 (the table); argocd 1; argocd 2; argocd 5; argocd 6; argocd 7; observed 5;
//! observed argocd-controllers.

use super::{
    Event, Outcome,
    apply_strategy::ApplyStrategy,
    cluster_state::{ClusterState, Live, Sent},
    deletion,
    hook::{self, Brings},
    prediction::{Cause, Prediction, predict},
    resource::{self, Resource},
};
use crate::{
    deploy::{Hook, Role, forces, has_sync_option, replaces},
    deployer::Argocd,
};

/// How the sync options replace, force and server-side apply combine (argocd 5).
const WAYS: &[(bool, bool, bool, ApplyStrategy)] = &[
    // replace force server-side
    (true, true, false, ApplyStrategy::Recreate),
    (true, true, true, ApplyStrategy::Recreate),
    (true, false, false, ApplyStrategy::Put),
    (true, false, true, ApplyStrategy::Put),
    (false, true, false, ApplyStrategy::Force),
    (false, true, true, ApplyStrategy::Reject),
    (false, false, false, ApplyStrategy::Patch),
    (false, false, true, ApplyStrategy::Patch),
];

pub(super) fn answer(state: &ClusterState<'_>) -> Option<Prediction> {
    let syncs = state.work.role.hook().is_none_or(Hook::is_of_sync);
    if syncs && !state.work.object.is_unnamed() && usual_strategy(state) == ApplyStrategy::Reject {
        let gone = predict(Outcome::Deleted, "", "argocd 5");
        return resource::never(state, ApplyStrategy::Reject.meets(state, "argocd 5", gone));
    }
    match &state.work.role {
        Role::Hook(hook) => hook_answer(state, hook),
        Role::Plain | Role::Dropped => plain_answer(state),
    }
}

/// How the object is sent at this event.
fn strategy(state: &ClusterState<'_>) -> ApplyStrategy {
    // Self-heal never forces.
    strategy_of(state, state.event == Event::Forced)
}

/// How the object is sent when the sync is not forced.
fn usual_strategy(state: &ClusterState<'_>) -> ApplyStrategy {
    strategy_of(state, false)
}

fn strategy_of(state: &ClusterState<'_>, forced: bool) -> ApplyStrategy {
    let (object, deployer) = (state.work.object, state.deployer);
    let server_side = (deployer.argocd().server_side_apply == Some(true)
        || has_sync_option(object, "ServerSideApply=true"))
        && !has_sync_option(object, "ServerSideApply=false");
    let asked =
        (replaces(object, deployer), forces(object, deployer, false) || forced, server_side);
    WAYS.iter().find(|row| (row.0, row.1, row.2) == asked).map_or(ApplyStrategy::Patch, |row| row.3)
}

fn plain_answer(state: &ClusterState<'_>) -> Option<Prediction> {
    let work = state.work;
    if work.object.is_unnamed() {
        return match replaces(work.object, state.deployer) {
            true => unnamed(state),
            false => resource::never(state, NAMELESS),
        };
    }
    let strategy = strategy(state);
    let heals = state.deployer.argocd().self_heal == Some(true);
    // Self-heal syncs only objects that are out of sync (argocd 0.4).
    let in_sync = predict(Outcome::Unchanged, "", "argocd 0.4");
    let healed = in_sync.cause(&[Cause::Option(Argocd::SELF_HEAL)]);
    // Only objects that are out of sync are applied, so an unchanged Job is not (argocd 5).
    let spares =
        state.deployer.argocd().apply_out_of_sync_only == Some(true) && state.sent == Sent::Same;
    if strategy == ApplyStrategy::Recreate && spares && state.event == Event::Redeploy {
        let spared = predict(Outcome::Unchanged, "", "argocd 5");
        return Some(spared.cause(&[Cause::Option(Argocd::APPLY_OUT_OF_SYNC_ONLY)]));
    }
    let plain = Resource {
        strategy,
        fact: if strategy == ApplyStrategy::Patch { "argocd 0.5" } else { "argocd 5" },
        removed: pruned(state),
        uninstalled: cascaded(state),
        gone: Some(gone(state)),
        heals: heals.then_some(healed),
    };
    plain.answer(state)
}

/// What Argo CD does about a Job that a TTL has removed (argocd 6.1).
fn gone(state: &ClusterState<'_>) -> Prediction {
    let fact = "argocd 6.1";
    let heals = state.deployer.argocd().self_heal == Some(true);
    match (heals, state.deployer.argocd().automated == Some(true)) {
        (true, _) => predict(
            Outcome::Loop,
            "self-heal puts it back: a run every run time + {ttl} s + a back-off of at most 300 s",
            fact,
        ),
        (false, true) => {
            predict(Outcome::Drift, "OutOfSync; every commit of the repository runs it again", fact)
        }
        (false, false) => predict(Outcome::Drift, "OutOfSync; the next sync runs it again", fact),
    }
    .cause(&[Cause::Ttl, Cause::Option(Argocd::SELF_HEAL), Cause::Option(Argocd::AUTOMATED)])
}

/// The manifest is removed from Git (argocd 9).
fn pruned(state: &ClusterState<'_>) -> Prediction {
    let fact = "argocd 9";
    let says = |option| has_sync_option(state.work.object, option);
    match state.deployer.argocd().prune == Some(true) {
        _ if says("Prune=false") => {
            predict(Outcome::LeftBehind, "`Prune=false` keeps it", fact).cause(&[Cause::Prune])
        }
        true if says("Prune=confirm") => {
            predict(Outcome::Unknown, "somebody has to confirm that it is pruned", "argocd 5.1")
                .cause(&[Cause::Prune])
        }
        true => predict(Outcome::Deleted, "", fact).cause(&[Cause::Option(Argocd::PRUNE)]),
        false => {
            predict(Outcome::Orphaned, "OutOfSync (requires pruning), and pruning is off", fact)
                .cause(&[Cause::Option(Argocd::PRUNE)])
        }
    }
}

/// The Application is deleted with its resources (argocd 3; argocd 5.1; argocd 9).
fn cascaded(state: &ClusterState<'_>) -> Prediction {
    let fact = "argocd 5.1";
    let says = |option| has_sync_option(state.work.object, option);
    if says("Delete=false") {
        return predict(Outcome::LeftBehind, "`Delete=false` keeps it", fact)
            .cause(&[Cause::Prune]);
    }
    if state.work.policy() == Some("keep") {
        return predict(Outcome::LeftBehind, "`helm.sh/resource-policy` keeps it", "argocd 3")
            .cause(&[Cause::ResourcePolicy]);
    }
    match says("Delete=confirm") {
        true => predict(Outcome::Unknown, "somebody has to confirm that it is deleted", fact)
            .cause(&[Cause::Prune]),
        false => predict(Outcome::Deleted, "", "argocd 9"),
    }
}

const NAMELESS: Prediction = predict(
    Outcome::Rejected,
    "`cannot use generate name with apply`: the whole sync fails",
    "argocd 7",
)
.cause(&[Cause::GenerateName]);

/// `generateName` with `Replace=true`: each sync creates a Job that Argo CD does not track (argocd 7).
fn unnamed(state: &ClusterState<'_>) -> Option<Prediction> {
    let fact = "argocd 7";
    let heals = state.deployer.argocd().self_heal == Some(true);
    let kept = "Argo CD does not know the names that were made up";
    let endless =
        "the app is never Synced: self-heal creates a Job at every attempt, at most 300 s apart";
    let found = match state.event {
        Event::SelfHeal if !heals => return None,
        Event::AfterTtl if state.work.ttl().is_none() => return None,
        Event::Removed => predict(Outcome::LeftBehind, kept, fact),
        Event::Uninstall => predict(
            Outcome::Deleted,
            "the deletion of the Application finds all that it has made",
            fact,
        ),
        _ if heals => predict(Outcome::Loop, endless, fact),
        Event::Install => predict(Outcome::Runs, "the app is never Synced", fact),
        Event::AfterTtl => {
            predict(Outcome::Drift, "OutOfSync for ever; the next sync runs it again", fact)
        }
        _ => predict(Outcome::RunsAgain, "every sync creates another Job, none is pruned", fact)
            .also(Outcome::LeftBehind),
    };
    Some(found.cause(&[Cause::GenerateName]))
}

fn hook_answer(state: &ClusterState<'_>, hook: &Hook) -> Option<Prediction> {
    let event = state.event;
    let syncs = hook.is_of_sync();
    let in_life = syncs || hook.listens_to("SyncFail");
    match event {
        Event::SelfHeal if state.deployer.argocd().self_heal != Some(true) => return None,
        Event::AfterTtl if state.work.ttl().is_none() || !in_life => return None,
        Event::WhileRunning | Event::AfterFailure if !in_life => return None,
        Event::Uninstall => {
            let has_run = syncs && !state.work.is_suspended_job();
            return Some(at_deletion(state, hook, has_run));
        }
        _ => {}
    }
    let has_run = match event {
        Event::Install => false,
        Event::WhileRunning | Event::AfterFailure => true,
        _ => syncs,
    };
    // Terminating a sync deletes its running hooks: observed with the controller (docs/observed.md).
    let live = match event {
        Event::WhileRunning if syncs => Live::Gone,
        _ => deletion::left(state, hook, has_run),
    };
    let runs = syncs && !matches!(event, Event::AfterTtl | Event::SelfHeal | Event::Removed);
    if state.work.is_suspended_job() {
        return suspended(state, runs);
    }
    Some(match event {
        _ if runs => run(state, hook, live),
        Event::Removed => hook::abandoned(live, "argocd 0.5"),
        Event::SelfHeal => {
            hook::left_alone(live, "argocd 0.4").cause(&[Cause::Option(Argocd::SELF_HEAL)])
        }
        _ => hook::left_alone(live, "argocd 0.4"),
    })
}

/// What happens to a hook when the sync reaches its phase.
fn run(state: &ClusterState<'_>, hook: &Hook, live: Live) -> Prediction {
    let cleans = hook.has_policy("HookSucceeded");
    if state.work.object.is_unnamed() {
        return match live {
            Live::Never => predict(Outcome::Runs, "", "argocd 2.4"),
            Live::Gone => predict(Outcome::RunsAgain, "", "argocd 2.4"),
            Live::Done | Live::Running if cleans => predict(Outcome::RunsAgain, "", "argocd 2.4"),
            _ => predict(Outcome::RunsAgain, "each sync leaves another Job", "argocd 2.4")
                .also(Outcome::LeftBehind)
                .cause(&[Cause::GenerateName]),
        };
    }
    let there = matches!(live, Live::Done | Live::Failed | Live::Running);
    let strategy = strategy(state);
    if strategy == ApplyStrategy::Reject {
        return strategy.meets(state, "argocd 5", predict(Outcome::Deleted, "", "argocd 5"));
    }
    if there && !hook.is_recreated() && strategy != ApplyStrategy::Patch {
        let met = strategy.meets(state, "argocd 5", predict(Outcome::LeftBehind, "", "argocd 5"));
        if met.outcome != Outcome::Unchanged {
            return met;
        }
    }
    let fact = if hook.is_recreated() { "argocd 2.2" } else { "argocd 2.3" };
    let met = hook::meets(state, hook, Brings::Apply, live, fact);
    match (met.outcome, state.event) {
        // The failed operation deletes the hook, so the next one runs it (argocd 0.5).
        (Outcome::Rejected, _) if hook.has_policy("HookFailed") => met.also(Outcome::Deleted),
        (Outcome::RunsAgain, Event::WhileRunning) => {
            Prediction { why: "to end the sync that waits for it deletes the run", ..met }
        }
        _ => met,
    }
}

/// A suspended hook: Progressing for ever (argocd 6.3). Terminating the sync deletes it.
fn suspended(state: &ClusterState<'_>, runs: bool) -> Option<Prediction> {
    Some(match state.event {
        Event::WhileRunning | Event::AfterFailure | Event::AfterTtl => return None,
        _ if runs => predict(
            Outcome::Blocked,
            "`suspend: true`: nothing runs, and the sync waits for it for ever",
            "argocd 6.3",
        )
        .cause(&[Cause::Suspend]),
        Event::Removed => hook::abandoned(Live::Gone, "argocd 0.5"),
        _ => hook::left_alone(Live::Gone, "argocd 0.4"),
    })
}

/// The Application is deleted: its delete hooks run, other hooks are deleted with the rest (argocd 1.3).
fn at_deletion(state: &ClusterState<'_>, hook: &Hook, has_run: bool) -> Prediction {
    let fact = "argocd 1.3";
    let (pre, post) = (hook.listens_to("PreDelete"), hook.listens_to("PostDelete"));
    let live = hook::live(hook, Event::Uninstall, has_run);
    let there = !matches!(live, Live::Never | Live::Gone);
    let cleans = hook.has_policy("HookSucceeded");
    match (pre || post, there) {
        (true, _) if state.work.object.is_unnamed() => predict(
            Outcome::Loop,
            "each pass of the deletion creates another Job, about 3 per second, and never ends",
            fact,
        )
        .cause(&[Cause::GenerateName]),
        (true, true) => {
            predict(Outcome::FalseSuccess, "the `{name}` of the last sync counts as this run", fact)
                .also(Outcome::Deleted)
                .cause(&[Cause::Hook])
        }
        (true, false) => {
            let met = predict(
                if live == Live::Gone { Outcome::RunsAgain } else { Outcome::Runs },
                "",
                fact,
            );
            match (cleans, post) {
                (true, _) => met,
                (false, true) => Prediction {
                    why: "nothing deletes it after the app",
                    ..met.also(Outcome::LeftBehind)
                },
                (false, false) => Prediction { why: "it is deleted with the app", ..met },
            }
        }
        (false, true) => predict(Outcome::Deleted, "", fact),
        (false, false) => predict(Outcome::Skipped, "", fact),
    }
}
