//! What the objects themselves say about who deploys them.

use super::{Deployer, HELM_HOOK, Tool};
use crate::object::Object;

/// Prefixes of annotations and labels that only one tool reads; the instance label is Argo CD's own.
const MARKS: &[(&str, Tool)] = &[
    ("argocd.argoproj.io/", Tool::Argocd),
    ("kustomize.toolkit.fluxcd.io/", Tool::Flux),
    ("helm.toolkit.fluxcd.io/", Tool::Flux),
];

/// The deployers that annotations and labels of these objects are written for. Helm's own hooks are
/// read by Argo CD and Fleet too, so Helm is taken for them only where nothing else is named, and as
/// an assumption.
pub fn evidence(objects: &[Object]) -> Vec<Deployer> {
    let named = |tool: Tool| objects.iter().any(|object| is_marked_for(object, tool));
    let mut found: Vec<_> = Tool::ALL.into_iter().filter(|tool| named(*tool)).collect();
    found.dedup();
    if !found.is_empty() {
        return found.into_iter().map(Deployer::stated).collect();
    }
    if objects.iter().any(|object| object.annotation(HELM_HOOK).is_some()) {
        return [Tool::Helm3, Tool::Helm4].map(Deployer::assumed).into();
    }
    Vec::new()
}

fn is_marked_for(object: &Object, tool: Tool) -> bool {
    let labels = object.root.at(&["metadata", "labels"]).map(|labels| labels.entries());
    let keys = object.annotations().iter().chain(labels.unwrap_or_default());
    let marked = |key: &str| MARKS.iter().any(|(mark, of)| *of == tool && key.starts_with(mark));
    keys.into_iter().any(|entry| marked(&entry.key))
}
