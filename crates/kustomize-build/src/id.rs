//! Identities of resources.

use std::{fmt, sync::LazyLock};

/// Group, version and kind. Empty parts of a selector match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gvk {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) kind: String,
}

/// Group, version, kind, name and namespace of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Id {
    pub(crate) gvk: Gvk,
    pub(crate) name: String,
    pub(crate) namespace: String,
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

impl Gvk {
    pub(crate) fn new(api_version: &str, kind: &str) -> Self {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    pub(crate) fn api_version(&self) -> String {
        if self.group.is_empty() {
            return self.version.clone();
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

    pub(crate) fn is_cluster_scoped(&self) -> bool {
        static KINDS: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
            CLUSTER_SCOPED.lines().filter_map(|line| line.split_once(' ')).collect()
        });
        let version = self.version.as_str();
        KINDS.iter().any(|(api_version, kind)| {
            *kind == self.kind
                && match api_version.split_once('/') {
                    Some((group, of)) => group == self.group && of == version,
                    None => self.group.is_empty() && *api_version == version,
                }
        })
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
    /// The namespace, `default` when empty.
    pub(crate) fn effective_namespace(&self) -> &str {
        if self.gvk.is_cluster_scoped() {
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
