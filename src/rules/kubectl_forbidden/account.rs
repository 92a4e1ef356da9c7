//! The ServiceAccount of a pod, and what binds roles to it.

use job_lifecycle::Object;
use yaml_spans::Node;

use super::grants::{Grant, named_in};
use crate::{command::Command, mentions::GROUPS, workload::Subject};

/// The ServiceAccount that a pod runs as.
pub(super) struct Account<'a> {
    pub name: &'a str,
    /// Where the pod names it; `None` for `default` that nobody writes.
    pub written: Option<&'a Node>,
    /// The object that makes it, if it is in the unit.
    pub object: Option<&'a Object>,
}

/// The account of each namespace, which pods get that name none.
pub(super) const DEFAULT: &str = "default";

impl<'a> Account<'a> {
    /// The account of a workload; `None` if the manifests do not decide which one its `kubectl` uses.
    pub(super) fn of(job: &'a Subject<'_>, objects: &[&'a Object]) -> Option<Self> {
        let context = job.context;
        let is_open = context.from_chart()
            && (context.incomplete || context.tried || context.enabled || context.deprecated);
        let fields = ["serviceAccountName", "serviceAccount"];
        let written = fields.iter().filter_map(|field| job.pod.set(field)).find(|one| {
            // The API server takes an empty name for none.
            one.as_str() != Some("")
        });
        let name = written.map_or(Some(DEFAULT), Node::as_str)?;
        let is_own = |one: &&Object| one.kind() == "ServiceAccount" && one.name() == Some(name);
        let object = objects.iter().copied().find(is_own);
        let own = Self { name, written, object };
        let is_known = !is_open && own.is_stated(job) && own.is_here(job) && own.is_mounted(job);
        (is_known && !job.commands().iter().any(signs_in)).then_some(own)
    }

    /// Whether the name is that of an account which nobody has yet to choose.
    fn is_stated(&self, job: &Subject<'_>) -> bool {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
        let origin = job.object.source.origin.as_deref();
        let is_made_up = origin.zip(self.written).is_some_and(|(origin, node)| {
            origin.is_placeholder(node.span)
                || self.object.is_none() && !origin.inputs(node.span).is_empty()
        });
        // `{{- with .Values.serviceAccount }}`
        let may_be_set = job.context.from_chart()
            && self.written.is_none()
            && origin.is_some_and(|origin| {
                let template = origin.written(job.object.root.span).at.source;
                template.text.contains("serviceAccount")
            });
        self.name.chars().all(is_name) && !is_made_up && !may_be_set
    }

    /// Whether the unit makes it in the namespace of the pod, or Kubernetes does.
    fn is_here(&self, job: &Subject<'_>) -> bool {
        let is_other = |object: &Object| differ(object.namespace(), job.object.namespace());
        match self.object {
            Some(object) => !is_other(object),
            None => self.name == DEFAULT,
        }
    }

    /// Whether the pod gets the token of the account, and only that.
    fn is_mounted(&self, job: &Subject<'_>) -> bool {
        const FIELD: &str = "automountServiceAccountToken";
        let object = self.object.and_then(|object| object.root.get(FIELD));
        let own = job.pod.get(FIELD).or(object);
        own.is_none_or(Node::is_true) && !job.all_containers().any(has_kubeconfig)
    }

    /// What binds roles to the account in the unit; `None` if a role is not there, or is put together in the cluster.
    pub(super) fn grants(&self, objects: &[&'a Object]) -> Option<Vec<Grant<'a>>> {
        let bindings = objects.iter().copied().filter(|one| one.is_binding());
        let own = bindings.filter(|one| self.is_named_by(one));
        own.map(|binding| Grant::of(binding, objects)).collect()
    }

    fn is_named_by(&self, binding: &Object) -> bool {
        binding.subjects().any(|name| {
            name.rsplit(':').next() == Some(self.name)
                || GROUPS.iter().any(|group| name.starts_with(group))
        })
    }
}

/// Whether two namespaces are stated, and differ.
pub(super) fn differ(one: Option<&str>, other: Option<&str>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one != other)
}

/// Whether a container gets a kubeconfig or a token from elsewhere.
fn has_kubeconfig(container: &Node) -> bool {
    let items = |key| container.get(key).map(Node::items).unwrap_or_default().iter();
    let is_of_config = |text: &str| {
        let text = text.to_ascii_lowercase();
        [".kube", "kubeconfig", "kube_config", "secrets/kubernetes.io"]
            .iter()
            .any(|one| text.contains(one))
    };
    let mut mounts = items("volumeMounts").flat_map(|mount| {
        [named_in(mount, "mountPath"), named_in(mount, "subPath"), named_in(mount, "name")]
    });
    let mut variables = items("env").filter_map(|one| one.get("name")?.as_str());
    mounts.any(|one| one.is_some_and(is_of_config))
        || variables.any(|name| {
            is_of_config(name) || name.starts_with("KUBERNETES_") || name == "KUBECTL_TOKEN"
        })
}

/// What writes or chooses a kubeconfig, or leads to another cluster or user.
const SIGNING_IN: [&str; 16] = [
    "KUBECONFIG",
    "kubeconfig",
    ".kube/",
    "config set",
    "config use-context",
    "get-credentials",
    "oc login",
    "tsh ",
    "--as=",
    "--as ",
    "--context",
    "--server",
    "--token",
    "--user=",
    "minikube",
    "kind create",
];

/// Whether a script signs in by itself.
fn signs_in(command: &Command<'_>) -> bool {
    let mut scripts = command.scripts(true);
    scripts.any(|(_, text)| SIGNING_IN.iter().any(|one| text.contains(one)))
}
