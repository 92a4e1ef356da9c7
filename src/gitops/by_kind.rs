//! The GitOps objects of a repository by kind.

use std::collections::HashMap;

use job_lifecycle::Object;

/// Objects by kind, which references name first.
pub(super) struct ByKind<'a>(HashMap<&'a str, Vec<&'a Object>>);

impl<'a> ByKind<'a> {
    pub(super) fn new(objects: impl IntoIterator<Item = &'a Object>) -> Self {
        let mut all: HashMap<_, Vec<_>> = HashMap::new();
        for object in objects {
            all.entry(object.kind()).or_default().push(object);
        }
        Self(all)
    }

    /// The objects of a kind, in their order.
    pub(super) fn of(&self, kind: &str) -> &[&'a Object] {
        self.0.get(kind).map_or(&[], Vec::as_slice)
    }
}
