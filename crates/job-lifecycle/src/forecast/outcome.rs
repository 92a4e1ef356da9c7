//! The closed sets of the forecast: events and outcomes.

use std::fmt;

use serde::Serialize;

/// One operation, from a resting state: deployed once, its runs succeeded, delete policies have acted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Event {
    /// The first deploy
    Install,
    /// The same sources and values again
    Redeploy,
    /// A new version
    Upgrade,
    /// A new version with the tool's force
    Forced,
    /// A new version while the last run is active
    WhileRunning,
    /// A new version after the last run failed
    AfterFailure,
    /// What the tool does by itself once a TTL has removed the Job
    AfterTtl,
    /// The drift of another object is corrected
    SelfHeal,
    /// Back to the version before
    Rollback,
    /// The manifest is taken out
    Removed,
    /// The unit is deleted
    Uninstall,
}

impl Event {
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

    /// What happens, as the help of a flag says it.
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

/// What becomes of the work: does a run start, and if not, what instead. The first that is true counts, in
/// the order of FORECAST: `unknown`, `loop`, then the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Unknown,
    Loop,
    Runs,
    Replaced,
    RunsAgain,
    Rejected,
    Blocked,
    FalseSuccess,
    Deleted,
    Orphaned,
    LeftBehind,
    Drift,
    Skipped,
    Unchanged,
}

impl Outcome {
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

    /// What it means, for people who meet the word in a table.
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

    /// A run starts.
    pub fn starts(self) -> bool {
        matches!(self, Outcome::Loop | Outcome::Runs | Outcome::Replaced | Outcome::RunsAgain)
    }

    /// The operation fails over it, or never ends.
    pub fn fails(self) -> bool {
        matches!(self, Outcome::Rejected | Outcome::Blocked)
    }

    /// Stands out in a table: what nobody wants when this event comes.
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
