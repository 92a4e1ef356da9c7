//! The kinds of Kubernetes that rules of roles name, by group and plural (`kubectl api-resources`).

use shell_effects::DeletedObject;

/// A built-in kind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// The API group; empty for the core.
    pub group: &'static str,
    /// The name in rules: `pods`.
    pub plural: &'static str,
    /// The kind in lower case.
    singular: &'static str,
    /// Whether its objects are in no namespace.
    pub is_of_cluster: bool,
}

/// The kind that a word of a command names: `deploy`, `deployments.apps`.
pub(super) fn kind(word: &str) -> Option<&'static Kind> {
    let named = DeletedObject { resource: word.to_owned(), name: String::new() };
    let found = KINDS.iter().find(|kind| named.is_kind(kind.singular))?;
    let group = word.split_once('.').map(|(_, group)| group.trim_start_matches("v1."));
    group.is_none_or(|group| group == found.group || group == "v1").then_some(found)
}

const fn of(group: &'static str, singular: &'static str, plural: &'static str) -> Kind {
    Kind { group, plural, singular, is_of_cluster: false }
}

const fn of_cluster(group: &'static str, singular: &'static str, plural: &'static str) -> Kind {
    Kind { group, plural, singular, is_of_cluster: true }
}

pub(super) static PODS: Kind = of("", "pod", "pods");

static KINDS: [Kind; 26] = [
    of("", "pod", "pods"),
    of("", "configmap", "configmaps"),
    of("", "endpoints", "endpoints"),
    of("", "limitrange", "limitranges"),
    of("", "persistentvolumeclaim", "persistentvolumeclaims"),
    of("", "replicationcontroller", "replicationcontrollers"),
    of("", "resourcequota", "resourcequotas"),
    of("", "secret", "secrets"),
    of("", "service", "services"),
    of("", "serviceaccount", "serviceaccounts"),
    of_cluster("", "namespace", "namespaces"),
    of_cluster("", "node", "nodes"),
    of_cluster("", "persistentvolume", "persistentvolumes"),
    of_cluster("apiextensions.k8s.io", "customresourcedefinition", "customresourcedefinitions"),
    of("apps", "daemonset", "daemonsets"),
    of("apps", "deployment", "deployments"),
    of("apps", "replicaset", "replicasets"),
    of("apps", "statefulset", "statefulsets"),
    of("autoscaling", "horizontalpodautoscaler", "horizontalpodautoscalers"),
    of("batch", "cronjob", "cronjobs"),
    of("batch", "job", "jobs"),
    of("networking.k8s.io", "ingress", "ingresses"),
    of("networking.k8s.io", "networkpolicy", "networkpolicies"),
    of("policy", "poddisruptionbudget", "poddisruptionbudgets"),
    of_cluster("scheduling.k8s.io", "priorityclass", "priorityclasses"),
    of_cluster("storage.k8s.io", "storageclass", "storageclasses"),
];

#[cfg(test)]
mod tests {
    use super::{Kind, kind};

    #[test]
    fn kinds_by_short_name_plural_and_group() {
        let plural = |word| kind(word).map(|kind: &Kind| kind.plural);
        assert_eq!(plural("deploy"), Some("deployments"));
        assert_eq!(plural("Deployment.apps"), Some("deployments"));
        assert_eq!(plural("jobs.v1.batch"), Some("jobs"));
        assert_eq!(plural("crd"), Some("customresourcedefinitions"));
        assert_eq!(plural("ingresses"), Some("ingresses"));
        assert_eq!(plural("services.serving.knative.dev"), None);
        assert_eq!(plural("certificates"), None);
    }
}
