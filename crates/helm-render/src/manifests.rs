//! Manifests in the output of templates: splitting, heads, hooks, order. Helm `pkg/release/v1/util`
//! (4), `pkg/releaseutil` (3).

use std::ops::Range;

use yaml_spans::{Document, ParseError};

use crate::{
    HelmVersion,
    decode::{Decoder, decode},
    documents::BadDocument,
};

/// The fields of a manifest that Helm reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Head {
    /// `apiVersion`.
    pub api_version: String,
    /// `kind`.
    pub kind: String,
    /// `metadata.name`.
    pub name: String,
    /// Sorted by key; empty without metadata.
    pub annotations: Vec<(String, String)>,
}

/// The annotations that make a manifest a hook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hook {
    /// In the order of the annotation, with duplicates.
    pub events: Vec<Event>,
    /// `helm.sh/hook-weight`; 0 if missing or not an integer.
    pub weight: i64,
    /// `helm.sh/hook-delete-policy`, split and in lower case.
    pub delete_policies: Vec<String>,
    /// `helm.sh/hook-output-log-policy`, split and in lower case.
    pub output_log_policies: Vec<String>,
}

/// When a hook runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// `pre-install`
    PreInstall,
    /// `post-install`
    PostInstall,
    /// `pre-delete`
    PreDelete,
    /// `post-delete`
    PostDelete,
    /// `pre-upgrade`
    PreUpgrade,
    /// `post-upgrade`
    PostUpgrade,
    /// `pre-rollback`
    PreRollback,
    /// `post-rollback`
    PostRollback,
    /// `test`, or `test-success` of Helm 2
    Test,
}

/// The known events. Helm drops a manifest with any other event.
const EVENTS: [(&str, Event); 10] = [
    ("pre-install", Event::PreInstall),
    ("post-install", Event::PostInstall),
    ("pre-delete", Event::PreDelete),
    ("post-delete", Event::PostDelete),
    ("pre-upgrade", Event::PreUpgrade),
    ("post-upgrade", Event::PostUpgrade),
    ("pre-rollback", Event::PreRollback),
    ("post-rollback", Event::PostRollback),
    ("test", Event::Test),
    ("test-success", Event::Test),
];

