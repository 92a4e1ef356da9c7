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
        context.hook(object, deployer).filter(|_| deployer.tool != Tool::Argocd)?;
        Some((Severity::Warning, "runs the hook twice for this event".to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    for (index, token) in list.tokens.iter().enumerate() {
        let event = canonical(&token.text);
        if list.tokens[..index].iter().all(|earlier| canonical(&earlier.text) != event) {
            continue;
        }
        let label = match event == token.text.to_lowercase() {
            true => format!("`{event}` stands here twice: the hook runs twice"),
            false => format!("`{}` is another name of `{event}`: the hook runs twice", token.text),
        };
        let subject = PerDeployer::subject(&verdicts);
        let message = format!("{subject} runs {} twice at `{event}`", titled(object));
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
