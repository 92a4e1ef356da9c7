use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    deploy::AnnotationList,
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "install-and-upgrade-merge",
    include_str!("../../rules/install-and-upgrade-merge.yaml"),
    Check::Object(check),
);

/// Helm events that Argo CD maps to the same phase.
const PAIRS: [(&str, &str); 2] = [("pre-install", "pre-upgrade"), ("post-install", "post-upgrade")];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(list) = AnnotationList::of(object, HELM_HOOK) else { return };
    let runs = matches!((object.group(), object.kind()), ("batch", "Job") | ("", "Pod"));
    if object.annotation(ARGO_HOOK).is_some() || !runs {
        return;
    }
    let hook = |deployer: &Deployer| {
        context.hook(object, deployer).filter(|_| deployer.tool == Tool::Argocd)
    };
    let has = |event: &str| list.tokens.iter().any(|token| token.text == event);
    let both = |hook: &Hook| hook.listens_to("PreSync") && hook.listens_to("PostSync");
    if has("post-install") && has("pre-upgrade") && !has("pre-install") && !has("post-upgrade") {
        let verdicts = context.judge(|deployer| {
            let hook = hook(deployer).filter(both);
            hook.map(|_| (Severity::Warning, "runs it twice in every sync".to_owned()))
        });
        if !verdicts.is_empty() {
            let label = "Argo CD runs it before and after every sync, also before the first";
            let message = format!("Argo CD runs {} twice in every sync", titled(object));
            let finding = Finding::new(list.entry.value.span, label).message(message);
            found.push(finding.deployers(verdicts));
        }
        return;
    }
    for (index, token) in list.tokens.iter().enumerate() {
        let alone = PAIRS.iter().find_map(|(install, upgrade)| match &*token.text {
            event if event == *install && !has(upgrade) => Some(true),
            event if event == *upgrade && !has(install) => Some(false),
            _ => None,
        });
        let again = list.tokens[..index].iter().any(|earlier| earlier.text == token.text);
        let Some(install) = alone.filter(|_| !again) else { continue };
        let verdicts = context.judge(|deployer| {
            hook(deployer).map(|_| (Severity::Info, "runs it at every sync".to_owned()))
        });
        if verdicts.is_empty() {
            continue;
        }
        let label = match install {
            true => "Argo CD runs it at every sync, not at the first alone",
            false => "Argo CD runs it at every sync, the first one too",
        };
        let message = match install {
            true => format!("Argo CD runs {} at every sync, not only at the first", titled(object)),
            false => format!("Argo CD runs {} at every sync, even at the first", titled(object)),
        };
        // Whether that matters depends on the command, which other rules look at.
        let finding = Finding::new(token.span, label).message(message).deployers(verdicts);
        found.push(finding.pedantic());
    }
}
