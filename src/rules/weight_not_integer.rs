use job_lifecycle::{
    Deployer, Object, Role, Tool,
    annotations::{ARGO_WAVE, HELM_WEIGHT},
    deploy::{AnnotationList, atoi},
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "weight-not-integer",
    include_str!("../../rules/weight-not-integer.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    for key in [ARGO_WAVE, HELM_WEIGHT] {
        let Some(list) = AnnotationList::of(object, key) else { continue };
        let Some(text) = list.entry.value.as_str().filter(|text| atoi(text).is_none()) else {
            continue;
        };
        let verdicts = context.judge(|deployer| verdict(object, key, deployer, context));
        let Some(verdict) = verdicts.first() else { continue };
        let label = match text.trim() {
            trimmed if atoi(trimmed).is_some() => {
                format!("the white space makes it no integer: {}", verdict.text)
            }
            "" => format!("is empty: {}", verdict.text),
            _ => format!("`{text}` is no integer: {}", verdict.text),
        };
        let trimmed = Some(text.trim()).filter(|text| atoi(text).is_some());
        let edit = trimmed.and_then(|text| list.rewrite(text));
        let title = format!("use \"{}\"", trimmed.unwrap_or_default());
        let message = format!("`{key}` of {} is not an integer: {}", titled(object), verdict.text);
        let finding =
            Finding::new(list.entry.value.span, label).message(message).deployers(verdicts);
        found.push(finding.fix_if(title, Applicability::Unsafe, edit));
    }
}

fn verdict(
    object: &Object,
    key: &str,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let number = |key| object.annotation_text(key).and_then(atoi);
    let role = context.role(object, deployer);
    let text = match (deployer.tool, key, role) {
        (Tool::Argocd, _, Role::Dropped) => return None,
        (Tool::Argocd, ARGO_WAVE, _) => match number(HELM_WEIGHT) {
            Some(weight) => format!("`{HELM_WEIGHT}` decides, wave {weight}"),
            None => "it counts as wave 0".to_owned(),
        },
        // The wave takes precedence, or is invalid and reported itself.
        (Tool::Argocd, ..) if object.annotation(ARGO_WAVE).is_some() => return None,
        (Tool::Argocd, ..) => "it counts as wave 0".to_owned(),
        (_, HELM_WEIGHT, Role::Hook(_)) => "it counts as weight 0".to_owned(),
        _ => return None,
    };
    Some((Severity::Warning, text))
}
