//! The events and outcomes of the forecast.

use std::fmt;

use serde::Serialize;

/// An event in the life of a deployed Job. Unless the event says otherwise, it meets a settled state:
/// deployed once, all runs succeeded, delete policies applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The first deploy.
    Install,
    /// The same sources and values again.
    Redeploy,
    /// A new version.
    Upgrade,
    /// A new version, deployed with the tool's force option.
    Forced,
    /// A new version while the last run is active.
    WhileRunning,
    /// A new version after the last run failed.
    AfterFailure,
    /// A TTL has removed the Job, and nobody deploys.
    AfterTtl,
    /// The drift of another object is corrected.
    SelfHeal,
    /// A return to the previous version.
    Rollback,
    /// The manifest is removed.
    Removed,
    /// The release, Application or set of manifests is deleted.
    Uninstall,
}

impl Event {
    /// All events, in the order of output.
    pub const ALL: [Event; 11] = [
        Event::Install,
        Event::Redeploy,
        Event::Upgrade,
        Event::Forced,
        Event::WhileRunning,
        Event::AfterFailure,
        Event::AfterTtl,
        Event::SelfHeal,
        Event::Rollback,
        Event::Removed,
        Event::Uninstall,
    ];

    /// What happens, as the help text of a flag: `A new version`.
    pub fn about(self) -> &'static str {
        match self {
            Event::Install => "The first deploy",
            Event::Redeploy => "The same sources and values again",
            Event::Upgrade => "A new version",
            Event::Forced => "A new version with the tool's force",
            Event::WhileRunning => "A new version while the last run is active",
            Event::AfterFailure => "A new version after the last run failed",
            Event::AfterTtl => "What the tool does by itself once a TTL has removed the Job",
            Event::SelfHeal => "The drift of another object is corrected",
            Event::Rollback => "Back to the version before",
            Event::Removed => "The manifest is taken out",
            Event::Uninstall => "The unit is deleted",
        }
    }

    /// The identifier in flags and machine-readable output: `after-ttl`.
    pub fn name(self) -> &'static str {
        match self {
            Event::Install => "install",
            Event::Redeploy => "redeploy",
            Event::Upgrade => "upgrade",
            Event::Forced => "forced",
            Event::WhileRunning => "while-running",
            Event::AfterFailure => "after-failure",
            Event::AfterTtl => "after-ttl",
            Event::SelfHeal => "self-heal",
            Event::Rollback => "rollback",
            Event::Removed => "removed",
            Event::Uninstall => "uninstall",
        }
    }
}

/// What becomes of the workload: whether a run starts, and if not, what happens instead. `Unknown` and `Loop`
/// take precedence over the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// The manifests do not contain what decides.
    Unknown,
    /// A run starts, and more follow without a deploy.
    Loop,
    /// The first run starts.
    Runs,
    /// The existing object is deleted, and a run starts.
    Replaced,
    /// Another run starts.
    RunsAgain,
    /// The deployer or the API server rejects the object: nothing runs, the deploy fails.
    Rejected,
    /// Nothing runs: the deploy fails, or waits for something that never happens.
    Blocked,
    /// Nothing runs, and an older run counts as this one.
    FalseSuccess,
    /// The object is deleted.
    Deleted,
    /// The object stays because pruning is off.
    Orphaned,
    /// The object stays, and nothing will delete it.
    LeftBehind,
    /// The deployer reports drift and does nothing about it.
    Drift,
    /// The object is not part of the operation.
    Skipped,
    /// Nothing runs, and the object stays.
    Unchanged,
}

impl Outcome {
    /// All outcomes, in the order of output.
    pub const ALL: [Outcome; 14] = [
        Outcome::Unknown,
        Outcome::Loop,
        Outcome::Runs,
        Outcome::Replaced,
        Outcome::RunsAgain,
        Outcome::Rejected,
        Outcome::Blocked,
        Outcome::FalseSuccess,
        Outcome::Deleted,
        Outcome::Orphaned,
        Outcome::LeftBehind,
        Outcome::Drift,
        Outcome::Skipped,
        Outcome::Unchanged,
    ];

    /// The identifier in machine-readable output: `runs-again`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Unknown => "unknown",
            Outcome::Loop => "loop",
            Outcome::Runs => "runs",
            Outcome::Replaced => "replaced",
            Outcome::RunsAgain => "runs-again",
            Outcome::Rejected => "rejected",
            Outcome::Blocked => "blocked",
            Outcome::FalseSuccess => "false-success",
            Outcome::Deleted => "deleted",
            Outcome::Orphaned => "orphaned",
            Outcome::LeftBehind => "left-behind",
            Outcome::Drift => "drift",
            Outcome::Skipped => "skipped",
            Outcome::Unchanged => "unchanged",
        }
    }

    /// What the outcome means, as the legend of a table: `another run starts`.
    pub fn about(self) -> &'static str {
        match self {
            Outcome::Unknown => "what decides it is not in the tree",
            Outcome::Loop => "runs, and will again without anyone deploying",
            Outcome::Runs => "runs for the first time",
            Outcome::Replaced => "the object that is there is deleted, and a run starts",
            Outcome::RunsAgain => "another run starts",
            Outcome::Rejected => "refused: nothing runs, the deploy fails",
            Outcome::Blocked => "nothing runs, the deploy fails or waits in vain",
            Outcome::FalseSuccess => "nothing runs, and an older run counts as this one",
            Outcome::Deleted => "the object is deleted",
            Outcome::Orphaned => "the object stays because pruning is off",
            Outcome::LeftBehind => "the object stays, and nothing will delete it",
            Outcome::Drift => "reported as drift, nothing is done about it",
            Outcome::Skipped => "not part of this",
            Outcome::Unchanged => "nothing runs, the object stays",
        }
    }

    /// True when a run starts.
    pub fn starts(self) -> bool {
        matches!(self, Outcome::Loop | Outcome::Runs | Outcome::Replaced | Outcome::RunsAgain)
    }

    /// True when the operation fails because of the workload, or never ends.
    pub fn fails(self) -> bool {
        matches!(self, Outcome::Rejected | Outcome::Blocked)
    }

    /// True for an outcome that is unwanted at this event, and so stands out in a table.
    pub fn is_bad(self, event: Event) -> bool {
        match self {
            Outcome::Unknown
            | Outcome::Loop
            | Outcome::Rejected
            | Outcome::Blocked
            | Outcome::FalseSuccess
            | Outcome::Orphaned
            | Outcome::LeftBehind
            | Outcome::Drift => true,
            Outcome::Replaced => event == Event::WhileRunning,
            Outcome::Deleted => !matches!(event, Event::Removed | Event::Uninstall),
            Outcome::Runs | Outcome::RunsAgain | Outcome::Skipped | Outcome::Unchanged => false,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
