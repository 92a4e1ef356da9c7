//! The defaults that the API server fills in before it compares two versions.
//!
//! Sources: `pkg/apis/core/v1/defaults.go`, `SetDefaults_Job`. Defaults that only a Pod gets are left out,
//! because the template of a Job does not get them: `enableServiceLinks`, requests from limits.

use yaml_spans::Node;

/// Defaults of scalars: type, field, value.
const DEFAULTS: &[(&str, &str, &str)] = &[
    ("AzureDiskVolumeSource", "cachingMode", "ReadWrite"),
    ("AzureDiskVolumeSource", "fsType", "ext4"),
    ("AzureDiskVolumeSource", "kind", "Shared"),
    ("AzureDiskVolumeSource", "readOnly", "false"),
    ("ConfigMapVolumeSource", "defaultMode", "420"),
    ("Container", "terminationMessagePath", "/dev/termination-log"),
    ("Container", "terminationMessagePolicy", "File"),
    ("ContainerPort", "protocol", "TCP"),
    ("DownwardAPIVolumeSource", "defaultMode", "420"),
    ("FileKeySelector", "optional", "false"),
    ("GRPCAction", "service", ""),
    ("HTTPGetAction", "path", "/"),
    ("HTTPGetAction", "scheme", "HTTP"),
    ("HostPathVolumeSource", "type", ""),
    ("ISCSIVolumeSource", "iscsiInterface", "default"),
    ("JobSpec", "completionMode", "NonIndexed"),
    ("ObjectFieldSelector", "apiVersion", "v1"),
    ("PersistentVolumeClaimSpec", "volumeMode", "Filesystem"),
    ("PodFailurePolicyOnPodConditionsPattern", "status", "True"),
    ("PodSpec", "dnsPolicy", "ClusterFirst"),
    ("PodSpec", "restartPolicy", "Always"),
    ("PodSpec", "schedulerName", "default-scheduler"),
    ("PodSpec", "terminationGracePeriodSeconds", "30"),
    ("Probe", "failureThreshold", "3"),
    ("Probe", "periodSeconds", "10"),
    ("Probe", "successThreshold", "1"),
    ("Probe", "timeoutSeconds", "1"),
    ("ProjectedVolumeSource", "defaultMode", "420"),
    ("RBDVolumeSource", "keyring", "/etc/ceph/keyring"),
    ("RBDVolumeSource", "pool", "rbd"),
    ("RBDVolumeSource", "user", "admin"),
    ("ScaleIOVolumeSource", "fsType", "xfs"),
    ("ScaleIOVolumeSource", "storageMode", "ThinProvisioned"),
    ("SecretVolumeSource", "defaultMode", "420"),
    ("SecurityContext", "procMount", "Default"),
    ("ServiceAccountTokenProjection", "expirationSeconds", "3600"),
];

/// Fields whose default follows from an image (`SetDefaults_Container`): type, field, field of the image.
const PULL_POLICIES: &[(&str, &str, &str)] =
    &[("Container", "imagePullPolicy", "image"), ("ImageVolumeSource", "pullPolicy", "reference")];

/// Mappings that equal an empty one when absent: Go structs that are not pointers, and those that are always
/// filled in.
const ALWAYS: &[(&str, &str)] = &[
    ("Container", "resources"),
    ("JobSpec", "template"),
    ("PersistentVolumeClaimSpec", "resources"),
    ("PersistentVolumeClaimTemplate", "metadata"),
    ("PersistentVolumeClaimTemplate", "spec"),
    ("PodSpec", "securityContext"),
    ("PodTemplateSpec", "metadata"),
    ("PodTemplateSpec", "spec"),
    ("PreferredSchedulingTerm", "preference"),
    ("WeightedPodAffinityTerm", "podAffinityTerm"),
];

