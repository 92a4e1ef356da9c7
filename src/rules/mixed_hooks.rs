use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    deploy::{AnnotationList, from_helm},
};

use super::{Check, Rule, hook_needs_later_object};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule =
    Rule::new("mixed-hooks", include_str!("../../rules/mixed-hooks.yaml"), Check::Object(check));

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let (Some(argo), Some(helm)) =
        (AnnotationList::of(object, ARGO_HOOK), AnnotationList::of(object, HELM_HOOK))
    else {
        return;
    };
    let hook = |deployer: &Deployer| {
        context.hook(object, deployer).filter(|_| deployer.tool == Tool::Argocd)
    };
    let phases: Vec<_> = helm.tokens.iter().filter_map(|token| from_helm(&token.text)).collect();
    let only = |phase: &str| phases.contains(&phase) && phases.iter().all(|own| *own == phase);
    let opposite = |hook: &Hook| {
        (hook.only(&["PreSync"]) && only("PostSync"))
            || (hook.only(&["PostSync"]) && only("PreSync"))
    };
    let verdicts = context.judge(|deployer| {
        let hook = hook(deployer).filter(opposite)?;
        Some((Severity::Warning, format!("runs it at {} alone", hook.events.join(", "))))
    });
    if !verdicts.is_empty() {
        let label = "this one counts for Argo CD, and says the opposite";
        let message = format!(
            "Argo CD {}, against its Helm hook",
            verdicts[0].text.replace(" it ", &format!(" {} ", titled(object)))
        );
        let finding =
            Finding::new(argo.entry.value.span, label).message(message).deployers(verdicts);
        let finding = finding.label(helm.entry.value.span, "this one counts for Helm");
        // What comes of it is said, and the same phase for both is the remedy.
        let is_said = hook_needs_later_object::is_reported(object, context);
        found.push(if is_said { finding.pedantic() } else { finding });
    }
    for token in &helm.tokens {
        let own = from_helm(&token.text).filter(|own| own.ends_with("Delete"));
        let Some(own) = own.filter(|own| argo.tokens.iter().all(|t| t.text != *own)) else {
            continue;
        };
        // If both annotations name a phase, the author had both tools in mind.
        let intended = argo.tokens.iter().any(|token| phases.contains(&token.text.as_str()));
        let verdicts = context.judge(|deployer| {
            hook(deployer).filter(|hook| hook.listens_to(own) && !intended)?;
            Some((Severity::Warning, format!("runs it at {own} all the same")))
        });
        if !verdicts.is_empty() {
            let label = format!("Argo CD obeys `{}` beside its own annotation", token.text);
            let message = format!("Argo CD runs {} at {own} too", titled(object));
            let finding = Finding::new(token.span, label).message(message).deployers(verdicts);
            let finding = finding.label(argo.entry.value.span, "takes back syncs, not deletions");
            // Clean-up is usually wanted there as well.
            found.push(finding.pedantic());
        }
    }
}
