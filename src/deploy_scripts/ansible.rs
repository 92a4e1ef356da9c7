//! Jobs that tasks of Ansible remove before they deploy.
//!
//! Source: <https://docs.ansible.com/ansible/latest/collections/kubernetes/core/k8s_module.html>.

use std::path::Path;

use job_lifecycle::Object;
use yaml_spans::Node;

use super::names::is_like;
use crate::mentions::Names;

/// Whether a list of tasks in the repository removes a Job, and deploys something afterwards.
pub(crate) fn removes(job: &Object, names: Option<Names<'_>>) -> bool {
    let Some(name) = job.name().filter(|_| job.kind() == "Job") else { return false };
    let is_it = |path: &Path, text: &str| {
        let is_list = path.extension().is_some_and(|end| end == "yml" || end == "yaml");
        is_list && text.contains("absent") && text.contains("Job") && tasks_remove(text, name)
    };
    names.and_then(|names| names.file(is_it)).is_some()
}

fn tasks_remove(text: &str, name: &str) -> bool {
    let documents = yaml_spans::parse(text);
    documents.iter().flatten().any(|document| {
        let mut found = Found::default();
        walk(&document.root, name, &mut found);
        found.deploys_after
    })
}

#[derive(Default)]
struct Found {
    removes: bool,
    deploys_after: bool,
}

/// Goes through the tasks in their order, and those of plays and blocks.
fn walk(tasks: &Node, name: &str, found: &mut Found) {
    for task in tasks.items() {
        for entry in task.entries() {
            let module = entry.key.rsplit('.').next().unwrap_or_default();
            let state = entry.value.get("state").and_then(Node::as_str);
            match module {
                "k8s" if state == Some("absent") => {
                    found.removes |= names_job(&entry.value, task, name);
                }
                "helm" | "k8s" => found.deploys_after |= found.removes,
                "always" | "block" | "post_tasks" | "pre_tasks" | "rescue" | "tasks" => {
                    walk(&entry.value, name, found);
                }
                _ => {}
            }
        }
    }
}

/// Whether a task of the module is about a Job of a name: its own, that of its definition, or each of those that it loops over.
fn names_job(module: &Node, task: &Node, name: &str) -> bool {
    let definition = ["definition", "resource_definition"].iter().find_map(|key| module.get(key));
    let object = definition.unwrap_or(module);
    let is_job = object.get("kind").and_then(Node::as_str) == Some("Job");
    let own = object.get("name").or_else(|| object.at(&["metadata", "name"]));
    let Some(own) = own.and_then(Node::as_str).filter(|_| is_job) else { return false };
    let pattern = with_wildcards(own);
    if !pattern.trim_matches('*').is_empty() {
        return is_like(&pattern, name);
    }
    let items = ["loop", "with_items"].iter().filter_map(|key| task.get(key)).flat_map(Node::items);
    items.filter_map(Node::as_str).any(|item| item == name)
}

/// A text with `*` for each expression: `{{ release }}-migrate` is `*-migrate`.
fn with_wildcards(text: &str) -> String {
    let mut parts = text.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |pattern, part| {
        pattern + "*" + part.split_once("}}").map_or("", |(_, after)| after)
    })
}

#[cfg(test)]
mod tests {
    use super::tasks_remove;

    const DEPLOY: &str = "- kubernetes.core.helm: {name: shop, chart_ref: charts/shop}\n";

    fn removes(task: &str) -> bool {
        tasks_remove(&format!("{task}{DEPLOY}"), "shop-migrate")
    }

    #[test]
    fn a_task_removes_a_job_before_the_chart_is_deployed() {
        for task in [
            "- k8s: {state: absent, api_version: batch/v1, kind: Job, name: shop-migrate}\n",
            "- kubernetes.core.k8s: {state: absent, kind: Job, name: '{{ item }}'}\n  loop: [a, shop-migrate]\n",
            "- k8s: {state: absent, kind: Job, name: '{{ release }}-migrate'}\n",
            "- k8s: {state: absent, definition: {kind: Job, metadata: {name: shop-migrate}}}\n",
            "- block:\n    - k8s: {state: absent, kind: Job, name: shop-migrate}\n",
        ] {
            assert!(removes(task), "{task}");
        }
    }

    #[test]
    fn other_tasks_leave_it() {
        for task in [
            "- k8s: {state: present, kind: Job, name: shop-migrate}\n",
            "- k8s: {state: absent, kind: Pod, name: shop-migrate}\n",
            "- k8s: {state: absent, kind: Job, name: shop-seed}\n",
            "- k8s: {state: absent, kind: Job, name: '{{ item }}'}\n  loop: [a, b]\n",
            "- k8s: {state: absent, kind: Job, name: '{{ item }}'}\n  loop: '{{ jobs }}'\n",
            "- debug: {msg: 'kind: Job, state: absent'}\n",
        ] {
            assert!(!removes(task), "{task}");
        }
        let task = "- k8s: {state: absent, kind: Job, name: shop-migrate}\n";
        assert!(!tasks_remove(&format!("{DEPLOY}{task}"), "shop-migrate"), "it comes last");
    }
}
