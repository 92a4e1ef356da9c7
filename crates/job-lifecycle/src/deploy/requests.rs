//! What an object asks of its deployer (Argo CD's sync-options, Flux's annotations), and what a
//! deployer does about an object that is gone or has to be replaced.
//!
//! Argo CD: gitops-engine `pkg/sync/sync_context.go`, `pkg/utils/kube/resource_ops.go`; Flux: `pkg/ssa`.
//! Observed with Argo CD 3.5, kustomize-controller 1.9, helm-controller 1.6 and Fleet 0.16.

use super::{Role, classify, tokens};
use crate::{
    annotations::{
        ARGO_SYNC_OPTIONS, FLUX_DRIFT, FLUX_FORCE, FLUX_RECONCILE, FLUX_SSA, HELM_DELETE_POLICY,
        HELM_HOOK,
    },
    deployer::{Argocd, Deployer, Drift, Fleet, Flux, OptionName, Tool},
    object::Object,
};

/// What a deployer does about an ordinary object that is gone, with nobody deploying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Gone {
    /// It comes back; when, as the end of a sentence.
    PutBack(String),
    /// It is reported missing, in the deployer's own word for that state.
    Reported(&'static str),
    /// Nothing: the deployer does not notice.
    Unnoticed,
}

/// True for an Argo CD sync option that the object carries: exact items, blanks around them ignored.
pub fn has_sync_option(object: &Object, option: &str) -> bool {
    tokens(object.annotation_text(ARGO_SYNC_OPTIONS).unwrap_or_default()).any(|own| own == option)
}

/// True when the deployer sends a PUT, or a create, instead of an apply: Argo CD `Replace=true`.
pub fn replaces(object: &Object, deployer: &Deployer) -> bool {
    deployer.tool == Tool::Argocd
        && (deployer.argocd().replace == Some(true) || has_sync_option(object, "Replace=true"))
}

/// True when the deployer deletes and re-creates a Job that it cannot change in place. Force of Fleet,
/// of Helm and of a HelmRelease is a PUT and never helps a Job.
pub fn forces(object: &Object, deployer: &Deployer, from_chart: bool) -> bool {
    match deployer.tool {
        Tool::Argocd => deployer.is_forced() || has_sync_option(object, "Force=true"),
        Tool::Flux if deployer.is_helm_release(from_chart) => false,
        Tool::Flux => deployer.is_forced() || flux_says(object, FLUX_FORCE, &["enabled"]),
        _ => false,
    }
}

/// True when the deployer never changes the object once it is there. A HelmRelease reads no such annotation.
pub fn leaves_alone(object: &Object, deployer: &Deployer, from_chart: bool) -> bool {
    deployer.tool == Tool::Flux
        && !deployer.is_helm_release(from_chart)
        && (flux_says(object, FLUX_SSA, &["ifnotpresent"]) || is_excluded(object))
}

/// What the deployer does when the object is gone.
pub fn when_gone(object: &Object, deployer: &Deployer, from_chart: bool) -> Gone {
    match deployer.tool {
        Tool::Argocd if deployer.argocd().self_heal == Some(true) => {
            Gone::PutBack("by self-heal (back-off at most 300 s)".to_owned())
        }
        Tool::Argocd => Gone::Reported("OutOfSync"),
        Tool::Flux if deployer.is_helm_release(from_chart) => {
            match drift_detection(object, deployer) {
                Some(Drift::Enabled) => Gone::PutBack(at_next("drift detection", deployer)),
                Some(Drift::Warn) => Gone::Reported("DriftDetected"),
                _ => Gone::Unnoticed,
            }
        }
        Tool::Flux if is_excluded(object) => Gone::Unnoticed,
        Tool::Flux => Gone::PutBack(at_next("reconcile", deployer)),
        Tool::Fleet if deployer.ignores(object) => Gone::Unnoticed,
        Tool::Fleet if deployer.fleet().correct_drift == Some(true) => {
            Gone::PutBack("3 to 5 s later (drift correction)".to_owned())
        }
        Tool::Fleet => Gone::Reported("Modified"),
        Tool::Helm3 | Tool::Helm4 | Tool::Kubectl => Gone::Unnoticed,
    }
}

