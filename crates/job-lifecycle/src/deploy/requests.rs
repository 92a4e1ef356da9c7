//! What an object asks of its deployer: Argo CD's sync options, Flux's annotations.
//!
//! Argo CD: gitops-engine `pkg/sync/sync_context.go`, `pkg/utils/kube/resource_ops.go`; Flux: `pkg/ssa`.
//! Observed with Argo CD 3.5, kustomize-controller 1.9, helm-controller 1.6 and Fleet 0.16.

use super::tokens;
use crate::{
    annotations::{ARGO_SYNC_OPTIONS, FLUX_DRIFT, FLUX_FORCE, FLUX_RECONCILE, FLUX_SSA},
    deployer::{Deployer, Drift, Tool},
    object::Object,
};

/// True for an Argo CD sync option that the object carries: exact items, blanks around them ignored.
pub fn has_sync_option(object: &Object, option: &str) -> bool {
    tokens(object.annotation_text(ARGO_SYNC_OPTIONS).unwrap_or_default()).any(|own| own == option)
}

/// True when the deployer sends a PUT, or a create, instead of an apply: Argo CD `Replace=true`.
pub(crate) fn replaces(object: &Object, deployer: &Deployer) -> bool {
    deployer.tool == Tool::Argocd
        && (deployer.argocd().replace == Some(true) || has_sync_option(object, "Replace=true"))
}

/// True when the deployer deletes and re-creates a Job that it cannot change in place. Force of Fleet,
/// of Helm and of a HelmRelease is a PUT and never helps a Job.
pub(crate) fn forces(object: &Object, deployer: &Deployer, from_chart: bool) -> bool {
    match deployer.tool {
        Tool::Argocd => deployer.is_forced() || has_sync_option(object, "Force=true"),
        Tool::Flux if deployer.is_helm_release(from_chart) => false,
        Tool::Flux => deployer.is_forced() || flux_says(object, FLUX_FORCE, &["enabled"]),
        _ => false,
    }
}

/// The drift detection of a HelmRelease, unless the object opts out.
pub(crate) fn drift_detection(object: &Object, deployer: &Deployer) -> Option<Drift> {
    let opted_out = flux_says(object, FLUX_DRIFT, &["disabled"]) || deployer.ignores(object);
    deployer.flux().drift_detection.filter(|_| !opted_out)
}

/// Flux neither creates nor changes it.
pub(crate) fn is_excluded(object: &Object) -> bool {
    flux_says(object, FLUX_RECONCILE, &["disabled"]) || flux_says(object, FLUX_SSA, &["ignore"])
}

/// Flux reads its keys from annotations and labels, values in any case.
pub(crate) fn flux_says(object: &Object, key: &str, values: &[&str]) -> bool {
    let labels = object.root.at(&["metadata", "labels", key]).and_then(|label| label.as_str());
    [object.annotation_text(key), labels]
        .into_iter()
        .flatten()
        .any(|own| values.contains(&own.to_lowercase().as_str()))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use yaml_spans::{self as yaml, Source};

    fn object(metadata: &str) -> Object {
        let text = format!("apiVersion: batch/v1\nkind: Job\nmetadata: {metadata}\n");
        let document = yaml::parse(&text).remove(0).unwrap();
        let source = Arc::new(Source::new("a.yaml", text));
        Object::new(&source, document.root, document.span).unwrap()
    }

    fn deployer(text: &str) -> Deployer {
        text.parse().unwrap()
    }

    #[test]
    fn flux_reads_annotations_and_labels_in_any_case_and_nothing_else() {
        let forced = |metadata| forces(&object(metadata), &deployer("flux"), false);
        assert!(forced("{annotations: {kustomize.toolkit.fluxcd.io/force: Enabled}}"));
        assert!(forced("{labels: {kustomize.toolkit.fluxcd.io/force: enabled}}"));
        assert!(!forced("{annotations: {kustomize.toolkit.fluxcd.io/force: \"true\"}}"));
        let plain = object("{name: a}");
        assert!(forces(&plain, &deployer("flux:force=true"), false));
        assert!(!forces(&plain, &deployer("flux:kind=HelmRelease,force=true"), false), "a PUT");
        assert!(!forces(&plain, &deployer("fleet:force=true"), false), "a PUT");
    }

    #[test]
    fn argocd_reads_exact_items_and_trims_them() {
        let says = |value: &str| {
            let metadata = format!("{{annotations: {{{ARGO_SYNC_OPTIONS}: \"{value}\"}}}}");
            replaces(&object(&metadata), &deployer("argocd"))
        };
        assert!(says("Force=true, Replace=true"));
        assert!(!says("replace=true"));
        assert!(!says("Replace=false"));
    }
}
