use job_lifecycle::{
    Deployer, Object, Role, Tool, annotations::RESOURCE_POLICY, workload::kind_of,
};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, Severity},
    fix,
    words::{shown_name, titled},
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-keep-policy",
    include_str!("../../rules/hook-keep-policy.yaml"),
    Check::Object(check),
);

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(entry) = object.annotation(RESOURCE_POLICY) else { return };
    let Some(policy) = entry.value.as_str() else { return };
    let verdicts = context.judge(|deployer| verdict(object, policy, deployer, context));
    let Some(worst) = verdicts.first() else { return };
    let is_hook = context.deployers.iter().any(|one| context.hook(object, one).is_some());
    let message = match is_hook {
        true => {
            format!("`{RESOURCE_POLICY}: {policy}` has no effect on hook `{}`", shown_name(object))
        }
        false if policy.trim().eq_ignore_ascii_case("keep") => {
            format!("an upgrade that drops {} deletes it: `{policy}` is not `keep`", titled(object))
        }
        false => format!("uninstalling leaves {} behind: `{policy}` is not `keep`", titled(object)),
    };
    let finding = Finding::new(entry.value.span, worst.text.clone()).message(message);
    let finding = finding.deployers(verdicts);
    // Argo CD keeps hooks with it.
    let is_argocd = context.deployers.iter().any(|one| one.tool == Tool::Argocd);
    let annotations = object.root.at(&["metadata", "annotations"]);
    let removed = annotations.filter(|_| is_hook && !is_argocd);
    let removed = removed.and_then(|all| fix::remove(&object.source, all, entry));
    let is_wrong = !is_hook && object.source.can_be_edited();
    let corrected = is_wrong.then(|| fix::replace_string(&object.source, &entry.value, "keep"));
    let finding = finding.fix_if("remove the annotation", Applicability::Safe, removed);
    found.push(finding.fix_if("use `keep`", Applicability::Unsafe, corrected));
}

fn verdict(
    object: &Object,
    policy: &str,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    // Argo CD honours it for hooks too and keeps them when the app is deleted.
    if !context.reads_helm(deployer) || deployer.tool == Tool::Argocd {
        return None;
    }
    let text = match context.role(object, deployer) {
        Role::Dropped => return None,
        Role::Hook(_) if context.is_guarded_by_lookup(object, deployer) => return None,
        Role::Hook(hook) if hook.is_recreated() => {
            "uninstall keeps every hook, and each run still replaces this one".to_owned()
        }
        Role::Hook(hook) if hook.has_policy("hook-succeeded") => {
            "Helm ignores it on a hook, and still deletes it after success".to_owned()
        }
        Role::Hook(_) => "Helm keeps this hook without it".to_owned(),
        Role::Plain if policy == "keep" || kind_of(object).is_none() => {
            return None;
        }
        Role::Plain if policy.trim().eq_ignore_ascii_case("keep") => {
            format!("`{policy}` keeps it at uninstall alone, an upgrade looks for `keep`")
        }
        Role::Plain => {
            format!("`{policy}` is not `keep`: uninstall leaves it behind and does not say so")
        }
    };
    Some((Severity::Info, text))
}
