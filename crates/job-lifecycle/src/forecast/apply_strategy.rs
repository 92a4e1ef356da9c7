//! How tools send an object to the API server, and what happens to an existing object.

use super::{
    Event, Outcome,
    cluster_state::{ClusterState, Live, Sent},
    prediction::{Cause, Prediction, predict},
    work::Shape,
};
use crate::deployer::{Argocd, Helm3, Helm4};

/// How an object is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ApplyStrategy {
    /// Created or patched, by client-side or server-side apply: `kubectl apply`, Helm, Argo CD, Flux.
    Patch,
    /// Created, or replaced by a PUT: Helm 3 `--force`, Argo CD `Replace=true`.
    Put,
    /// Replaced by a PUT: `kubectl replace`.
    PutOnly,
    /// Created: `kubectl create`.
    Post,
    /// Patched; deleted and recreated if the patch is rejected: `kubectl apply --force`, Argo CD
    /// `Force=true`, Flux force.
    Force,
    /// Deleted and recreated: `kubectl replace --force`, Argo CD `Force=true,Replace=true`.
    Recreate,
    /// Rejected by the tool before it sends anything.
    Reject,
    /// Created, never changed: Flux `ssa: IfNotPresent`.
    Once,
    /// Not sent at all.
    Nothing,
}

use Outcome::{Blocked, Rejected, Replaced, Runs, Skipped, Unchanged};

/// The outcome of each strategy: for an absent object, and for an existing one that is the same, differs in
/// mutable fields, or differs in immutable fields. After a first run `Runs` becomes `RunsAgain`. Sources:
/// helm F.1; argocd 0.5; argocd 5; flux 0.1; fleet 0.1; kubectl 0.1; observed 1.
const MEETS: &[(ApplyStrategy, [Outcome; 4])] = &[
    //             nothing there  the same   mutable    immutable
    (ApplyStrategy::Patch, [Runs, Unchanged, Unchanged, Rejected]),
    (ApplyStrategy::Put, [Runs, Rejected, Rejected, Rejected]),
    (ApplyStrategy::PutOnly, [Blocked, Rejected, Rejected, Rejected]),
    (ApplyStrategy::Post, [Runs, Blocked, Blocked, Blocked]),
    (ApplyStrategy::Force, [Runs, Unchanged, Unchanged, Replaced]),
    (ApplyStrategy::Recreate, [Runs, Replaced, Replaced, Replaced]),
    (ApplyStrategy::Reject, [Rejected, Rejected, Rejected, Rejected]),
    (ApplyStrategy::Once, [Runs, Unchanged, Unchanged, Unchanged]),
    (ApplyStrategy::Nothing, [Skipped, Unchanged, Unchanged, Unchanged]),
];

/// The reason, by strategy and outcome; absent where the outcome says it all.
const WHY: &[(ApplyStrategy, Outcome, &str)] = &[
    (
        ApplyStrategy::Patch,
        Rejected,
        "the {kind} that is there is patched, and `{field}` is immutable",
    ),
    (
        ApplyStrategy::Put,
        Rejected,
        "a PUT lacks the generated selector: a Job that is there refuses it, changed or not",
    ),
    (
        ApplyStrategy::PutOnly,
        Rejected,
        "a PUT lacks the generated selector: a Job that is there refuses it, changed or not",
    ),
    (
        ApplyStrategy::PutOnly,
        Blocked,
        "`kubectl replace` finds nothing to replace: `{name}` is not there",
    ),
    (ApplyStrategy::Post, Blocked, "`{name}` already exists, and `kubectl create` changes nothing"),
    (
        ApplyStrategy::Force,
        Replaced,
        "`{name}` is deleted because it cannot be changed, and created again",
    ),
    (ApplyStrategy::Recreate, Replaced, "`{name}` is deleted and created again, changed or not"),
    (ApplyStrategy::Reject, Rejected, "{tool} refuses force together with server-side apply"),
    (
        ApplyStrategy::Once,
        Unchanged,
        "what is there is never changed: the new version does not run",
    ),
];

/// Nobody deploys twice within this many seconds.
pub const MOMENT: i64 = 60;

