//! Finds what refers to a Job by its name: scripts and commands that wait for it or delete it, and access rules.

use job_lifecycle::{Object, workload::any_pod};
use yaml_spans::{Node, Value};

use crate::{scripts::holds_word, words::titled};

/// The lists that hold words of a command or names of objects.
const LISTS: [&str; 3] = ["command", "args", "resourceNames"];

/// Programs, and a part of the names of images, that ask the cluster for an object by its name.
const CLIENTS: [&str; 3] = ["kubectl", "oc", "wait"];

/// The first object that refers to a Job by its name, for the help: ``Job `clean-up` ``. In the pod of the Job itself the
/// name may be a word of another meaning, unless a client of the cluster reads it.
pub(super) fn referring(job: &Object, objects: &[Object]) -> Option<String> {
    let name = job.name()?;
    let refers = |object: &&Object| match std::ptr::eq(*object, job) {
        true => containers(job).any(|one| runs_client(one) && mentions(one, name, None)),
        false => mentions(&object.root, name, None),
    };
    objects.iter().find(refers).map(titled)
}

fn containers(job: &Object) -> impl Iterator<Item = &Node> {
    let lists = ["initContainers", "containers"];
    any_pod(job).into_iter().flat_map(move |pod| {
        lists.into_iter().filter_map(|list| pod.get(list)).flat_map(Node::items)
    })
}

/// True if the image or a word of the command names a client of the cluster.
fn runs_client(container: &Node) -> bool {
    let of_lists = ["command", "args"].into_iter().filter_map(|list| container.get(list));
    let texts = of_lists.flat_map(Node::items).chain(container.get("image"));
    let is_client = |text: &str| {
        text.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| CLIENTS.contains(&word))
    };
    texts.filter_map(Node::as_str).any(is_client)
}

/// True if a text says more than the name, or the name is a word of a command. Objects of other kinds may have the
/// same name, which is no reference.
fn mentions(node: &Node, name: &str, key: Option<&str>) -> bool {
    match &node.value {
        Value::Map(map) => map.entries.iter().any(|entry| {
            let is_label = matches!(&*entry.key, "labels" | "matchLabels" | "annotations");
            !is_label && mentions(&entry.value, name, Some(&entry.key))
        }),
        Value::Seq(items) => items.iter().any(|item| mentions(item, name, key)),
        Value::Str(text) if &**text == name => key.is_some_and(|key| LISTS.contains(&key)),
        Value::Str(text) => is_script(text) && holds_word(text, name),
        _ => false,
    }
}

/// True for a text that can name an object beside other words: `kubectl delete job NAME`, `job/NAME`.
fn is_script(text: &str) -> bool {
    text.contains(char::is_whitespace) || text.contains("job/") || text.contains("jobs/")
}