/// `InstallOrder`; only Helm 4 knows the last two.
const INSTALL_ORDER: [&str; 38] = [
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// The number of entries of [`INSTALL_ORDER`] that Helm 3 knows.
const KNOWN_TO_V3: usize = 36;

/// The sort key of a kind: known kinds in install order, then the others by name.
pub(crate) fn rank(kind: &str, version: HelmVersion) -> (usize, &str) {
    let known = match version {
        HelmVersion::V3 => &INSTALL_ORDER[..KNOWN_TO_V3],
        HelmVersion::V4 => &INSTALL_ORDER[..],
    };
    match known.iter().position(|other| *other == kind) {
        Some(index) => (index, ""),
        None => (known.len(), kind),
    }
}

/// The documents of a file, in order, trimmed as Helm trims them.
pub(crate) fn split(text: &str, version: HelmVersion) -> Vec<Range<usize>> {
    match version {
        HelmVersion::V3 => split_v3(text),
        HelmVersion::V4 => split_v4(text),
    }
}

/// Splits at `(?m)^---[ \t]*`; trailing space stays.
fn split_v4(text: &str) -> Vec<Range<usize>> {
    let from = text.len() - text.trim_start().len();
    let mut documents = Vec::new();
    let mut start = from;
    for at in memchr::memmem::find_iter(text.as_bytes(), "---") {
        if at >= start && (at == from || text.as_bytes()[at - 1] == b'\n') {
            documents.push(start..at);
            let rest = &text[at + 3..];
            start = text.len() - rest.trim_start_matches([' ', '\t']).len();
        }
    }
    documents.push(start..text.len());
    let trim = |range: Range<usize>| {
        let document = &text[range.clone()];
        range.end - document.trim_start().len()..range.end
    };
    documents.into_iter().map(trim).filter(|range| !range.is_empty()).collect()
}

/// Splits at `(?:^|\s*\n)---\s*`; the white space of one separator can swallow the next separator.
fn split_v3(text: &str) -> Vec<Range<usize>> {
    const SPACE: [char; 5] = ['\t', '\n', '\x0C', '\r', ' '];
    let from = text.len() - text.trim_start().len();
    let end = text.trim_end().len().max(from);
    let mut documents = Vec::new();
    let mut start = from;
    let mut next = from;
    while let Some(at) = memchr::memmem::find(&text.as_bytes()[next..end], b"---") {
        let at = next + at;
        next = at + 1;
        let before = &text[start..at];
        let is_separator = at == from || before.ends_with('\n');
        if !is_separator {
            continue;
        }
        documents.push(start..start + before.trim_end_matches(SPACE).len());
        let rest = &text[at + 3..end];
        start = end - rest.trim_start_matches(SPACE).len();
        next = start;
    }
    documents.push(start..end);
    let trim = |range: Range<usize>| {
        let document = &text[range.clone()];
        let begin = range.end - document.trim_start().len();
        begin..(begin + document.trim().len())
    };
    let is_kept = |range: &Range<usize>| !range.is_empty();
    documents.into_iter().filter(is_kept).map(trim).collect()
}

impl Head {
    /// Reads the head of a manifest.
    pub(crate) fn of(
        manifest: &[Result<Document, ParseError>],
        version: HelmVersion,
    ) -> Result<Self, BadHead> {
        let Some(first) = manifest.first() else { return Ok(Self::default()) };
        let first = first.as_ref().map_err(|error| BadHead::Syntax(error.clone().into()))?;
        let go_type = match version {
            HelmVersion::V3 => "releaseutil.SimpleHead",
            HelmVersion::V4 => "util.SimpleHead",
        };
        decode(go_type, &first.root, Self::from_fields).map_err(BadHead::Type)
    }

    fn from_fields(from: &mut Decoder<'_, '_>) -> Self {
        let api_version = from.string("apiVersion").unwrap_or_default();
        let kind = from.string("kind").unwrap_or_default();
        let metadata = from.pointer("metadata", METADATA, |from| {
            let mut annotations = None;
            from.string_map("annotations", &mut annotations);
            (from.string("name").unwrap_or_default(), annotations.unwrap_or_default())
        });
        let (name, annotations) = metadata.unwrap_or_default();
        Self { api_version, kind, name, annotations }
    }

    /// The value of an annotation.
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.annotations.iter().find(|(other, _)| other == key).map(|(_, text)| &**text)
    }

    /// The hook that the annotations declare. The error is an annotation with an unknown event.
    pub(crate) fn hook(&self) -> Option<Result<Hook, &str>> {
        let text = self.annotation("helm.sh/hook")?;
        let event = |name: &str| {
            let name = name.trim().to_lowercase();
            EVENTS.iter().find(|(known, _)| *known == name).map(|(_, event)| *event)
        };
        let Some(events) = text.split(',').map(event).collect() else { return Some(Err(text)) };
        let weight = self.annotation("helm.sh/hook-weight").and_then(|text| text.parse().ok());
        Some(Ok(Hook {
            events,
            weight: weight.unwrap_or(0),
            delete_policies: self.list("helm.sh/hook-delete-policy"),
            output_log_policies: self.list("helm.sh/hook-output-log-policy"),
        }))
    }

    fn list(&self, key: &str) -> Vec<String> {
        let Some(text) = self.annotation(key) else { return Vec::new() };
        text.split(',').map(|item| item.trim().to_lowercase()).collect()
    }
}

/// The Go type of the metadata, as error messages show it.
const METADATA: &str = "struct { Name string \"json:\\\"name\\\"\"; \
    Annotations map[string]string \"json:\\\"annotations\\\"\" }";

/// Why a head cannot be read.
#[derive(Debug)]
pub(crate) enum BadHead {
    Syntax(BadDocument),
    Type(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str, version: HelmVersion) -> Vec<&str> {
        split(text, version).into_iter().map(|range| &text[range]).collect()
    }

    /// Observed with `helm template` 3.22.0 and 4.3.1.
    #[test]
    fn splits_like_helm() {
        let text = "\n---\na: 1\n\n--- # x\nb: 2\n---\n\n---\nc: 3  \n";
        assert_eq!(texts(text, HelmVersion::V4), ["a: 1\n\n", "# x\nb: 2\n", "c: 3  \n"]);
        assert_eq!(texts(text, HelmVersion::V3), ["a: 1", "# x\nb: 2", "---\nc: 3"]);
        assert_eq!(texts("a: |\n  ---\n  b", HelmVersion::V4), ["a: |\n  ---\n  b"]);
        assert_eq!(texts("  a: 1\n  b: 2\n", HelmVersion::V4), ["a: 1\n  b: 2\n"]);
    }
}
