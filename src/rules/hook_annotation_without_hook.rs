use job_lifecycle::{
    Object,
    annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, HELM_HOOK, HELM_WEIGHT, RESOURCE_POLICY},
    workload::kind_of,
};
use yaml_spans::Entry;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::shown_name,
    workload::idle_hook,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-annotation-without-hook",
    include_str!("../../rules/hook-annotation-without-hook.yaml"),
    Check::Object(check),
);

/// The value of [`RESOURCE_POLICY`] that lets an object outlive its release.
const KEEP: &str = "keep";

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let Some(entry) = idle_hook::annotation(object, context) else { return };
    // Other objects may be hooks with the annotations of the same helper.
    let finding = match &*entry.key == HELM_WEIGHT {
        true => orders_nothing(object, entry),
        false if entry.value.as_str() == Some(KEEP) => kept(object, entry),
        false => deletes_nothing(object, entry),
    };
    let finding = finding.at_call();
    found.push(if may_be_hook(object, entry) { finding.pedantic() } else { finding });
}

/// How many lines around an annotation are searched for the one that makes a hook.
const AROUND: usize = 8;

/// Whether the template writes the annotation of a hook beside another one, on a condition that does not hold here.
fn may_be_hook(object: &Object, entry: &Entry) -> bool {
    let Some(origin) = object.source.origin.as_deref() else { return false };
    let at = origin.written(entry.key_span).at;
    let line = at.start().line.saturating_sub(1);
    let mut near = at.source.text.lines().skip(line.saturating_sub(AROUND)).take(2 * AROUND);
    near.any(|line| {
        let key = line.split(':').next().unwrap_or_default();
        key.trim().trim_matches(['"', '\'']) == HELM_HOOK
    })
}

fn deletes_nothing(object: &Object, entry: &Entry) -> Finding {
    let (kind, name, key) = (object.kind(), shown_name(object), &entry.key);
    let is_removed = object.root.at(&["spec", "ttlSecondsAfterFinished"]).is_some();
    let stays = if is_removed { "" } else { " and stays" };
    let finding =
        Finding::new(entry.key_span, format!("deletes nothing: the {kind} is not a hook"))
            .message(format!("{kind} `{name}` is not a hook{stays}: `{key}` has no effect"));
    match kind_of(object) {
        Some(_) if **key == *ARGO_DELETE_POLICY => {
            finding.help(format!("Add `{ARGO_HOOK}` with a phase, or remove the annotation"))
        }
        Some(_) if !is_removed => finding,
        _ => finding.help(with_events()),
    }
}

/// `keep` is no policy of hooks, but of the objects of a release.
fn kept(object: &Object, entry: &Entry) -> Finding {
    let (kind, name, key) = (object.kind(), shown_name(object), &entry.key);
    Finding::new(entry.key_span, format!("keeps nothing: the {kind} is not a hook"))
        .message(format!("`helm uninstall` deletes {kind} `{name}`: `{key}: {KEEP}` has no effect"))
        .help(format!("write `{RESOURCE_POLICY}: {KEEP}`"))
}

fn orders_nothing(object: &Object, entry: &Entry) -> Finding {
    let (kind, name, key) = (object.kind(), shown_name(object), &entry.key);
    Finding::new(entry.key_span, format!("orders nothing: the {kind} is not a hook"))
        .message(format!("{kind} `{name}` is not a hook: `{key}` has no effect"))
        .severity(Severity::Info)
        .help(with_events())
}

fn with_events() -> String {
    format!("Add `{HELM_HOOK}` with its events, or remove the annotation")
}
