use std::collections::HashMap;

use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    finding::{Finding, Severity},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "duplicate-entry",
    include_str!("../../rules/duplicate-entry.yaml"),
    Check::Workload(check),
);

/// A list whose entries have keys: its field, and the keys with their defaults.
type KeyedList = (&'static str, &'static [(&'static str, &'static str)]);

/// The lists of a pod whose duplicates only server-side apply refuses; of the others the API server refuses them in
/// any case. Source: `x-kubernetes-list-map-keys` in the OpenAPI description of batch/v1, Kubernetes 1.36.
const OF_PODS: &[KeyedList] =
    &[("imagePullSecrets", &[("name", "")]), ("hostAliases", &[("ip", "")])];

/// Those of a container.
const OF_CONTAINERS: &[KeyedList] =
    &[("env", &[("name", "")]), ("ports", &[("containerPort", ""), ("protocol", "TCP")])];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let verdicts = job.context.judge(|deployer| {
        let text = "server-side apply rejects it: `duplicate entries for key`";
        deployer.applies_server_side().then(|| (Severity::Error, text.to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    let pod = std::iter::once((job.pod, OF_PODS));
    let containers = job.all_containers().map(|container| (container, OF_CONTAINERS));
    for (parent, lists) in pod.chain(containers) {
        for (field, keys) in lists {
            for (first, again, name) in duplicates(parent.get(field), keys) {
                let message =
                    format!("{} will be rejected: `{field}` has `{name}` twice", job.title());
                let finding = Finding::new(again.span, format!("`{name}` is in `{field}` already"));
                let finding = finding.message(message).label(first.span, "the first one");
                found.push(finding.deployers(verdicts.clone()));
            }
        }
    }
}

/// The nodes that write the first key of two entries with the same keys, and that key.
fn duplicates<'a>(
    list: Option<&'a Node>,
    keys: &[(&str, &str)],
) -> Vec<(&'a Node, &'a Node, String)> {
    let mut known: HashMap<Vec<String>, &Node> = HashMap::new();
    let mut found = Vec::new();
    for entry in list.map(Node::items).unwrap_or_default() {
        let Some(written) = keys.first().and_then(|(key, _)| entry.get(key)) else { continue };
        let own: Vec<String> =
            keys.iter().map(|(key, default)| text(entry, key, default)).collect();
        let name = own[0].clone();
        match known.get(&own) {
            Some(first) => found.push((*first, written, name)),
            None => {
                known.insert(own, written);
            }
        }
    }
    found
}

/// The text of a key that is a string or a number, or its default.
fn text(entry: &Node, key: &str, default: &str) -> String {
    let Some(value) = entry.get(key) else { return default.to_owned() };
    let number = || value.as_int().map(|number| number.to_string());
    value.as_str().map(str::to_owned).or_else(number).unwrap_or_default()
}
