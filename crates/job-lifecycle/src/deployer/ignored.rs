//! Objects whose absence a deployer is told to ignore.

use regex::Regex;

use crate::object::Object;

/// Objects whose absence is ignored: `op: ignore` of Fleet's `comparePatches`, `driftDetection.ignore` of a
/// HelmRelease. A part that is not stated matches everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    /// `apiVersion` of the objects.
    pub api_version: Option<String>,
    /// `kind` of the objects.
    pub kind: Option<String>,
    /// Their namespace.
    pub namespace: Option<String>,
    /// A regular expression, and whether it has to match the whole name.
    pub name: Option<(String, bool)>,
    /// The namespace of objects that do not name theirs.
    pub bundle: String,
}

impl Ignored {
    /// True when the object is one of them.
    pub fn fits(&self, object: &Object) -> bool {
        let fits =
            |own: &Option<String>, other: &str| own.as_deref().is_none_or(|own| own == other);
        let name = object.name().unwrap_or_default();
        fits(&self.api_version, object.api_version())
            && fits(&self.kind, object.kind())
            && fits(&self.namespace, object.namespace().unwrap_or(&self.bundle))
            && self.name.as_ref().is_none_or(|(pattern, whole)| {
                let anchored = if *whole { format!("^(?:{pattern})$") } else { pattern.clone() };
                pattern == name || Regex::new(&anchored).is_ok_and(|regex| regex.is_match(name))
            })
    }
}
