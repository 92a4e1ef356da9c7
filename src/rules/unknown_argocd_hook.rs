use job_lifecycle::{
    Deployer, Object, Role, Tool,
    annotations::ARGO_HOOK,
    deploy::{ARGO_EVENTS, AnnotationList, from_helm, meant},
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, PerDeployer, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "unknown-argocd-hook",
    include_str!("../../rules/unknown-argocd-hook.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(list) = AnnotationList::of(object, ARGO_HOOK) else { return };
    if list.entry.value.as_str().is_none() {
        return;
    }
    let blank = list.is_blank();
    if blank {
        let verdicts = context.judge(|deployer| verdict(object, "", deployer, context));
        if !verdicts.is_empty() {
            let message = message(object, "", &verdicts);
            let finding =
                Finding::new(list.entry.value.span, "names no hook type").message(message);
            found.push(finding.deployers(verdicts));
        }
    }
    let names: Vec<_> = ARGO_EVENTS.iter().map(|(name, _)| *name).collect();
    for token in list.tokens.iter().filter(|token| !token.text.is_empty()) {
        let text = &*token.text;
        let verdicts = context.judge(|deployer| verdict(object, text, deployer, context));
        if verdicts.is_empty() {
            continue;
        }
        let known = ARGO_EVENTS.iter().find(|(name, _)| *name == text);
        let near = from_helm(text).or_else(|| meant(text, &names)).filter(|_| known.is_none());
        let label = match (known, near) {
            (Some((_, since)), _) => {
                format!("`{text}` came with Argo CD {}.{}", since[0], since[1])
            }
            (None, Some(near)) => format!("`{text}` is no hook type, did you mean `{near}`?"),
            (None, None) => format!("`{text}` is no hook type"),
        };
        let edit = near.and_then(|near| list.replace(token, near));
        let title = format!("use `{}`", near.unwrap_or_default());
        let message = message(object, text, &verdicts);
        let finding = Finding::new(token.span, label).message(message).deployers(verdicts);
        found.push(finding.fix_if(title, Applicability::Unsafe, edit));
    }
}

fn message(object: &Object, event: &str, verdicts: &[PerDeployer]) -> String {
    let never = verdicts.iter().any(|one| one.severity == Severity::Error);
    let title = titled(object);
    match (event, never) {
        ("", _) => format!("Argo CD never creates {title}: its hook type is empty"),
        (_, true) => format!("Argo CD never creates {title}: it does not know `{event}`"),
        (_, false) => format!("Argo CD ignores hook type `{event}` of {title}"),
    }
}

fn verdict(
    object: &Object,
    event: &str,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let known = ARGO_EVENTS.iter().any(|(name, since)| *name == event && deployer.since(since));
    if deployer.tool != Tool::Argocd || known {
        return None;
    }
    Some(match context.role(object, deployer) {
        Role::Hook(hook) => {
            let text = format!("ignores it; the hook is {}", hook.events.join(" and "));
            (Severity::Warning, text)
        }
        Role::Dropped | Role::Plain => {
            (Severity::Error, "never creates the object, and the app stays Synced".to_owned())
        }
    })
}
