use job_lifecycle::{
    Deployer, Object, Role, Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    deploy::{ARGO_EVENTS, AnnotationList, HELM_EVENTS, from_helm},
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-never-runs-under-argocd",
    include_str!("../../rules/hook-never-runs-under-argocd.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(list) = AnnotationList::of(object, HELM_HOOK) else { return };
    let known = list.tokens.iter().all(|token| HELM_EVENTS.contains(&&*token.text));
    if !known || object.annotation(ARGO_HOOK).is_some() {
        return;
    }
    for token in &list.tokens {
        let verdicts = context.judge(|deployer| verdict(object, &token.text, deployer, context));
        if verdicts.is_empty() {
            continue;
        }
        let since = from_helm(&token.text)
            .and_then(|hook| ARGO_EVENTS.iter().find(|(name, _)| *name == hook))
            .map(|(_, since)| format!("Argo CD {}.{}", since[0], since[1]));
        let label = match since {
            Some(since) => format!("`{}` is a hook since {since}", token.text),
            None => format!("Argo CD has nothing like `{}`", token.text),
        };
        let message = match verdicts[0].text.starts_with("never") {
            true => format!("Argo CD never creates {}, a hook of `{}`", titled(object), token.text),
            false => format!("Argo CD never runs {} at `{}`", titled(object), token.text),
        };
        let finding = Finding::new(token.span, label).message(message).deployers(verdicts);
        let test = token.text.starts_with("test");
        found.push(if test { finding.pedantic() } else { finding });
    }
}

fn verdict(
    object: &Object,
    event: &str,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    if deployer.tool != Tool::Argocd {
        return None;
    }
    // A sync has no tests, so a test that never runs does no harm.
    let severity = if event.starts_with("test") { Severity::Info } else { Severity::Warning };
    match context.role(object, deployer) {
        Role::Dropped => Some((severity, "never creates the object".to_owned())),
        Role::Hook(hook) => {
            let lost = from_helm(event)
                .is_some_and(|own| own.ends_with("Delete") && !hook.listens_to(own));
            lost.then(|| (severity, format!("runs it at {} alone", hook.events.join(", "))))
        }
        Role::Plain => None,
    }
}
