//! Hooks: what happens depends on the live object and on how the tool sends the hook, alike for Helm and Argo CD.

use super::{
    Event, Outcome,
    cluster_state::{ClusterState, Live, Sent},
    prediction::{Cause, Prediction, predict},
    work::Shape,
};
use crate::deploy::Hook;

/// How a tool sends a hook to the API server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Brings {
    /// A POST: Helm 3, and Helm 4 for releases that Helm 3 created.
    Create,
    /// An apply: Helm 4, Argo CD.
    Apply,
}

/// What is in the cluster under the hook's name.
pub(super) fn live(hook: &Hook, event: Event, has_run: bool) -> Live {
    let cleans = |policies: [&str; 2]| policies.iter().any(|policy| hook.has_policy(policy));
    let (succeeded, failed) =
        (cleans(["hook-succeeded", "HookSucceeded"]), cleans(["hook-failed", "HookFailed"]));
    match event {
        _ if !has_run => Live::Never,
        Event::AfterTtl => Live::Gone,
        Event::AfterFailure if failed => Live::Gone,
        Event::AfterFailure => Live::Failed,
        // Helm's timeout counts as a failure and deletes the running Job (observed 2).
        Event::WhileRunning if hook.has_policy("hook-failed") => Live::Gone,
        Event::WhileRunning => Live::Running,
        _ if succeeded => Live::Gone,
        _ => Live::Done,
    }
}

/// The operation does not run the hook: a live object stays as it is.
pub(super) fn left_alone(live: Live, fact: &'static str) -> Prediction {
    match live {
        Live::Never | Live::Gone => predict(Outcome::Skipped, "", fact),
        Live::Done | Live::Failed | Live::Running => predict(Outcome::Unchanged, "", fact),
    }
}

/// The manifest, or the whole release, is removed: no tool deletes the live objects of hooks.
pub(super) fn abandoned(live: Live, fact: &'static str) -> Prediction {
    match live {
        Live::Never | Live::Gone => predict(Outcome::Skipped, "", fact),
        Live::Done | Live::Failed | Live::Running => predict(
            Outcome::LeftBehind,
            "a hook is not part of what is deleted with the rest",
            fact,
        )
        .cause(&[Cause::Hook]),
    }
}

const EXISTS: &str = "the old `{name}` is still there, and hooks are created: `already exists`";
const COUNTED: &str = "the old `{name}`, which is done, counts as the new run";
const JOINED: &str = "the run of the old `{name}` is joined and counts as this one";
const STALE: &str = "the old `{name}`, which has failed, counts as the new run";
const IMMUTABLE: &str = "the old `{name}` is still there, and `{field}` is immutable";
const KILLED: &str = "the running `{name}` is deleted and created again";

/// Whether the old object is deleted first, how the hook is sent, what is live, what is sent (`None`: any),
/// and the answer.
type Meeting = (bool, Option<Brings>, Option<Live>, Option<Sent>, Outcome, &'static str);

/// What happens when an operation runs a hook whose object exists. Recreated: `before-hook-creation` or
/// `BeforeHookCreation`, the default of both tools. Sources: helm A.5 (the table); helm A.6; helm F.2;
/// argocd 0.5; argocd 2.2; argocd 2.3.
const MEETS: &[Meeting] = &[
    // recreated  brings               live                 sent                    outcome
    (true, None, Some(Live::Running), None, Outcome::Replaced, KILLED),
    (true, None, None, None, Outcome::RunsAgain, ""),
    (false, Some(Brings::Create), None, None, Outcome::Blocked, EXISTS),
    (false, Some(Brings::Apply), None, Some(Sent::Immutable), Outcome::Rejected, IMMUTABLE),
    (false, Some(Brings::Apply), Some(Live::Failed), None, Outcome::Blocked, STALE),
    (false, Some(Brings::Apply), Some(Live::Running), None, Outcome::FalseSuccess, JOINED),
    (false, Some(Brings::Apply), None, None, Outcome::FalseSuccess, COUNTED),
];

/// What happens to a hook that the operation runs.
pub(super) fn meets(
    state: &ClusterState<'_>,
    hook: &Hook,
    brings: Brings,
    live: Live,
    fact: &'static str,
) -> Prediction {
    // A rollback returns to the name of the previous version, whose hook still exists.
    let returns = state.sent == Sent::Renamed && state.comes_back && !hook.is_recreated();
    let sent = if returns { Sent::Same } else { state.sent };
    match live {
        Live::Never => return predict(Outcome::Runs, "", fact),
        Live::Gone => return predict(Outcome::RunsAgain, "", fact),
        Live::Done | Live::Failed | Live::Running if sent == Sent::Renamed => {
            let why = "another name is another hook, and nothing deletes the old one";
            return predict(Outcome::RunsAgain, why, fact)
                .also(Outcome::LeftBehind)
                .cause(&[Cause::Change]);
        }
        Live::Done | Live::Failed | Live::Running => {}
    }
    // No tool waits for a CronJob: an apply updates the existing one.
    if state.work.shape == Shape::CronJob && !hook.is_recreated() && brings == Brings::Apply {
        return predict(Outcome::Unchanged, "", fact);
    }
    let fits = |row: &&Meeting| {
        row.0 == hook.is_recreated()
            && row.1.is_none_or(|own| own == brings)
            && row.2.is_none_or(|own| own == live)
            && row.3.is_none_or(|own| own == sent)
    };
    let (outcome, why) =
        MEETS.iter().find(fits).map_or((Outcome::RunsAgain, ""), |row| (row.4, row.5));
    let causes: &'static [Cause] = match outcome {
        Outcome::RunsAgain => &[],
        Outcome::Replaced => &[Cause::Hook],
        Outcome::Rejected => &[Cause::Policy, Cause::Change],
        _ => &[Cause::Policy],
    };
    let met = predict(outcome, why, fact).cause(causes);
    // The object that counts as the run is then deleted like a successful one.
    let cleans = ["hook-succeeded", "HookSucceeded"].iter().any(|policy| hook.has_policy(policy));
    if outcome == Outcome::FalseSuccess && cleans { met.also(Outcome::Deleted) } else { met }
}
