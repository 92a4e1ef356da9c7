//! Which Kubernetes versions serve which versions of the batch API, and since when those of other kinds are stable.

use super::Version;

/// A kind in an API version, and the Kubernetes versions that serve it.
#[derive(Clone, Copy, Debug)]
pub struct Served {
    /// `kind`.
    pub kind: &'static str,
    /// `apiVersion`.
    pub api_version: &'static str,
    /// The first Kubernetes version that does not serve it; `None` if it is still served.
    pub removed: Option<Version>,
    /// The first Kubernetes version that serves it; `None` if it predates every version of interest.
    pub since: Option<Version>,
    /// Changing `apiVersion` is enough to migrate to `batch/v1`: the fields are the same.
    pub same_fields: bool,
}

/// Sources: `zz_generated.prerelease-lifecycle.go` and the history of `k8s.io/api`; for the oldest versions
/// kubernetes/kubernetes #38614 and #49930.
const SERVED: &[Served] = &[
    served("Job", "batch/v1", None, None, true),
    served("Job", "extensions/v1beta1", Some(Version::new(1, 6)), None, false),
    served("CronJob", "batch/v1", None, Some(Version::new(1, 21)), true),
    served("CronJob", "batch/v1beta1", Some(Version::new(1, 25)), None, true),
    served("CronJob", "batch/v2alpha1", Some(Version::new(1, 21)), None, false),
    served("ScheduledJob", "batch/v2alpha1", Some(Version::new(1, 8)), None, false),
];

/// Kinds of other APIs that charts ask for, in the version that is stable, with the minor version of Kubernetes that serves
/// it first.
///
/// Source: the deprecated API migration guide, <https://kubernetes.io/docs/reference/using-api/deprecation-guide/>.
const STABLE: &[(&str, &str, u32)] = &[
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", 16),
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", 16),
    ("apiextensions.k8s.io/v1", "CustomResourceDefinition", 16),
    ("apps/v1", "DaemonSet", 9),
    ("apps/v1", "Deployment", 9),
    ("apps/v1", "ReplicaSet", 9),
    ("apps/v1", "StatefulSet", 9),
    ("autoscaling/v2", "HorizontalPodAutoscaler", 23),
    ("discovery.k8s.io/v1", "EndpointSlice", 21),
    ("networking.k8s.io/v1", "Ingress", 19),
    ("networking.k8s.io/v1", "IngressClass", 19),
    ("networking.k8s.io/v1", "NetworkPolicy", 7),
    ("node.k8s.io/v1", "RuntimeClass", 20),
    ("policy/v1", "PodDisruptionBudget", 21),
    ("rbac.authorization.k8s.io/v1", "ClusterRole", 8),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", 8),
    ("rbac.authorization.k8s.io/v1", "Role", 8),
    ("rbac.authorization.k8s.io/v1", "RoleBinding", 8),
    ("scheduling.k8s.io/v1", "PriorityClass", 14),
    ("storage.k8s.io/v1", "CSIDriver", 19),
    ("storage.k8s.io/v1", "StorageClass", 6),
];

/// API versions that were served by default, with the minor version of Kubernetes that removed the last of their
/// kinds. Those that later kinds brought back, such as `networking.k8s.io/v1beta1`, are left out.
///
/// Source: the deprecated API migration guide, <https://kubernetes.io/docs/reference/using-api/deprecation-guide/>;
/// for the batch API, [`SERVED`].
const REMOVED: &[(&str, u32)] = &[
    ("apiextensions.k8s.io/v1beta1", 22),
    ("apps/v1beta1", 16),
    ("apps/v1beta2", 16),
    ("authorization.k8s.io/v1beta1", 22),
    ("batch/v1beta1", 25),
    ("discovery.k8s.io/v1beta1", 25),
    ("events.k8s.io/v1beta1", 25),
    ("extensions/v1beta1", 22),
    ("flowcontrol.apiserver.k8s.io/v1beta1", 26),
    ("flowcontrol.apiserver.k8s.io/v1beta2", 29),
    ("flowcontrol.apiserver.k8s.io/v1beta3", 32),
    ("node.k8s.io/v1beta1", 25),
    ("policy/v1beta1", 25),
    ("rbac.authorization.k8s.io/v1beta1", 22),
];

/// The API versions that a cluster of this version no longer serves.
pub fn removed_from(version: Version) -> impl Iterator<Item = &'static str> {
    let minor = |minor| Version::new(1, minor);
    REMOVED.iter().filter(move |(_, removed)| minor(*removed) <= version).map(|(name, _)| *name)
}

/// The entry for a kind in an API version; `None` for a combination that never existed.
pub fn find(kind: &str, api_version: &str) -> Option<&'static Served> {
    SERVED.iter().find(|served| served.kind == kind && served.api_version == api_version)
}

/// `API_VERSION/KIND` of what a cluster of this version serves: `batch/v1/Job`.
pub fn served_by(version: Version) -> impl Iterator<Item = String> {
    let served = SERVED.iter().filter(move |served| served.is_in(version));
    let served = served.map(|served| (served.api_version, served.kind));
    let stable = STABLE.iter().filter(move |(.., since)| Version::new(1, *since) <= version);
    served
        .chain(stable.map(|(api, kind, _)| (*api, *kind)))
        .map(|(api, kind)| format!("{api}/{kind}"))
}

impl Served {
    /// True when a cluster of this version serves it.
    pub fn is_in(&self, version: Version) -> bool {
        self.removed.is_none_or(|removed| version < removed)
            && self.since.is_none_or(|since| version >= since)
    }
}

const fn served(
    kind: &'static str,
    api_version: &'static str,
    removed: Option<Version>,
    since: Option<Version>,
    same_fields: bool,
) -> Served {
    Served { kind, api_version, removed, since, same_fields }
}
