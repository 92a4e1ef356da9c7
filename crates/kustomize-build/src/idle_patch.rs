//! Patches without effect.

use yaml_spans::Location;

/// A patch whose target names a resource and selects none.
#[derive(Clone, Debug)]
pub struct IdlePatch {
    /// Where it is written.
    pub at: Location,
    /// The kind and name of the only resource that the target would select by another name.
    pub nearest: Option<(String, String)>,
}
