use job_lifecycle::{Deployer, Hook, Object, Tool, workload::any_pod};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::{quoted, titled},
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-removes-lasting-object",
    include_str!("../../rules/hook-removes-lasting-object.yaml"),
    Check::Object(check),
);

/// Controllers whose pods are to run on after the deploy, or begin after it. No deployer waits for those pods.
const LASTING: [(&str, &str); 4] =
    [("batch", "CronJob"), ("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet")];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    if !LASTING.contains(&(object.group(), object.kind())) {
        return;
    }
    let Some(span) = object.root.get("kind").map(|node| node.span) else { return };
    let verdicts = context.judge(|deployer| {
        let hook = context.hook(object, deployer)?;
        if is_for_another(object, &hook, deployer, context) {
            return None;
        }
        removed(object, &hook, deployer)
    });
    let Some(worst) = verdicts.first() else { return };
    let label = format!("as a hook it {}", worst.text);
    let message = format!("{} {}", titled(object), worst.text);
    found.push(Finding::new(span, label).message(message).deployers(verdicts));
}

/// What the delete policy of a hook does to an object that is to last.
fn removed(object: &Object, hook: &Hook, deployer: &Deployer) -> Option<(Severity, String)> {
    let is_of_deploy = match deployer.tool {
        Tool::Argocd => hook.is_of_sync(),
        _ => {
            hook.events.iter().any(|event| event.ends_with("install") || event.ends_with("upgrade"))
        }
    };
    if !is_of_deploy {
        return None;
    }
    if ["hook-succeeded", "HookSucceeded"].iter().any(|policy| hook.has_policy(policy)) {
        let what =
            if object.kind() == "CronJob" { "before its first run" } else { "with its pods" };
        let text = format!("is deleted at the end of {}, {what}", quoted(&hook.events));
        return Some((Severity::Error, text));
    }
    let recreated = deployer.tool != Tool::Argocd
        && object.kind() == "StatefulSet"
        && hook.is_recreated()
        && ["pre-upgrade", "post-upgrade"].iter().any(|event| hook.listens_to(event));
    let text = "is deleted and created again at each upgrade, together with its pods";
    recreated.then(|| (Severity::Warning, text.to_owned()))
}

/// Whether a Job or Pod of the same events may work with the object: then it is to go away with them.
fn is_for_another(
    object: &Object,
    hook: &Hook,
    deployer: &Deployer,
    context: &Context<'_>,
) -> bool {
    let works = |other: &&Object| matches!(other.kind(), "Job" | "Pod") && any_pod(other).is_some();
    let shares = |other: &Object| {
        let theirs = context.hook(other, deployer);
        theirs.is_some_and(|theirs| theirs.events.iter().any(|event| hook.listens_to(event)))
    };
    context.objects.iter().filter(works).any(|other| !std::ptr::eq(other, object) && shares(other))
}
