use job_lifecycle::{
    Deployer, Object, Role, Tool,
    annotations::{ARGO_HOOK, HELM_HOOK},
    deploy::{AnnotationList, CRD_INSTALL, HELM_EVENTS, meant},
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, Severity},
    unit::UnitKind,
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "unknown-hook-event",
    include_str!("../../rules/unknown-hook-event.yaml"),
    Check::Object(check),
);

/// Events of Helm 2, and what to do instead.
const RETIRED: &[(&str, &str)] = &[
    (CRD_INSTALL, "is gone since Helm 3: put the CRD into `crds/`"),
    ("test-failure", "is gone since Helm 3: let the test succeed when the failure happens"),
];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(list) = AnnotationList::of(object, HELM_HOOK) else { return };
    let is_in_crds = object.name().is_some_and(|name| context.crds.contains(name));
    for token in &list.tokens {
        let text = &*token.text;
        // The manifest is for Helm 2 alone.
        if text.eq_ignore_ascii_case(CRD_INSTALL) && is_in_crds {
            continue;
        }
        let verdicts = context.judge(|deployer| verdict(object, text, deployer, context));
        if verdicts.is_empty() {
            continue;
        }
        let lower = text.to_lowercase();
        let retired = RETIRED.iter().find(|(event, _)| *event == lower);
        let near = meant(text, HELM_EVENTS).filter(|_| retired.is_none());
        let label = match (text, retired, near) {
            ("", ..) if list.is_blank() => "names no event".to_owned(),
            ("", ..) => "leaves an empty event".to_owned(),
            (_, Some((_, instead)), _) => format!("`{text}` {instead}"),
            (.., Some(near)) if near == lower => {
                format!("Argo CD knows `{near}` only in lower case")
            }
            (.., Some(near)) => format!("`{text}` is no hook event, did you mean `{near}`?"),
            _ => format!("`{text}` is no hook event"),
        };
        let (title, edit) = match near {
            _ if text.is_empty() => ("remove the empty event".to_owned(), list.remove(token)),
            Some(near) => (format!("use `{near}`"), list.replace(token, near)),
            None => (String::new(), None),
        };
        let drops = verdicts.iter().any(|one| one.text.starts_with("drops"));
        let what = if text.is_empty() { "an empty event".to_owned() } else { format!("`{text}`") };
        let message = match drops {
            true => format!("Helm drops {}: {what} is not a hook event", titled(object)),
            false => {
                format!("Argo CD never creates {}: {what} is not a hook event", titled(object))
            }
        };
        let finding = Finding::new(token.span, label).message(message).deployers(verdicts);
        let finding = finding.fix_if(title, Applicability::Unsafe, edit);
        // The values of the chart leave the events to its users.
        let is_left = list.is_blank() && object.is_left_empty(list.entry);
        found.push(if is_left { finding.pedantic() } else { finding });
    }
}

fn verdict(
    object: &Object,
    event: &str,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let known = HELM_EVENTS.contains(&event.to_lowercase().as_str());
    // Helm never sees a manifest that stands alone.
    let is_seen = context.kind != UnitKind::Plain || !deployer.assumed;
    if context.reads_helm(deployer) && is_seen && !known && !object.in_list {
        let text = "drops the whole manifest: neither a hook nor an object, and no error";
        return Some((Severity::Error, text.to_owned()));
    }
    // Argo CD keeps the known events of a list, and its own annotation wins.
    let decides = deployer.tool == Tool::Argocd && object.annotation(ARGO_HOOK).is_none();
    let lost = decides && context.role(object, deployer) == Role::Dropped;
    let text = "never creates the object, and the app stays Synced";
    (lost && !HELM_EVENTS.contains(&event)).then(|| (Severity::Error, text.to_owned()))
}
