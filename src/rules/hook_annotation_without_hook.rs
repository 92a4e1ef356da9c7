use job_lifecycle::{
    Object, Tool,
    annotations::{
        ARGO_DELETE_POLICY, ARGO_HOOK, HELM_DELETE_POLICY, HELM_HOOK, HELM_WEIGHT, RESOURCE_POLICY,
    },
    workload::kind_of,
};
use yaml_spans::Entry;

use super::{Check, Rule, template_changes_under_fixed_name};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    workload::{
        Subject,
        idle_hook::{has_policy, is_hook},
    },
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-annotation-without-hook",
    include_str!("../../rules/hook-annotation-without-hook.yaml"),
    Check::Object(check),
);

/// The value of [`RESOURCE_POLICY`] that lets an object outlive its release.
const KEEP: &str = "keep";

/// Annotations that have an effect on hooks only, the worst first.
const OF_HOOKS: [&str; 3] = [HELM_DELETE_POLICY, ARGO_DELETE_POLICY, HELM_WEIGHT];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    // A weight on other objects is left over more often than it is believed in.
    if is_hook(object) || kind_of(object).is_none() && !has_policy(object) {
        return;
    }
    // Argo CD reads the weight as the sync wave of any object (gitops-engine `syncwaves.Wave`).
    if !has_policy(object) && context.tools().contains(&Tool::Argocd) {
        return;
    }
    let Some(entry) = OF_HOOKS.iter().find_map(|key| object.annotation(key)) else { return };
    let finding = match has_policy(object) {
        true if entry.value.as_str() == Some(KEEP) => kept(object, entry),
        true => deletes_nothing(object, entry),
        false => orders_nothing(object, entry),
    };
    // An upgrade that fails is the same cause, and worse.
    let is_reported = Subject::new(object, context).is_some_and(|job| is_rejected(&job));
    found.push(if is_reported { finding.pedantic() } else { finding });
}

fn deletes_nothing(object: &Object, entry: &Entry) -> Finding {
    let (kind, name, key) = (object.kind(), object.display_name(), &entry.key);
    let finding =
        Finding::new(entry.key_span, format!("deletes nothing: the {kind} is not a hook"))
            .message(format!("{kind} `{name}` is not a hook and stays: `{key}` has no effect"));
    match kind_of(object) {
        Some(_) if **key == *ARGO_DELETE_POLICY => {
            finding.help(format!("Add `{ARGO_HOOK}` with a phase, or remove the annotation"))
        }
        Some(_) => finding,
        None => finding.help(with_events()),
    }
}

/// `keep` is no policy of hooks, but of the objects of a release.
fn kept(object: &Object, entry: &Entry) -> Finding {
    let (kind, name, key) = (object.kind(), object.display_name(), &entry.key);
    Finding::new(entry.key_span, format!("keeps nothing: the {kind} is not a hook"))
        .message(format!("`helm uninstall` deletes {kind} `{name}`: `{key}: {KEEP}` has no effect"))
        .help(format!("write `{RESOURCE_POLICY}: {KEEP}`"))
}

fn orders_nothing(object: &Object, entry: &Entry) -> Finding {
    let (kind, name, key) = (object.kind(), object.display_name(), &entry.key);
    Finding::new(entry.key_span, format!("orders nothing: the {kind} is not a hook"))
        .message(format!("{kind} `{name}` is not a hook: `{key}` has no effect"))
        .severity(Severity::Info)
        .help(with_events())
}

fn with_events() -> String {
    format!("Add `{HELM_HOOK}` with its events, or remove the annotation")
}

/// Whether `template-changes-under-fixed-name` says of the Job that it is not a hook, because an upgrade fails.
fn is_rejected(job: &Subject<'_>) -> bool {
    has_policy(job.object)
        && template_changes_under_fixed_name::severity(job) >= Some(Severity::Warning)
}
