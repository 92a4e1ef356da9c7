use job_lifecycle::{Object, Tool, annotations::HELM_HOOK};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule =
    Rule::new("hook-in-list", include_str!("../../rules/hook-in-list.yaml"), Check::Object(check));

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(entry) = object.annotation(HELM_HOOK).filter(|_| object.in_list) else { return };
    // Argo CD splits lists before it looks for hooks.
    let verdicts = context.judge(|deployer| {
        let helm = context.reads_helm(deployer) && deployer.tool != Tool::Argocd;
        let text = "applies the item with everything else, once";
        helm.then(|| (Severity::Warning, text.to_owned()))
    });
    if !verdicts.is_empty() {
        let label = "Helm does not look into lists: this is an ordinary object";
        let message = format!(
            "Helm applies {} as an ordinary object, because it is in a `List`",
            titled(object)
        );
        found.push(Finding::new(entry.key_span, label).message(message).deployers(verdicts));
    }
}
