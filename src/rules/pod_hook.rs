use job_lifecycle::{
    Object, Tool,
    annotations::{ARGO_DELETE_POLICY, HELM_DELETE_POLICY},
};

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
        let hook = context.hook(object, deployer).filter(|hook| !hook.is_test())?;
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
    if let Some(kind) = object.root.get("kind") {
        let label = "no controller retries this pod or removes it";
        let message =
            format!("one failure of {} fails the {event}: nothing retries it", titled(object));
        let finding = Finding::new(kind.span, label).message(message).deployers(verdicts);
        found.push(if stays(object, context) { finding.pedantic() } else { finding });
    }
}

/// Whether the pod of a failed run is in the way of the next: the delete policy is what has to change first, and
/// `stale-hook-blocks` says so.
fn stays(object: &Object, context: &Context<'_>) -> bool {
    let mut hooks = context.deployers.iter().filter_map(|one| context.hook(object, one));
    let is_stated =
        [HELM_DELETE_POLICY, ARGO_DELETE_POLICY].iter().any(|key| object.annotation(key).is_some());
    is_stated && hooks.any(|hook| !hook.is_recreated())
}
