//! Whether a workload comes to an end by itself.

use shell_effects::{Wait, may_spoil, unbounded_waits};
use yaml_spans::Node;

use super::Subject;

/// The field that ends a Job after so many seconds.
pub(crate) const DEADLINE: &str = "activeDeadlineSeconds";

impl Subject<'_> {
    /// Whether the Job has a deadline, or another object of it may set one.
    pub(crate) fn has_deadline(&self) -> bool {
        self.job.set(DEADLINE).is_some() || self.is_elsewhere(DEADLINE)
    }

    /// Whether a script waits without a limit and the Job has no deadline.
    pub(crate) fn waits_without_limit(&self) -> bool {
        self.waits_for(|_| true)
    }

    fn waits_for(&self, wanted: impl Fn(&Wait) -> bool) -> bool {
        let mut waits = self.commands().iter().flat_map(|one| unbounded_waits(&one.analysis));
        !self.has_deadline() && waits.any(wanted)
    }

    /// Whether a deployer may wait for it as for a hook: it is no server, which has ports, and waits for no more than another
    /// one, which comes up by itself.
    pub(crate) fn may_be_hook(&self) -> bool {
        let containers = self.pod.get("containers").map(Node::items).unwrap_or_default();
        let serves = |one: &Node| one.get("ports").is_some_and(|ports| !ports.items().is_empty());
        !containers.iter().any(serves) && !self.waits_for(|wait| !wait.turn.only_probes)
    }

    /// Whether another run of its commands may do harm, as far as they are known, or its name says that it puts an older state back.
    pub(crate) fn may_spoil(&self) -> bool {
        let name = self.object.name().unwrap_or_default();
        self.idempotent_hint() != Some(true)
            && (name.split(['-', '.']).any(|word| RESTORES.contains(&word))
                || self.commands().iter().any(|one| may_spoil(&one.analysis)))
    }
}

/// Words in the name of a Job that puts an older state in the place of the present one.
const RESTORES: [&str; 5] = ["recover", "recovery", "reset", "restore", "rollback"];
