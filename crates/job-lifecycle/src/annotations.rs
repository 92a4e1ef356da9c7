//! Keys of the annotations and labels that deployers read.

/// The events for which Helm runs the object as a hook.
pub const HELM_HOOK: &str = "helm.sh/hook";
/// When Helm deletes a hook.
pub const HELM_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
/// The order in which Helm runs the hooks of an event.
pub const HELM_WEIGHT: &str = "helm.sh/hook-weight";
/// `keep` stops Helm from deleting the object.
pub const RESOURCE_POLICY: &str = "helm.sh/resource-policy";

/// The sync phases in which Argo CD runs the object as a hook.
pub const ARGO_HOOK: &str = "argocd.argoproj.io/hook";
/// When Argo CD deletes a hook.
pub const ARGO_DELETE_POLICY: &str = "argocd.argoproj.io/hook-delete-policy";
/// The order in which Argo CD applies the objects of a sync phase.
pub const ARGO_WAVE: &str = "argocd.argoproj.io/sync-wave";
/// How Argo CD applies and deletes the object.
pub const ARGO_SYNC_OPTIONS: &str = "argocd.argoproj.io/sync-options";

/// Lets kustomize-controller delete and recreate an object that it cannot change in place.
pub const FLUX_FORCE: &str = "kustomize.toolkit.fluxcd.io/force";
/// How kustomize-controller applies the object.
pub(crate) const FLUX_SSA: &str = "kustomize.toolkit.fluxcd.io/ssa";
/// `disabled` makes kustomize-controller skip the object.
pub(crate) const FLUX_RECONCILE: &str = "kustomize.toolkit.fluxcd.io/reconcile";
/// `disabled` keeps the object in the cluster when it is removed from the source.
pub(crate) const FLUX_PRUNE: &str = "kustomize.toolkit.fluxcd.io/prune";
/// `disabled` excludes the object from helm-controller's drift detection.
pub(crate) const FLUX_DRIFT: &str = "helm.toolkit.fluxcd.io/driftDetection";
