use job_lifecycle::{Deployer, Object, Tool, annotations::HELM_HOOK, deploy::AnnotationList};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "install-only-hook",
    include_str!("../../rules/install-only-hook.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(list) = AnnotationList::of(object, HELM_HOOK) else { return };
    let can_fail = matches!((object.group(), object.kind()), ("batch", "Job") | ("", "Pod"));
    let verdicts = context.judge(|deployer| verdict(object, deployer, context));
    if !can_fail || verdicts.is_empty() {
        return;
    }
    let names = |event: &str| list.tokens.iter().any(|t| t.text.eq_ignore_ascii_case(event));
    let added: Vec<_> = [("pre-install", "pre-upgrade"), ("post-install", "post-upgrade")]
        .into_iter()
        .filter_map(|(install, upgrade)| names(install).then_some(upgrade))
        .collect();
    let added = added.join(",");
    let label = "an upgrade skips it, and after a failed install the next try is an upgrade";
    let message = format!("{} never runs if the first install fails", titled(object));
    let finding = Finding::new(list.entry.value.span, label).message(message).deployers(verdicts);
    let edit = list.add(&added, false);
    found.push(finding.fix_if(format!("add `{added}`"), Applicability::Unsafe, edit));
}

fn verdict(
    object: &Object,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    context.hook(object, deployer).filter(|hook| hook.only(&["pre-install", "post-install"]))?;
    // The next try is another install.
    let from_chart = context.from_chart();
    if deployer.is_helm_release(from_chart) && deployer.reinstalls().is_some() {
        return None;
    }
    Some(match deployer.tool {
        // They retry without anyone watching, and the retry makes the release ready.
        Tool::Fleet | Tool::Flux => {
            (Severity::Warning, "tries again by an upgrade, and is ready without it".to_owned())
        }
        _ => (Severity::Info, "`upgrade --install` then succeeds without it".to_owned()),
    })
}
