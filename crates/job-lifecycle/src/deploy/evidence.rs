//! Which deployers the annotations and labels of the objects point to.

use crate::{
    annotations::HELM_HOOK,
    deployer::{Deployer, Tool},
    object::Object,
};

/// Prefixes of annotation and label keys that only one tool uses; `argocd.argoproj.io/instance` is the label
/// of Argo CD.
const MARKS: &[(&str, Tool)] = &[
    ("argocd.argoproj.io/", Tool::Argocd),
    ("kustomize.toolkit.fluxcd.io/", Tool::Flux),
    ("helm.toolkit.fluxcd.io/", Tool::Flux),
];

/// The deployers that the annotations and labels of these objects are written for.
///
/// Argo CD and Fleet read Helm's hook annotations too, so objects with no other marks yield assumed
/// deployers: Helm 3 and Helm 4, or Argo CD when a hook has no name, which Helm cannot run. Empty when
/// nothing points to a deployer.
pub fn evidence<'a>(objects: impl Iterator<Item = &'a Object> + Clone) -> Vec<Deployer> {
    let named = |tool: &Tool| objects.clone().any(|object| is_marked_for(object, *tool));
    let found: Vec<_> = Tool::ALL.into_iter().filter(named).map(Deployer::stated).collect();
    if !found.is_empty() {
        return found;
    }
    let hooks: Vec<_> = objects.clone().filter(|o| o.annotation(HELM_HOOK).is_some()).collect();
    if hooks.iter().any(|hook| hook.name().is_none() && hook.generate_name().is_some()) {
        return vec![Deployer::assumed(Tool::Argocd)];
    }
    let helm = [Tool::Helm3, Tool::Helm4].map(Deployer::assumed);
    if hooks.is_empty() { Vec::new() } else { helm.into() }
}

/// Labels that Flux gives to the objects that it has applied: a file that has them was read from a
/// cluster (`ownerLabels` in fluxcd/pkg/ssa/manager.go).
const OF_LIVE_OBJECTS: [&str; 2] = [".toolkit.fluxcd.io/name", ".toolkit.fluxcd.io/namespace"];

fn is_marked_for(object: &Object, tool: Tool) -> bool {
    let labels = object.root.at(&["metadata", "labels"]).map(|labels| labels.entries());
    let keys = object.annotations().iter().chain(labels.unwrap_or_default());
    let marked = |key: &str| {
        MARKS.iter().any(|(mark, of)| *of == tool && key.starts_with(mark))
            && !OF_LIVE_OBJECTS.iter().any(|own| key.ends_with(own))
    };
    keys.into_iter().any(|entry| marked(&entry.key))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use yaml_spans::{self as yaml, Source};

    fn found(metadata: &[&str]) -> Vec<String> {
        let object = |metadata: &&str| {
            let text = format!("{{apiVersion: batch/v1, kind: Job, metadata: {{{metadata}}}}}");
            let source = Arc::new(Source::new("a.yaml", text));
            let document = yaml::parse(&source.text).remove(0).unwrap();
            Object::new(&source, document.root, document.span).unwrap()
        };
        let objects: Vec<_> = metadata.iter().map(object).collect();
        let words =
            |deployer: Deployer| format!("{deployer}{}", if deployer.assumed { "?" } else { "" });
        evidence(objects.iter()).into_iter().map(words).collect()
    }

    #[test]
    fn annotations_name_their_deployer() {
        let hook = "annotations: {helm.sh/hook: test}";
        assert_eq!(found(&["name: a"]), [""; 0]);
        assert_eq!(found(&["annotations: {argocd.argoproj.io/sync-wave: \"1\"}"]), ["argocd"]);
        assert_eq!(found(&["labels: {argocd.argoproj.io/instance: a}", hook]), ["argocd"]);
        assert_eq!(found(&["labels: {kustomize.toolkit.fluxcd.io/prune: disabled}"]), ["flux"]);
        assert_eq!(found(&["labels: {kustomize.toolkit.fluxcd.io/name: shop}"]), [""; 0]);
        assert_eq!(found(&["name: a, annotations: {helm.sh/hook: test}"]), ["helm3?", "helm4?"]);
        assert_eq!(found(&["generateName: a-, annotations: {helm.sh/hook: test}"]), ["argocd?"]);
    }
}
