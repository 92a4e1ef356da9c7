//! The ways in which tools send an object to the API server, and what they meet there.

use super::{
    Event, Outcome,
    cluster_state::{Live, Scene, Sent},
    prediction::{Cause, Cell, cell},
    work::Shape,
};

/// How an object is sent. One Job, one name: the same for all tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Created or patched, by the client or by the server: `kubectl apply`, Helm, Argo CD, Flux.
    Patch,
    /// Created, else replaced by a PUT: Helm 3 `--force`, Argo CD `Replace=true`.
    Put,
    /// Replaced by a PUT: `kubectl replace`.
    PutOnly,
    /// Created: `kubectl create`.
    Post,
    /// Patched; deleted and created where that is refused: `kubectl apply --force`, Argo CD `Force=true`, Flux force.
    Force,
    /// Deleted and created: `kubectl replace --force`, Argo CD `Force=true,Replace=true`.
    Recreate,
    /// The tool refuses before it sends anything.
    Refuse,
    /// Created, never changed: Flux `ssa: IfNotPresent`.
    Once,
    /// Not sent at all.
    Nothing,
}

use Outcome::{Blocked, Rejected, Replaced, Runs, Skipped, Unchanged};

/// What each way meets where nothing is, and where the object is: the same, changed in what may change, changed in
/// what may not. OBSERVED 1; helm F.1; argocd 0.5, 5; flux 0.1; `Runs` is `runs-again` after a first run.
const MEETS: &[(Way, [Outcome; 4])] = &[
    //             nothing there  the same   mutable    immutable
    (Way::Patch, [Runs, Unchanged, Unchanged, Rejected]),
    (Way::Put, [Runs, Rejected, Rejected, Rejected]),
    (Way::PutOnly, [Blocked, Rejected, Rejected, Rejected]),
    (Way::Post, [Runs, Blocked, Blocked, Blocked]),
    (Way::Force, [Runs, Unchanged, Unchanged, Replaced]),
    (Way::Recreate, [Runs, Replaced, Replaced, Replaced]),
    (Way::Refuse, [Rejected, Rejected, Rejected, Rejected]),
    (Way::Once, [Runs, Unchanged, Unchanged, Unchanged]),
    (Way::Nothing, [Skipped, Unchanged, Unchanged, Unchanged]),
];

/// Why, by way and outcome; silent where the outcome says it all.
const WHY: &[(Way, Outcome, &str)] = &[
    (Way::Patch, Rejected, "the {kind} that is there is patched, and `{field}` is immutable"),
    (
        Way::Put,
        Rejected,
        "a PUT lacks the generated selector: a Job that is there refuses it, changed or not",
    ),
    (
        Way::PutOnly,
        Rejected,
        "a PUT lacks the generated selector: a Job that is there refuses it, changed or not",
    ),
    (Way::PutOnly, Blocked, "`kubectl replace` finds nothing to replace: `{name}` is not there"),
    (Way::Post, Blocked, "`{name}` already exists, and `kubectl create` changes nothing"),
    (Way::Force, Replaced, "`{name}` is deleted because it cannot be changed, and created again"),
    (Way::Recreate, Replaced, "`{name}` is deleted and created again, changed or not"),
    (Way::Refuse, Rejected, "{tool} refuses force together with server-side apply"),
    (Way::Once, Unchanged, "what is there is never changed: the new version does not run"),
];

impl Way {
    /// What an ordinary object meets. `after` is what happens to the old object when the name changes.
    pub fn meets(self, scene: &Scene<'_>, fact: &'static str, after: Cell) -> Cell {
        let live = scene.live();
        let is_sent = !matches!(self, Way::Refuse | Way::Nothing);
        let there = !matches!(live, Live::Never | Live::Gone);
        let renamed = scene.sent == Sent::Renamed && there && is_sent;
        let stays = matches!(after.outcome, Outcome::LeftBehind | Outcome::Orphaned);
        if renamed && stays && scene.comes_back {
            return cell(Unchanged, "the {kind} of the version before is still there", fact)
                .cause(after.causes);
        }
        let column = match scene.sent {
            _ if !there || renamed => 0,
            Sent::Same | Sent::Renamed => 1,
            Sent::Mutable => 2,
            Sent::Immutable => 3,
        };
        let mut met =
            MEETS.iter().find(|(way, _)| *way == self).map_or(Skipped, |row| row.1[column]);
        // A PUT lacks what only a Job has: the generated selector.
        if scene.work.shape != Shape::Job && met == Rejected && self != Way::Refuse {
            met = Unchanged;
        }
        if met == Runs && live != Live::Never {
            met = Outcome::RunsAgain;
        }
        if met.starts() && scene.work.is_suspended() && scene.work.shape != Shape::CronJob {
            return cell(Unchanged, "`suspend: true`: it is created and nothing runs", fact)
                .cause(&[Cause::Suspend]);
        }
        let mut cell =
            cell(met, self.why(met, scene, renamed), fact).cause(self.causes(met, scene));
        if renamed {
            cell = cell.also(after.outcome).cause(&[Cause::Change]);
        }
        cell
    }

    fn why(self, met: Outcome, scene: &Scene<'_>, renamed: bool) -> &'static str {
        match (met, scene.event) {
            (Replaced, Event::WhileRunning) => {
                "`{name}` is deleted and its pod not waited for: the old run and the new one overlap"
            }
            (Outcome::RunsAgain, _) if renamed => "another name is another {kind}",
            (Outcome::RunsAgain, _) => "`{name}` is gone, so it is created again, changed or not",
            (Unchanged, _) if self == Way::Once && scene.sent == Sent::Same => "",
            _ => WHY
                .iter()
                .find(|(way, outcome, _)| (*way, *outcome) == (self, met))
                .map_or("", |(.., why)| why),
        }
    }

    fn causes(self, met: Outcome, scene: &Scene<'_>) -> &'static [Cause] {
        match (self, met) {
            (Way::Patch, Rejected) => &[Cause::Change],
            (Way::Put, Rejected) => &[
                Cause::SyncOptions,
                Cause::Option("replace"),
                Cause::Option("force"),
                Cause::Option("apply"),
            ],
            (Way::Refuse, Rejected) => {
                &[Cause::SyncOptions, Cause::Option("serverSideApply"), Cause::Option("force")]
            }
            (Way::Recreate | Way::Force, Replaced) => &[
                Cause::SyncOptions,
                Cause::FluxForce,
                Cause::Option("replace"),
                Cause::Option("force"),
            ],
            (Way::Once, Unchanged) if scene.sent != Sent::Same => &[Cause::FluxSsa],
            (_, Outcome::RunsAgain) if scene.event == Event::AfterTtl => &[Cause::Ttl],
            _ => &[],
        }
    }
}
