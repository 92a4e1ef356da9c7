//! `.Capabilities` without a cluster: the Kubernetes version, the API versions and the version of
//! Helm.

use crate::{Error, HelmVersion, Reason};

/// A version of Kubernetes as `.Capabilities.KubeVersion` shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KubeVersion {
    /// The version as given (Helm 4) or as `normalized` (Helm 3), always with a leading `v`.
    pub version: String,
    /// `vMAJOR.MINOR.PATCH`, the form that `kubeVersion` constraints are checked against.
    pub normalized: String,
    /// The major version, such as `1`.
    pub major: String,
    /// The minor version, such as `34`.
    pub minor: String,
}

impl KubeVersion {
    /// The version that Helm assumes without a cluster: that of its Kubernetes libraries.
    pub(crate) fn of_helm() -> Self {
        Self::build("v1.37.0".into(), 1, 37, 0)
    }

    /// Parses the argument of `--kube-version` (`ParseGeneric` of
    /// `k8s.io/apimachinery/pkg/util/version`).
    ///
    /// # Errors
    ///
    /// [`Reason::Values`] with Helm's message.
    pub fn parse(text: &str, helm: HelmVersion) -> Result<Self, Error> {
        let problem = |message: String| {
            Error::new(Reason::Values, format!("invalid kube version '{text}': {message}"))
        };
        let trimmed = text.trim();
        let bare = trimmed.strip_prefix('v').unwrap_or(trimmed);
        let end = bare.find(|c: char| c != '.' && !c.is_ascii_digit()).unwrap_or(bare.len());
        let numbers = bare[..end].trim_end_matches('.');
        let parts: Vec<&str> = numbers.split('.').collect();
        if parts.len() < 2 {
            return Err(problem(format!("could not parse {text:?} as version")));
        }
        let mut parsed = [0u64; 3];
        for (number, part) in parsed.iter_mut().zip(&parts) {
            if part.len() > 1 && part.starts_with('0') {
                let message =
                    format!("illegal zero-prefixed version component {part:?} in {text:?}");
                return Err(problem(message));
            }
            *number = part.parse().map_err(|_| {
                problem(format!("illegal non-numeric version component {part:?} in {text:?}"))
            })?;
        }
        let [major, minor, patch] = parsed;
        let given = if text.starts_with('v') { text.to_owned() } else { format!("v{text}") };
        let mut version = Self::build(given, major, minor, patch);
        if helm == HelmVersion::V3 {
            version.version.clone_from(&version.normalized);
        }
        Ok(version)
    }

    fn build(version: String, major: u64, minor: u64, patch: u64) -> Self {
        let normalized = format!("v{major}.{minor}.{patch}");
        Self { version, normalized, major: major.to_string(), minor: minor.to_string() }
    }
}

/// Version and Go version in `.Capabilities.HelmVersion`: those of the Helm releases that this
/// crate reproduces.
pub(crate) const fn helm_version(version: HelmVersion) -> (&'static str, &'static str) {
    match version {
        HelmVersion::V3 => ("v3.22.0", "go1.26.8"),
        HelmVersion::V4 => ("v4.3.1", "go1.26.8"),
    }
}

/// The API versions that Helm 3.22.0 and 4.3.1 know without a cluster, in the order in which a
/// chart with `{{ .Capabilities.APIVersions | toJson }}` prints them.
pub(crate) const API_VERSIONS: &[&str] = &[
    "v1",
    "admissionregistration.k8s.io/v1",
    "admissionregistration.k8s.io/v1alpha1",
    "admissionregistration.k8s.io/v1beta1",
    "internal.apiserver.k8s.io/v1alpha1",
    "apps/v1",
    "apps/v1beta1",
    "apps/v1beta2",
    "authentication.k8s.io/v1",
    "authentication.k8s.io/v1alpha1",
    "authentication.k8s.io/v1beta1",
    "authorization.k8s.io/v1",
    "authorization.k8s.io/v1beta1",
    "autoscaling/v1",
    "autoscaling/v2",
    "batch/v1",
    "batch/v1beta1",
    "certificates.k8s.io/v1",
    "certificates.k8s.io/v1beta1",
    "certificates.k8s.io/v1alpha1",
    "coordination.k8s.io/v1alpha2",
    "coordination.k8s.io/v1beta1",
    "coordination.k8s.io/v1",
    "discovery.k8s.io/v1",
    "discovery.k8s.io/v1beta1",
    "events.k8s.io/v1",
    "events.k8s.io/v1beta1",
    "extensions/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1",
    "flowcontrol.apiserver.k8s.io/v1beta1",
    "flowcontrol.apiserver.k8s.io/v1beta2",
    "flowcontrol.apiserver.k8s.io/v1beta3",
    "lifecycle.k8s.io/v1alpha1",
    "networking.k8s.io/v1",
    "networking.k8s.io/v1beta1",
    "node.k8s.io/v1",
    "node.k8s.io/v1alpha1",
    "node.k8s.io/v1beta1",
    "policy/v1",
    "policy/v1beta1",
    "rbac.authorization.k8s.io/v1",
    "rbac.authorization.k8s.io/v1beta1",
    "rbac.authorization.k8s.io/v1alpha1",
    "resource.k8s.io/v1",
    "resource.k8s.io/v1beta2",
    "resource.k8s.io/v1beta1",
    "resource.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1alpha3",
    "scheduling.k8s.io/v1beta1",
    "scheduling.k8s.io/v1",
    "storage.k8s.io/v1beta1",
    "storage.k8s.io/v1",
    "storage.k8s.io/v1alpha1",
    "storagemigration.k8s.io/v1",
    "storagemigration.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1beta1",
    "apiextensions.k8s.io/v1",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Observed with Helm 3.22.0 and 4.3.1.
    #[test]
    fn versions_are_kept_or_normalised() {
        let version =
            |text, helm| KubeVersion::parse(text, helm).map(|v| (v.version, v.normalized)).ok();
        let pair = |a: &str, b: &str| Some((a.to_owned(), b.to_owned()));
        assert_eq!(version("1.34.0", HelmVersion::V4), pair("v1.34.0", "v1.34.0"));
        assert_eq!(version("v1.34.1-gke.3", HelmVersion::V4), pair("v1.34.1-gke.3", "v1.34.1"));
        assert_eq!(version("v1.34.1-gke.3", HelmVersion::V3), pair("v1.34.1", "v1.34.1"));
        assert_eq!(version("1.34", HelmVersion::V3), pair("v1.34.0", "v1.34.0"));
        assert!(version("x", HelmVersion::V4).is_none());
    }
}
