use std::collections::HashMap;

use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    finding::{Finding, PerDeployer, Severity},
    words::joined,
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
        let severity = if deployer.assumed { Severity::Warning } else { Severity::Error };
        deployer.applies_server_side().then(|| (severity, text.to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    let pod = std::iter::once((job.pod, OF_PODS));
    let containers = job.all_containers().map(|container| (container, OF_CONTAINERS));
    for (parent, lists) in pod.chain(containers) {
        for (field, keys) in lists {
            let all = duplicates(parent.get(field), keys);
            let Some((first, again, name)) = all.first() else { continue };
            let names: Vec<_> = all.iter().map(|(.., name)| format!("`{name}`")).collect();
            let by = PerDeployer::subject(&verdicts);
            let (title, twice) = (job.title(), joined(&names));
            let message = format!("{by} cannot apply {title}: `{field}` has {twice} twice");
            let label = format!("`{name}` is in `{field}` already");
            let mut finding = Finding::new(again.key.span, label)
                .message(message)
                .label(first.key.span, "the first one")
                .deployers(verdicts.clone());
            for (_, again, name) in all.iter().skip(1) {
                finding = finding.label(again.key.span, format!("so is `{name}`"));
            }
            if let Some(key) = left_out(first.entry, again.entry, keys) {
                finding = finding.help(format!("set `{key}` in one of the entries"));
            }
            found.push(finding);
        }
    }
}

/// An entry of a list, and the value of its first key.
#[derive(Clone, Copy)]
struct Keyed<'a> {
    entry: &'a Node,
    key: &'a Node,
}

/// The pairs of entries with the same keys, and the text of the first key.
fn duplicates<'a>(
    list: Option<&'a Node>,
    keys: &[(&str, &str)],
) -> Vec<(Keyed<'a>, Keyed<'a>, String)> {
    let mut known: HashMap<Vec<String>, Keyed<'_>> = HashMap::new();
    let mut found = Vec::new();
    for entry in list.map(Node::items).unwrap_or_default() {
        let Some(key) = keys.first().and_then(|(key, _)| entry.get(key)) else { continue };
        let own: Vec<String> =
            keys.iter().map(|(key, default)| text(entry, key, default)).collect();
        let name = own[0].clone();
        match known.get(&own) {
            Some(first) => found.push((*first, Keyed { entry, key }, name)),
            None => {
                known.insert(own, Keyed { entry, key });
            }
        }
    }
    found
}

/// The key that two entries leave to its default, if they have different names: each is meant to be there.
fn left_out<'k>(first: &Node, again: &Node, keys: &[(&'k str, &str)]) -> Option<&'k str> {
    let name = |entry: &Node| entry.get("name").and_then(Node::as_str).map(str::to_owned);
    let (key, _) = keys.get(1)?;
    let is_meant =
        name(first) != name(again) && first.get(key).is_none() && again.get(key).is_none();
    is_meant.then_some(key)
}

/// The text of a key that is a string or a number, or its default.
fn text(entry: &Node, key: &str, default: &str) -> String {
    let Some(value) = entry.get(key) else { return default.to_owned() };
    let number = || value.as_int().map(|number| number.to_string());
    value.as_str().map(str::to_owned).or_else(number).unwrap_or_default()
}
