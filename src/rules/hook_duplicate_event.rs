use job_lifecycle::{Object, Tool, annotations::HELM_HOOK, deploy::AnnotationList};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, PerDeployer, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-duplicate-event",
    include_str!("../../rules/hook-duplicate-event.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(list) = AnnotationList::of(object, HELM_HOOK) else { return };
    // Argo CD reads the events as a set.
    let verdicts = context.judge(|deployer| {
        let hook = context.hook(object, deployer).filter(|_| deployer.tool != Tool::Argocd)?;
        let text = match (hook.is_recreated(), deployer.tool) {
            (true, _) => "runs the hook twice for this event",
            (false, Tool::Helm3) => {
                "creates the hook twice for this event, and fails: `already exists`"
            }
            (false, _) => "applies the hook to its finished run for this event",
        };
        Some((Severity::Warning, text.to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    let hooks = context.deployers.iter().filter_map(|one| context.hook(object, one));
    // Nothing deletes the first before the second.
    let meets_itself = hooks.into_iter().all(|hook| !hook.is_recreated());
    let (what, does) = match meets_itself {
        true => ("is created twice", "creates"),
        false => ("runs twice", "runs"),
    };
    for (index, token) in list.tokens.iter().enumerate() {
        let event = canonical(&token.text);
        if list.tokens[..index].iter().all(|earlier| canonical(&earlier.text) != event) {
            continue;
        }
        let label = match event == token.text.to_lowercase() {
            true => format!("`{event}` stands here twice: the hook {what}"),
            false => format!("`{}` is another name of `{event}`: the hook {what}", token.text),
        };
        let subject = PerDeployer::subject(&verdicts);
        let message = format!("{subject} {does} {} twice at `{event}`", titled(object));
        let finding = Finding::new(token.span, label).message(message).deployers(verdicts.clone());
        let edit = list.remove(token);
        found.push(finding.fix_if("remove the second one", Applicability::Unsafe, edit));
    }
}

/// The event in lower case; aliases become one name.
fn canonical(token: &str) -> String {
    let event = token.to_lowercase();
    if event == "test-success" { "test".to_owned() } else { event }
}
