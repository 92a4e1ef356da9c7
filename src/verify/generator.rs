//! Proves fixes that are written for a generator of a kustomization: they leave the hash out of a name.

use serde_json::Value as Json;
use yaml_spans::{Edit, Source};

use super::{
    Verdict, Verifier,
    outputs::{self, Document, documents},
    revealed::Changed,
};
use crate::rules::Raised;

/// The length of the hash of a generated name.
const HASH: usize = 10;

impl Verifier<'_> {
    /// Builds the kustomizations with the fix. Only what is generated and the object of the finding may differ, in names
    /// without their hashes: other workloads restart when the hash changes.
    pub(super) fn generator_verdict(
        &self,
        raised: &Raised<'_>,
        file: &Source,
        edits: &[Edit],
    ) -> Verdict {
        let text = Edit::apply(&file.text, edits);
        let after = text.and_then(|text| outputs::after(self.scope, &file.path, text));
        let Some(after) = after else { return Verdict::Worse };
        let kinds = ["ConfigMap", "Secret", raised.object.kind()];
        let is_allowed = |(old, new): (&Document, &Document)| {
            old.text == new.text
                || old.json().zip(new.json()).is_some_and(|(old, new)| {
                    kinds.iter().any(|kind| old["kind"] == *kind) && is_without_hashes(&old, &new)
                })
        };
        let is_as_said = self.scope.all.iter().zip(&after.documents).all(|(view, after)| {
            let before = documents(view);
            before.len() == after.len() && before.iter().zip(after).all(is_allowed)
        });
        match is_as_said && self.is_better(raised.rule, &after.loaded, 1, &Changed::default()) {
            true => Verdict::Proven,
            false => Verdict::Worse,
        }
    }
}

/// True when two values are the same but for hashes that the second leaves out.
fn is_without_hashes(old: &Json, new: &Json) -> bool {
    match (old, new) {
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_without_hashes(a, b)))
        }
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_without_hashes(a, b))
        }
        (Json::String(a), Json::String(b)) => {
            let hash = a.strip_prefix(&**b).and_then(|rest| rest.strip_prefix('-'));
            a == b || hash.is_some_and(|hash| hash.len() == HASH)
        }
        _ => old == new,
    }
}
