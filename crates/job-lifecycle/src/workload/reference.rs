//! The objects that a pod references and may not start without.

use yaml_spans::{Node, Span};

use super::pod_path;
use crate::object::Object;

/// A reference from a pod to another object in its namespace.
#[derive(Clone, Copy, Debug)]
pub struct Reference<'a> {
    /// Kind of the object: `ServiceAccount`, `ConfigMap`, `Secret`, `PersistentVolumeClaim`.
    pub kind: &'static str,
    /// Name of the object.
    pub name: &'a str,
    /// The value in the manifest that names it.
    pub span: Span,
    /// `optional: true`: the pod starts without it.
    pub is_optional: bool,
}

/// The field that holds a reference, the field inside it with the name, and the kind of the object.
type Field = (&'static str, &'static str, &'static str);

const VOLUMES: &[Field] = &[
    ("configMap", "name", "ConfigMap"),
    ("secret", "secretName", "Secret"),
    ("persistentVolumeClaim", "claimName", "PersistentVolumeClaim"),
];
const PROJECTED: &[Field] = &[("configMap", "name", "ConfigMap"), ("secret", "name", "Secret")];
const VALUES: &[Field] =
    &[("configMapKeyRef", "name", "ConfigMap"), ("secretKeyRef", "name", "Secret")];
const SOURCES: &[Field] = &[("configMapRef", "name", "ConfigMap"), ("secretRef", "name", "Secret")];

/// The objects that the pods of a Job, CronJob or Pod reference, without duplicates: the ServiceAccount, and
/// the sources of volumes and environment variables.
pub fn references(object: &Object) -> Vec<Reference<'_>> {
    pod_path(object).and_then(|path| object.root.at(path)).map(references_of).unwrap_or_default()
}

/// The objects that a PodSpec references, without duplicates.
pub fn references_of(pod: &Node) -> Vec<Reference<'_>> {
    let mut found = Vec::new();
    let account = ["serviceAccountName", "serviceAccount"].iter().find_map(|key| pod.set(key));
    found.extend(account.and_then(|node| reference("ServiceAccount", node, None)));
    for volume in items(pod.get("volumes")) {
        found.extend(named(volume, VOLUMES));
        for source in items(volume.at(&["projected", "sources"])) {
            found.extend(named(source, PROJECTED));
        }
    }
    for container in containers(pod) {
        found.extend(values(container).flat_map(|value| named(value, VALUES)));
        found.extend(items(container.get("envFrom")).iter().flat_map(|one| named(one, SOURCES)));
    }
    let mut seen = Vec::new();
    found.retain(|one: &Reference<'_>| {
        let key = (one.kind, one.name, one.is_optional);
        let is_new = !seen.contains(&key);
        seen.push(key);
        is_new
    });
    found
}

/// The keys of Secrets and ConfigMaps that a PodSpec names for environment variables and files, each with the reference to the
/// object.
pub fn keys_of(pod: &Node) -> Vec<(Reference<'_>, &Node)> {
    let variables = containers(pod).flat_map(values).flat_map(|value| sources(value, VALUES));
    let of_variables = variables.filter_map(|(of, source)| Some((of, source.get("key")?)));
    let volumes = items(pod.get("volumes")).iter().flat_map(|volume| sources(volume, VOLUMES));
    let of_files = volumes.flat_map(|(of, source)| {
        let keys = items(source.get("items")).iter().filter_map(|item| item.get("key"));
        keys.map(move |key| (of, key))
    });
    of_variables.chain(of_files).collect()
}

fn containers(pod: &Node) -> impl Iterator<Item = &Node> {
    ["initContainers", "containers"].into_iter().flat_map(|key| items(pod.get(key)))
}

/// Where the variables of a container that name a source have it.
fn values(container: &Node) -> impl Iterator<Item = &Node> {
    items(container.get("env")).iter().filter_map(|env| env.get("valueFrom"))
}

fn items(node: Option<&Node>) -> &[Node] {
    node.map(Node::items).unwrap_or_default()
}

fn named<'a>(node: &'a Node, fields: &'static [Field]) -> impl Iterator<Item = Reference<'a>> {
    sources(node, fields).map(|(of, _)| of)
}

/// The references of a node, each with what is stated about it.
fn sources<'a>(
    node: &'a Node,
    fields: &'static [Field],
) -> impl Iterator<Item = (Reference<'a>, &'a Node)> {
    fields.iter().filter_map(|(field, name, kind)| {
        let source = node.get(field)?;
        Some((reference(kind, source.set(name)?, source.get("optional"))?, source))
    })
}

fn reference<'a>(
    kind: &'static str,
    name: &'a Node,
    optional: Option<&Node>,
) -> Option<Reference<'a>> {
    let is_optional = optional.is_some_and(Node::is_true);
    let (span, name) = (name.span, name.as_str().filter(|name| !name.is_empty())?);
    Some(Reference { kind, name, span, is_optional })
}
