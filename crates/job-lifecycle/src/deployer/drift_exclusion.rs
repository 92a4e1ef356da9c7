//! Objects that a deployer leaves out of drift detection.

use crate::object::Object;

/// A pattern for objects that a deployer leaves out of drift detection: `op: ignore` in Fleet's `comparePatches`,
/// `driftDetection.ignore` in a HelmRelease. A criterion that is `None` matches every object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriftExclusion {
    /// `apiVersion` of the objects.
    pub api_version: Option<String>,
    /// `kind` of the objects.
    pub kind: Option<String>,
    /// Namespace of the objects.
    pub namespace: Option<String>,
    /// Name of the objects.
    pub name: Option<NamePattern>,
    /// The namespace of objects whose manifest does not set one.
    pub default_namespace: String,
}

/// A regular expression for names. A name that equals the expression matches too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamePattern {
    /// The expression; one that does not compile matches only the equal name.
    pub regex: String,
    /// The expression must match the whole name, not a part of it.
    pub whole: bool,
}

impl DriftExclusion {
    /// True when the pattern covers the object.
    pub fn matches(&self, object: &Object) -> bool {
        let equals =
            |own: &Option<String>, other: &str| own.as_deref().is_none_or(|own| own == other);
        let name = object.name().unwrap_or_default();
        equals(&self.api_version, object.api_version())
            && equals(&self.kind, object.kind())
            && equals(&self.namespace, object.namespace().unwrap_or(&self.default_namespace))
            && self.name.as_ref().is_none_or(|pattern| pattern.matches(name))
    }
}

impl NamePattern {
    fn matches(&self, name: &str) -> bool {
        let NamePattern { regex, whole } = self;
        let anchored = if *whole { format!("^(?:{regex})$") } else { regex.clone() };
        regex == name
            || go_regexp::compile(&anchored).is_ok_and(|regex| regex.is_match(name.as_bytes()))
    }
}
