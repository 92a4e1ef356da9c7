//! Identities of resources.

use std::{borrow::Cow, collections::HashMap, fmt, sync::LazyLock};

/// Group, version and kind. Empty parts of a selector match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gvk {
    pub(crate) group: Cow<'static, str>,
    pub(crate) version: Cow<'static, str>,
    pub(crate) kind: Cow<'static, str>,
}

/// Group, version, kind, name and namespace of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Id {
    pub(crate) gvk: Gvk,
    pub(crate) name: String,
    pub(crate) namespace: String,
    /// A schema of `openapi` says that the kind has no namespace.
    pub(crate) is_declared_cluster_scoped: bool,
}

/// The namespace of cluster-scoped resources.
const CLUSTER: &str = "_non_namespaceable_";

/// The kinds that kustomize knows to be cluster-scoped, each as `apiVersion kind`. kyaml `openapi.go`.
const CLUSTER_SCOPED: &str = "\
admissionregistration.k8s.io/v1 MutatingWebhookConfiguration
admissionregistration.k8s.io/v1 ValidatingWebhookConfiguration
admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration
admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration
apiextensions.k8s.io/v1 CustomResourceDefinition
apiextensions.k8s.io/v1beta1 CustomResourceDefinition
apiregistration.k8s.io/v1 APIService
apiregistration.k8s.io/v1beta1 APIService
certificates.k8s.io/v1 CertificateSigningRequest
certificates.k8s.io/v1beta1 CertificateSigningRequest
flowcontrol.apiserver.k8s.io/v1beta1 FlowSchema
flowcontrol.apiserver.k8s.io/v1beta1 PriorityLevelConfiguration
networking.k8s.io/v1 IngressClass
networking.k8s.io/v1beta1 IngressClass
node.k8s.io/v1 RuntimeClass
node.k8s.io/v1beta1 RuntimeClass
policy/v1beta1 PodSecurityPolicy
rbac.authorization.k8s.io/v1 ClusterRole
rbac.authorization.k8s.io/v1 ClusterRoleBinding
rbac.authorization.k8s.io/v1beta1 ClusterRole
rbac.authorization.k8s.io/v1beta1 ClusterRoleBinding
scheduling.k8s.io/v1 PriorityClass
scheduling.k8s.io/v1beta1 PriorityClass
storage.k8s.io/v1 CSIDriver
storage.k8s.io/v1 CSINode
storage.k8s.io/v1 StorageClass
storage.k8s.io/v1 VolumeAttachment
storage.k8s.io/v1beta1 CSIDriver
storage.k8s.io/v1beta1 CSINode
storage.k8s.io/v1beta1 StorageClass
storage.k8s.io/v1beta1 VolumeAttachment
v1 ComponentStatus
v1 Namespace
v1 Node
v1 NodeProxyOptions
v1 PersistentVolume";

/// The kinds that kustomize knows to have a namespace, as above.
const NAMESPACED: &str = "\
apps/v1 ControllerRevision
apps/v1 DaemonSet
apps/v1 Deployment
apps/v1 ReplicaSet
apps/v1 StatefulSet
autoscaling/v1 HorizontalPodAutoscaler
autoscaling/v1 Scale
autoscaling/v2beta1 HorizontalPodAutoscaler
autoscaling/v2beta2 HorizontalPodAutoscaler
batch/v1 CronJob
batch/v1 Job
batch/v1beta1 CronJob
coordination.k8s.io/v1 Lease
coordination.k8s.io/v1beta1 Lease
discovery.k8s.io/v1 EndpointSlice
discovery.k8s.io/v1beta1 EndpointSlice
events.k8s.io/v1 Event
events.k8s.io/v1beta1 Event
extensions/v1beta1 Ingress
networking.k8s.io/v1 Ingress
networking.k8s.io/v1 NetworkPolicy
networking.k8s.io/v1beta1 Ingress
policy/v1 PodDisruptionBudget
policy/v1beta1 PodDisruptionBudget
rbac.authorization.k8s.io/v1 Role
rbac.authorization.k8s.io/v1 RoleBinding
rbac.authorization.k8s.io/v1beta1 Role
rbac.authorization.k8s.io/v1beta1 RoleBinding
storage.k8s.io/v1beta1 CSIStorageCapacity
v1 ConfigMap
v1 Endpoints
v1 Event
v1 LimitRange
v1 PersistentVolumeClaim
v1 Pod
v1 PodAttachOptions
v1 PodExecOptions
v1 PodPortForwardOptions
v1 PodProxyOptions
v1 PodTemplate
v1 ReplicationController
v1 ResourceQuota
v1 Secret
v1 Service
v1 ServiceAccount
v1 ServiceProxyOptions";

