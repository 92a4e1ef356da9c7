use job_lifecycle::{Object, Tool};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule =
    Rule::new("pod-hook", include_str!("../../rules/pod-hook.yaml"), Check::Object(check));

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    if (object.api_version(), object.kind()) != ("v1", "Pod") {
        return;
    }
    let verdicts = context.judge(|deployer| {
        context.hook(object, deployer).filter(|hook| !hook.is_test())?;
        let text = match deployer.tool {
            Tool::Argocd => "one failure of the pod fails the sync",
            _ => "one failure of the pod fails the release",
        };
        Some((Severity::Warning, text.to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    if let Some(kind) = object.root.get("kind") {
        let label = "no controller retries this pod or removes it";
        let message =
            format!("one failure of {} fails the deploy: nothing retries it", titled(object));
        found.push(Finding::new(kind.span, label).message(message).deployers(verdicts));
    }
}
