//! What functions need of the embedder, and what they remember during a render.

use std::collections::HashMap;

use go_template::{Executor, Tracker, provenance::Taint};

use super::{regexes, versions};

/// The state behind the functions of one render: what [`Executor::new`] takes as host.
#[derive(Debug)]
pub struct Host {
    /// Random functions repeat themselves for equal seeds and differ for others.
    pub seed: u64,
    /// What `now` returns: nanoseconds since 1970.
    pub now: i128,
    /// As for `helm lint`: `required` and `fail` yield an empty string instead of an error.
    pub is_lint: bool,
    /// Templates being included, and how often.
    pub(super) includes: HashMap<Box<str>, usize>,
    /// How often a random function was called with the same arguments at the same place.
    pub(super) draws: HashMap<u64, u64>,
    /// Passwords derived so far.
    pub(super) derived: usize,
    pub(super) versions: versions::Cache,
    pub(super) regexes: regexes::Cache,
}

impl Default for Host {
    fn default() -> Self {
        Self {
            seed: 0,
            now: Self::NOW,
            is_lint: false,
            includes: HashMap::new(),
            draws: HashMap::new(),
            derived: 0,
            versions: versions::Cache::default(),
            regexes: regexes::Cache::default(),
        }
    }
}

impl Host {
    /// 2024-01-02 03:04:05.6 UTC: where nothing else is said, it is always this moment.
    pub(crate) const NOW: i128 = 1_704_164_645_600_000_000;
    /// Name of the root input behind random functions.
    pub const RANDOM: &'static str = "random";
    /// Name of the root input behind the time of the render.
    pub const TIME: &'static str = "time";
    /// Name of the root input behind the cluster's objects.
    pub const LOOKUP: &'static str = "lookup";
}

pub(super) fn host<'e>(context: &'e mut Executor<'_>) -> &'e mut Host {
    context.host()
}

/// Data flow from one of the root inputs above.
pub(super) fn root_taint(tracker: &mut Tracker, root: &str) -> Taint {
    if !tracker.is_on() {
        return Taint::NONE;
    }
    Taint::of(tracker.inputs().root(root))
}