impl Gvk {
    pub(crate) fn new(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self::of(group, version, kind)
    }

    pub(crate) fn of(group: &str, version: &str, kind: &str) -> Self {
        let owned = |text: &str| match text {
            "" => Cow::Borrowed(""),
            text => Cow::Owned(text.to_owned()),
        };
        Self { group: owned(group), version: owned(version), kind: owned(kind) }
    }

    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            return self.version.clone().into_owned();
        }
        format!("{}/{}", self.group, self.version)
    }

    /// Whether a selector selects this: each part of it is empty or equal.
    pub(crate) fn is_selected(&self, selector: &Gvk) -> bool {
        let fits = |own: &str, wanted: &str| wanted.is_empty() || own == wanted;
        fits(&self.group, &selector.group)
            && fits(&self.version, &selector.version)
            && fits(&self.kind, &selector.kind)
    }

    /// Whether kustomize itself knows the kind.
    pub(crate) fn is_built_in(&self) -> bool {
        self.is_namespaced().is_some()
    }

    pub(crate) fn is_cluster_scoped(&self) -> bool {
        self.is_namespaced() == Some(false)
    }

    fn is_namespaced(&self) -> Option<bool> {
        static KINDS: LazyLock<HashMap<(&str, &str, &str), bool>> = LazyLock::new(|| {
            let of = |list: &'static str, is_namespaced: bool| {
                list.lines().filter_map(move |line| {
                    let (api_version, kind) = line.split_once(' ')?;
                    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
                    Some(((group, version, kind), is_namespaced))
                })
            };
            of(CLUSTER_SCOPED, false).chain(of(NAMESPACED, true)).collect()
        });
        KINDS.get(&(&*self.group, &*self.version, &*self.kind)).copied()
    }

    /// The text that kustomize sorts by.
    pub(crate) fn sort_key(&self) -> String {
        let or =
            |text: &str, none: &str| if text.is_empty() { none.into() } else { text.to_owned() };
        format!("{}_{}_{}", or(&self.group, "~G"), or(&self.version, "~V"), or(&self.kind, "~K"))
    }
}

impl fmt::Display for Gvk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or =
            |text: &str, none: &str| if text.is_empty() { none.into() } else { text.to_owned() };
        let (kind, version) = (or(&self.kind, "[noKind]"), or(&self.version, "[noVer]"));
        write!(f, "{kind}.{version}.{}", or(&self.group, "[noGrp]"))
    }
}

impl Id {
    pub(crate) fn is_cluster_scoped(&self) -> bool {
        self.is_declared_cluster_scoped || self.gvk.is_cluster_scoped()
    }

    /// The namespace, `default` when empty.
    pub(crate) fn effective_namespace(&self) -> &str {
        if self.is_cluster_scoped() {
            CLUSTER
        } else if self.namespace.is_empty() {
            "default"
        } else {
            &self.namespace
        }
    }

    pub(crate) fn is_same_namespace(&self, other: &Id) -> bool {
        self.effective_namespace() == other.effective_namespace()
    }

    pub(crate) fn is_same_but_namespace(&self, other: &Id) -> bool {
        self.name == other.name && self.gvk == other.gvk
    }

    /// Whether both name one resource; no namespace is `default`.
    pub(crate) fn is(&self, other: &Id) -> bool {
        self.is_same_but_namespace(other) && self.is_same_namespace(other)
    }

    pub(crate) fn is_selected_by(&self, selector: &Id) -> bool {
        (selector.name.is_empty() || selector.name == self.name)
            && (selector.namespace.is_empty() || selector.is_same_namespace(self))
            && self.gvk.is_selected(&selector.gvk)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let or =
            |text: &str, none: &str| if text.is_empty() { none.into() } else { text.to_owned() };
        let (name, namespace) = (or(&self.name, "[noName]"), or(&self.namespace, "[noNs]"));
        write!(f, "{}/{name}.{namespace}", self.gvk)
    }
}
