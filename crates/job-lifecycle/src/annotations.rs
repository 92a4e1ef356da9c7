//! The annotations and labels that steer deployers.

/// The events at which Helm runs the object as a hook.
pub const HELM_HOOK: &str = "helm.sh/hook";
/// When Helm deletes a hook.
pub const HELM_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
/// The order of Helm's hooks within an event.
pub const HELM_WEIGHT: &str = "helm.sh/hook-weight";
/// `keep` lets Helm leave an object behind.
pub const RESOURCE_POLICY: &str = "helm.sh/resource-policy";

/// The phases of a sync in which Argo CD runs the object as a hook.
pub const ARGO_HOOK: &str = "argocd.argoproj.io/hook";
/// When Argo CD deletes a hook.
pub const ARGO_DELETE_POLICY: &str = "argocd.argoproj.io/hook-delete-policy";
/// The order of objects within a phase of a sync.
pub const ARGO_WAVE: &str = "argocd.argoproj.io/sync-wave";
/// How Argo CD applies and deletes the object.
pub const ARGO_SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";

/// Lets kustomize-controller delete and create the object where it cannot be changed.
pub const FLUX_FORCE: &str = "kustomize.toolkit.fluxcd.io/force";
/// How kustomize-controller applies the object.
pub const FLUX_SSA: &str = "kustomize.toolkit.fluxcd.io/ssa";
/// `disabled` keeps kustomize-controller away from the object.
pub const FLUX_RECONCILE: &str = "kustomize.toolkit.fluxcd.io/reconcile";
/// `disabled` keeps the object when it leaves the source.
pub const FLUX_PRUNE: &str = "kustomize.toolkit.fluxcd.io/prune";
/// `disabled` takes the object out of helm-controller's drift detection.
pub const FLUX_DRIFT: &str = "helm.toolkit.fluxcd.io/driftDetection";