/// The option that makes a deployer put back what is gone.
pub fn puts_back(deployer: &Deployer) -> OptionName {
    match deployer.tool {
        Tool::Argocd => Argocd::SELF_HEAL,
        Tool::Flux if deployer.flux().drift_detection.is_some() => Flux::DRIFT_DETECTION,
        Tool::Fleet => Fleet::CORRECT_DRIFT,
        _ => Flux::INTERVAL,
    }
}

fn at_next(what: &str, deployer: &Deployer) -> String {
    match &deployer.flux().interval {
        Some(interval) => format!("at its next {what} (every {})", interval.as_str()),
        None => format!("at its next {what} (every `spec.interval`)"),
    }
}

/// The drift detection of a HelmRelease, unless the object opts out.
pub(crate) fn drift_detection(object: &Object, deployer: &Deployer) -> Option<Drift> {
    let opted_out = flux_says(object, FLUX_DRIFT, &["disabled"]) || deployer.ignores(object);
    deployer.flux().drift_detection.filter(|_| !opted_out)
}

/// How the deployer deletes an object and creates it again without waiting for its pods: the
/// annotations that bring it about, first the one that decides, and what happens. Argo CD's
/// `BeforeHookCreation` does wait.
pub fn overlaps(
    object: &Object,
    deployer: &Deployer,
    from_chart: bool,
) -> Option<(&'static [&'static str], &'static str)> {
    let forced = || forces(object, deployer, from_chart);
    match (classify(object, deployer, from_chart), deployer.tool) {
        (Role::Hook(hook), tool) if tool != Tool::Argocd => {
            let way = "`before-hook-creation` deletes the Job and does not wait for its pod";
            let replaced = hook.policies.iter().any(|policy| policy == "before-hook-creation");
            replaced.then_some((&[HELM_DELETE_POLICY, HELM_HOOK], way))
        }
        (Role::Plain, Tool::Argocd) if replaces(object, deployer) && forced() => {
            let way = "`Force=true,Replace=true` deletes the Job and does not wait for its pod";
            Some((&[ARGO_SYNC_OPTIONS], way))
        }
        (Role::Plain, Tool::Flux) if forced() => {
            Some((&[FLUX_FORCE], "force deletes the Job and does not wait for its pod"))
        }
        _ => None,
    }
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

    #[test]
    fn what_is_gone_comes_back_as_observed() {
        let gone = |metadata, text: &str| when_gone(&object(metadata), &deployer(text), false);
        let put_back = |gone| matches!(gone, Gone::PutBack(_));
        assert!(put_back(gone("{}", "argocd:selfHeal=true")));
        assert_eq!(gone("{}", "argocd"), Gone::Reported("OutOfSync"));
        assert_eq!(gone("{}", "fleet"), Gone::Reported("Modified"));
        assert!(put_back(gone("{}", "fleet:correctDrift=true")));
        let once = "{annotations: {kustomize.toolkit.fluxcd.io/ssa: IfNotPresent}}";
        assert!(put_back(gone(once, "flux")), "IfNotPresent is no help against a TTL");
        let ignored = "{annotations: {kustomize.toolkit.fluxcd.io/ssa: Ignore}}";
        assert_eq!(gone(ignored, "flux"), Gone::Unnoticed);
        assert_eq!(gone("{}", "flux:kind=HelmRelease"), Gone::Unnoticed);
        let detects = "flux:kind=HelmRelease,driftDetection=";
        assert!(put_back(gone("{}", &format!("{detects}enabled"))));
        assert_eq!(gone("{}", &format!("{detects}warn")), Gone::Reported("DriftDetected"));
        let opted_out = "{annotations: {helm.toolkit.fluxcd.io/driftDetection: disabled}}";
        assert_eq!(gone(opted_out, &format!("{detects}enabled")), Gone::Unnoticed);
        assert_eq!(gone("{}", "helm4"), Gone::Unnoticed);
    }
}
