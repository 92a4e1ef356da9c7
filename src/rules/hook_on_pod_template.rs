use job_lifecycle::annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, HELM_DELETE_POLICY, HELM_HOOK};
use yaml_spans::{Entry, Node};

use super::{Check, Rule};
use crate::{
    finding::Finding,
    words::{shown_name, titled},
    workload::{Subject, made::mounting},
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-on-pod-template",
    include_str!("../../rules/hook-on-pod-template.yaml"),
    Check::Workload(check),
);

/// Annotations that deployers read from the object itself, the one that makes it a hook first.
const OF_OBJECTS: [&str; 4] = [HELM_HOOK, ARGO_HOOK, HELM_DELETE_POLICY, ARGO_DELETE_POLICY];

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    found.extend(among_labels(job));
    let Some(entry) = on_pods(job) else { return };
    let headline = headline(job, entry, "on its pod template");
    let finding = Finding::new(entry.key_span, idle_on_pods(job)).message(headline);
    found.push(match awaited(job, entry) {
        Some(help) => finding.help(help),
        None => finding,
    });
}

/// The help for a Job that must not become a hook: an ordinary workload mounts what it makes, and a hook after the release would
/// wait for that workload.
fn awaited(job: &Subject<'_>, entry: &Entry) -> Option<String> {
    let event = entry.value.as_str().filter(|_| is_hook(entry))?;
    let is_later = event.starts_with("post-") || event == "PostSync";
    let user = mounting(job.object, job.context).filter(|_| is_later)?;
    Some(format!(
        "Remove the annotations: {} mounts what the Job makes, and a hook would wait for it",
        titled(user)
    ))
}

fn is_hook(entry: &Entry) -> bool {
    [HELM_HOOK, ARGO_HOOK].contains(&&*entry.key)
}

/// An annotation for hooks on the pods of an object. One that repeats its annotations there is a hook all the same.
fn on_pods<'a>(job: &'a Subject<'_>) -> Option<&'a Entry> {
    let template = job.template.at(&["metadata", "annotations"]);
    let cron = job.object.root.at(&["spec", "jobTemplate", "metadata", "annotations"]);
    let own = cron.and_then(misplaced).or_else(|| template.and_then(misplaced));
    own.filter(|_| !job.object.is_annotated_hook())
}

/// Says of a finding about a Job that is not a hook that it was meant to be one.
pub(super) fn explained(job: &Subject<'_>, finding: Finding) -> Finding {
    let Some(entry) = on_pods(job).filter(|entry| is_hook(entry)) else { return finding };
    let moves = || format!("Move `{}` to the metadata of the {}", entry.key, job.object.kind());
    let help = awaited(job, entry).unwrap_or_else(moves);
    finding.label(entry.key_span, idle_on_pods(job)).help(help)
}

fn idle_on_pods(job: &Subject<'_>) -> String {
    format!("has no effect here: deployers read it from the metadata of the {}", job.object.kind())
}

/// An annotation for hooks that is a label: deployers read annotations alone.
fn among_labels(job: &Subject<'_>) -> Option<Finding> {
    let entry = misplaced(job.object.root.at(&["metadata", "labels"])?)?;
    let is_repeated = job.object.annotation(&entry.key).is_some();
    let label = "has no effect here: deployers read it from the annotations";
    let headline = headline(job, entry, "among its labels");
    (!is_repeated).then(|| {
        let help = format!("Move `{}` to the annotations", entry.key);
        Finding::new(entry.key_span, label).message(headline).help(help)
    })
}

fn headline(job: &Subject<'_>, entry: &Entry, place: &str) -> String {
    let (kind, name, key) = (job.object.kind(), shown_name(job.object), &entry.key);
    match is_hook(entry) {
        true => format!("{kind} `{name}` does not run as a hook: `{key}` is {place}"),
        false => format!("`{key}` of {kind} `{name}` has no effect: it is {place}"),
    }
}

fn misplaced(annotations: &Node) -> Option<&Entry> {
    OF_OBJECTS.iter().find_map(|key| annotations.entry(key))
}
