use job_lifecycle::{Object, Tool};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule =
    Rule::new("pod-hook", include_str!("../../rules/pod-hook.yaml"), Check::Object(check));

/// The events of an uninstall, in the words of Helm and of Argo CD.
const REMOVAL: &[&str] = &["pre-delete", "post-delete", "PreDelete", "PostDelete"];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    if (object.api_version(), object.kind()) != ("v1", "Pod") {
        return;
    }
    let verdicts = context.judge(|deployer| {
        let hook = context.hook(object, deployer)?;
        // A retry would test twice.
        if hook.is_test() || hook.listens_to("test") {
            return None;
        }
        let text = match deployer.tool {
            Tool::Argocd => "one failure of the pod fails the sync",
            _ if hook.only(REMOVAL) => "one failure of the pod fails the uninstall",
            _ => "one failure of the pod fails the release",
        };
        Some((Severity::Warning, text.to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    let mut hooks = context.deployers.iter().filter_map(|one| context.hook(object, one));
    let event = if hooks.all(|hook| hook.only(REMOVAL)) { "uninstall" } else { "deploy" };
    let Some(kind) = object.root.get("kind") else { return };
    let (label, message) = match is_restarted(object) {
        true => (
            "no controller makes this pod anew when its node is lost",
            format!("{} is lost with its node: nothing makes it anew", titled(object)),
        ),
        false => (
            "no controller retries this pod",
            format!("one failure of {} fails the {event}: nothing retries it", titled(object)),
        ),
    };
    found.push(Finding::new(kind.span, label).message(message).deployers(verdicts));
}

/// Whether the kubelet starts the containers again in the same pod.
/// <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy>
fn is_restarted(object: &Object) -> bool {
    let policy = object.root.at(&["spec", "restartPolicy"]).and_then(Node::as_str);
    policy != Some("Never")
}
