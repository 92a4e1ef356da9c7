//! Patches without effect.

use yaml_spans::Location;

/// A patch whose target names a resource and selects none.
#[derive(Clone, Debug)]
pub struct IdlePatch {
    /// Where its target is written.
    pub at: Location,
    /// The kind that the target names; empty if it names none.
    pub kind: String,
    /// The kind and name of the only resource that the target would select by another name.
    pub nearest: Option<(String, String)>,
    /// Group and version, if the target names both as its group: `batch/v1`. No group has a slash in its name.
    pub split_group: Option<(String, String)>,
}