impl ApplyStrategy {
    /// What happens to an ordinary object. `after` is what happens to the old object if the name changes.
    pub(super) fn meets(
        self,
        state: &ClusterState<'_>,
        fact: &'static str,
        after: Prediction,
    ) -> Prediction {
        let live = state.live();
        let is_sent = !matches!(self, ApplyStrategy::Reject | ApplyStrategy::Nothing);
        let there = !matches!(live, Live::Never | Live::Gone);
        let renamed = state.sent == Sent::Renamed && there && is_sent;
        let stays = matches!(after.outcome, Outcome::LeftBehind | Outcome::Orphaned);
        if renamed && stays && state.comes_back {
            return predict(Unchanged, "the {kind} of the version before is still there", fact)
                .cause(after.causes);
        }
        let column = match state.sent {
            _ if !there || renamed => 0,
            Sent::Same | Sent::Renamed => 1,
            Sent::Mutable => 2,
            Sent::Immutable => 3,
        };
        let mut met = MEETS
            .iter()
            .find(|(strategy, _)| *strategy == self)
            .map_or(Skipped, |row| row.1[column]);
        // A PUT fails because it lacks the generated selector, which only a Job has.
        if state.work.shape != Shape::Job && met == Rejected && self != ApplyStrategy::Reject {
            met = Unchanged;
        }
        if met == Runs && live != Live::Never {
            met = Outcome::RunsAgain;
        }
        if met.starts() && state.work.is_suspended() && state.work.shape != Shape::CronJob {
            return predict(Unchanged, "`suspend: true`: it is created and nothing runs", fact)
                .cause(&[Cause::Suspend]);
        }
        let mut cell =
            predict(met, self.why(met, state, renamed), fact).cause(self.causes(met, state));
        if renamed {
            cell = cell.also(after.outcome).cause(&[Cause::Change]);
        }
        cell
    }

    fn why(self, met: Outcome, state: &ClusterState<'_>, renamed: bool) -> &'static str {
        match (met, state.event) {
            (Replaced, Event::WhileRunning) => {
                "`{name}` is deleted and its pod not waited for: the old run and the new one overlap"
            }
            (Outcome::RunsAgain, _) if renamed => "another name is another {kind}",
            (Outcome::RunsAgain, _) => "`{name}` is gone, so it is created again, changed or not",
            (Rejected, _) if self.is_refused_within_ttl(state) => {
                "the Job that is there is patched, and `{field}` is immutable; {ttl} s after its run the TTL removes it"
            }
            (Unchanged, _) if self == ApplyStrategy::Once && state.sent == Sent::Same => "",
            _ => WHY
                .iter()
                .find(|(strategy, outcome, _)| (*strategy, *outcome) == (self, met))
                .map_or("", |(.., why)| why),
        }
    }

    /// Whether only a deploy before a TTL of seconds finds a Job that refuses the patch.
    fn is_refused_within_ttl(self, state: &ClusterState<'_>) -> bool {
        self == ApplyStrategy::Patch
            && state.event != Event::WhileRunning
            && state
                .work
                .ttl()
                .and_then(|ttl| ttl.value.as_int())
                .is_some_and(|seconds| seconds < MOMENT)
    }

    fn causes(self, met: Outcome, state: &ClusterState<'_>) -> &'static [Cause] {
        match (self, met) {
            (ApplyStrategy::Patch, Rejected) if self.is_refused_within_ttl(state) => {
                &[Cause::Change, Cause::Ttl]
            }
            (ApplyStrategy::Patch, Rejected) => &[Cause::Change],
            (ApplyStrategy::Put, Rejected) => &[
                Cause::SyncOptions,
                Cause::Option(Argocd::REPLACE),
                Cause::Option(Helm3::FORCE),
                Cause::Option(Helm4::APPLY),
            ],
            (ApplyStrategy::Reject, Rejected) => &[
                Cause::SyncOptions,
                Cause::Option(Argocd::SERVER_SIDE_APPLY),
                Cause::Option(Argocd::FORCE),
            ],
            (ApplyStrategy::Recreate | ApplyStrategy::Force, Replaced) => &[
                Cause::SyncOptions,
                Cause::FluxForce,
                Cause::Option(Argocd::REPLACE),
                Cause::Option(Argocd::FORCE),
            ],
            (ApplyStrategy::Once, Unchanged) if state.sent != Sent::Same => &[Cause::FluxSsa],
            (_, Outcome::RunsAgain) if state.event == Event::AfterTtl => &[Cause::Ttl],
            _ => &[],
        }
    }
}
