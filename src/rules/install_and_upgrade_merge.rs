use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    deploy::AnnotationList,
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "install-and-upgrade-merge",
    include_str!("../../rules/install-and-upgrade-merge.yaml"),
    Check::Object(check),
);

/// Helm events that Argo CD maps to the same phase.
const PAIRS: [(&str, &str); 2] = [("pre-install", "pre-upgrade"), ("post-install", "post-upgrade")];

/// True for an object that runs, and whose hooks for Helm are those for Argo CD too.
fn is_merged(object: &Object) -> bool {
    let runs = matches!((object.group(), object.kind()), ("batch", "Job") | ("", "Pod"));
    object.annotation(ARGO_HOOK).is_none() && runs
}

/// The deployers that run a hook for after the install and before the upgrade twice.
pub(super) fn runs_twice(object: &Object, context: &Context<'_>) -> Vec<PerDeployer> {
    let Some(list) = AnnotationList::of(object, HELM_HOOK).filter(|_| is_merged(object)) else {
        return Vec::new();
    };
    let has = |event: &str| list.tokens.iter().any(|token| token.text == event);
    if !has("post-install") || !has("pre-upgrade") || has("pre-install") || has("post-upgrade") {
        return Vec::new();
    }
    context.judge(|deployer| {
        let hook = hook(object, deployer, context)?;
        let both = hook.listens_to("PreSync") && hook.listens_to("PostSync");
        both.then(|| (Severity::Warning, "runs it twice in every sync".to_owned()))
    })
}

fn hook(object: &Object, deployer: &Deployer, context: &Context<'_>) -> Option<Hook> {
    context.hook(object, deployer).filter(|_| deployer.tool == Tool::Argocd)
}

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(list) = AnnotationList::of(object, HELM_HOOK).filter(|_| is_merged(object)) else {
        return;
    };
    let verdicts = runs_twice(object, context);
    if !verdicts.is_empty() {
        let label = "Argo CD runs it before and after every sync, also before the first";
        let message = format!("Argo CD runs {} twice in every sync", titled(object));
        let finding = Finding::new(list.entry.value.span, label).message(message);
        return found.push(finding.deployers(verdicts));
    }
    let has = |event: &str| list.tokens.iter().any(|token| token.text == event);
    for (index, token) in list.tokens.iter().enumerate() {
        let alone = PAIRS.iter().find_map(|(install, upgrade)| match &*token.text {
            event if event == *install && !has(upgrade) => Some(true),
            event if event == *upgrade && !has(install) => Some(false),
            _ => None,
        });
        let again = list.tokens[..index].iter().any(|earlier| earlier.text == token.text);
        let Some(install) = alone.filter(|_| !again) else { continue };
        let verdicts = context.judge(|deployer| {
            hook(object, deployer, context)
                .map(|_| (Severity::Info, "runs it at every sync".to_owned()))
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