/// Scalars that are pointers in Go, so that absent differs from `0`, `false` and `""` (`core/v1/types.go`,
/// `batch/v1/types.go`). Any other absent scalar equals its zero value. `*` means all fields of the type.
const POINTERS: &[(&str, &[&str])] = &[
    ("AppArmorProfile", &["localhostProfile"]),
    ("AzureDiskVolumeSource", &["*"]),
    ("CSIVolumeSource", &["readOnly", "fsType"]),
    ("ClusterTrustBundleProjection", &["name", "signerName", "optional"]),
    ("ConfigMapEnvSource", &["optional"]),
    ("ConfigMapKeySelector", &["optional"]),
    ("ConfigMapProjection", &["optional"]),
    ("ConfigMapVolumeSource", &["defaultMode", "optional"]),
    ("Container", &["restartPolicy"]),
    ("DownwardAPIVolumeFile", &["mode"]),
    ("DownwardAPIVolumeSource", &["defaultMode"]),
    ("EmptyDirVolumeSource", &["sizeLimit"]),
    ("FCVolumeSource", &["lun"]),
    ("FileKeySelector", &["optional"]),
    ("GRPCAction", &["service"]),
    ("HostPathVolumeSource", &["type"]),
    ("ISCSIVolumeSource", &["initiatorName"]),
    ("JobSpec", &["backoffLimitPerIndex", "completions", "managedBy", "parallelism"]),
    ("KeyToPath", &["mode"]),
    ("Lifecycle", &["stopSignal"]),
    ("PersistentVolumeClaimSpec", &["storageClassName", "volumeAttributesClassName", "volumeMode"]),
    ("PodDNSConfigOption", &["value"]),
    ("PodFailurePolicyOnExitCodesRequirement", &["containerName"]),
    ("PodResourceClaim", &["*"]),
    (
        "PodSecurityContext",
        &[
            "fsGroup",
            "fsGroupChangePolicy",
            "runAsGroup",
            "runAsNonRoot",
            "runAsUser",
            "seLinuxChangePolicy",
            "supplementalGroupsPolicy",
        ],
    ),
    (
        "PodSpec",
        &[
            "activeDeadlineSeconds",
            "automountServiceAccountToken",
            "enableServiceLinks",
            "hostUsers",
            "hostnameOverride",
            "preemptionPolicy",
            "priority",
            "runtimeClassName",
            "setHostnameAsFQDN",
            "shareProcessNamespace",
            "terminationGracePeriodSeconds",
        ],
    ),
    ("Probe", &["terminationGracePeriodSeconds"]),
    ("ProjectedVolumeSource", &["defaultMode"]),
    ("SeccompProfile", &["localhostProfile"]),
    ("SecretEnvSource", &["optional"]),
    ("SecretKeySelector", &["optional"]),
    ("SecretProjection", &["optional"]),
    ("SecretVolumeSource", &["defaultMode", "optional"]),
    ("SecurityContext", &["*"]),
    ("ServiceAccountTokenProjection", &["expirationSeconds"]),
    ("SuccessPolicyRule", &["succeededCount", "succeededIndexes"]),
    ("Toleration", &["tolerationSeconds"]),
    ("TopologySpreadConstraint", &["minDomains", "nodeAffinityPolicy", "nodeTaintsPolicy"]),
    ("TypedLocalObjectReference", &["apiGroup"]),
    ("TypedObjectReference", &["apiGroup", "namespace"]),
    ("VolumeMount", &["mountPropagation", "recursiveReadOnly"]),
    ("WindowsSecurityContextOptions", &["*"]),
];

/// The value of an absent scalar: its default, or `""` for the zero value of any type; `None` when absent
/// differs from every value. `parent` is the mapping that would contain it.
pub(super) fn when_absent(of: &str, field: &str, parent: Option<&Node>) -> Option<&'static str> {
    default(of, field, parent).or_else(|| (!is_pointer(of, field)).then_some(""))
}

/// The default of an absent scalar. `parent` is the mapping that would contain it.
pub(in crate::kubernetes) fn default(
    of: &str,
    field: &str,
    parent: Option<&Node>,
) -> Option<&'static str> {
    if let Some((.., image)) = PULL_POLICIES.iter().find(|row| (row.0, row.1) == (of, field)) {
        let image = parent.and_then(|parent| parent.get(image)).and_then(Node::as_str);
        return Some(pull_policy(image.unwrap_or_default()));
    }
    DEFAULTS.iter().find(|row| (row.0, row.1) == (of, field)).map(|row| row.2)
}

/// True when an absent mapping equals an empty one. `parent` is the mapping that would contain it.
pub(in crate::kubernetes) fn is_always_there(of: &str, field: &str, parent: Option<&Node>) -> bool {
    // A volume without a source is an `emptyDir` (`SetDefaults_Volume`).
    let bare = |parent: &Node| {
        parent
            .entries()
            .iter()
            .all(|entry| matches!(&*entry.key, "name" | "emptyDir") || entry.value.is_null())
    };
    ALWAYS.contains(&(of, field))
        || (of, field) == ("Volume", "emptyDir") && parent.is_some_and(bare)
}

/// True for a scalar whose zero value differs from none.
pub(in crate::kubernetes) fn is_pointer(of: &str, field: &str) -> bool {
    let row = POINTERS.iter().find(|row| row.0 == of);
    row.is_some_and(|(_, fields)| fields.contains(&field) || fields == &["*"])
}

/// `Always` for the tag `latest`, which is the default without a digest; else `IfNotPresent`.
fn pull_policy(image: &str) -> &'static str {
    let (name, digest) = image.split_once('@').map_or((image, false), |(name, _)| (name, true));
    let last = name.rsplit('/').next().unwrap_or(name);
    match last.split_once(':') {
        Some((_, "latest")) => "Always",
        None if !digest => "Always",
        _ => "IfNotPresent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kubernetes::schema;

    #[test]
    fn every_row_names_a_field_of_the_schema() {
        let fields = DEFAULTS.iter().map(|row| (row.0, row.1));
        let policies = PULL_POLICIES.iter().map(|row| (row.0, row.1));
        let pointers =
            POINTERS.iter().flat_map(|(of, fields)| fields.iter().map(|field| (*of, *field)));
        for (of, field) in fields.chain(policies).chain(ALWAYS.iter().copied()).chain(pointers) {
            let found = schema::find(of).unwrap_or_else(|| panic!("no type {of}"));
            assert!(field == "*" || found.field(field).is_some(), "{of}.{field}");
        }
    }

    /// `parsers.ParseImageName`: without a tag and a digest the tag is `latest`.
    #[test]
    fn the_pull_policy_follows_the_tag() {
        for (image, policy) in [
            ("app", "Always"),
            ("app:latest", "Always"),
            ("localhost:5000/app", "Always"),
            ("localhost:5000/app:1.2", "IfNotPresent"),
            ("app@sha256:0123", "IfNotPresent"),
            ("app:latest@sha256:0123", "Always"),
        ] {
            assert_eq!(pull_policy(image), policy, "{image}");
        }
    }
}
