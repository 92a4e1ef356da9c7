//! The state that template functions share during a render.

use std::collections::HashMap;

use go_template::{Executor, Tracker, provenance::Taint};

use super::{regexes, versions};
use crate::manifest_cache::ManifestCache;

/// The state behind the functions of one render; [`Executor::new`] takes it as host.
#[derive(Debug)]
pub struct Host {
    /// Seeds the random functions: equal seeds give equal results.
    pub seed: u64,
    /// The current time (`now`), in nanoseconds since 1970.
    pub now: i128,
    /// As `helm lint`: `required` and `fail` return an empty string instead of failing.
    pub is_lint: bool,
    /// What `fromYaml` reads one field of is taken to be valid.
    pub trusts_files: bool,
    /// With `is_lint`: `fail` fails all the same.
    pub honours_fail: bool,
    /// The templates being included, with their depth of inclusion.
    pub(super) includes: HashMap<Box<str>, usize>,
    /// How often a random function was called with the same arguments at the same place.
    pub(super) draws: HashMap<u64, u64>,
    /// The password and salt of the last key that was derived.
    pub(super) derived: Option<(Vec<u8>, Vec<u8>)>,
    pub(super) versions: versions::ConstraintCache,
    pub(super) regexes: regexes::RegexCache,
    /// The texts that `fromYaml` has read.
    pub(crate) manifests: ManifestCache,
}

impl Default for Host {
    fn default() -> Self {
        Self {
            seed: 0,
            now: Self::NOW,
            is_lint: false,
            trusts_files: false,
            honours_fail: false,
            includes: HashMap::new(),
            draws: HashMap::new(),
            derived: None,
            versions: versions::ConstraintCache::default(),
            regexes: regexes::RegexCache::default(),
            manifests: ManifestCache::default(),
        }
    }
}

impl Host {
    /// The default time: 2024-01-02 03:04:05.6 UTC.
    pub(crate) const NOW: i128 = 1_704_164_645_600_000_000;
    /// Name of the root input of random functions.
    pub const RANDOM: &'static str = "random";
    /// Name of the root input of the current time.
    pub const TIME: &'static str = "time";
    /// Name of the root input of objects in the cluster.
    pub const LOOKUP: &'static str = "lookup";

    /// The input of a `lookup` of one object, whatever its namespace; an empty name is that of all objects of the kind.
    pub fn looked_up(kind: &str, name: &str) -> String {
        format!("{}[{:?}]", Self::LOOKUP, looked_up(kind, name))
    }
}

/// What an object is called below [`Host::LOOKUP`].
pub(super) fn looked_up(kind: &str, name: &str) -> String {
    format!("{kind} {name}")
}

pub(super) fn host<'e>(context: &'e mut Executor<'_>) -> &'e mut Host {
    context.host()
}

/// The inputs of data that comes from one of these root inputs.
pub(super) fn root_taint(tracker: &mut Tracker, root: &str) -> Taint {
    if !tracker.is_on() {
        return Taint::NONE;
    }
    Taint::of(tracker.inputs().root(root))
}
