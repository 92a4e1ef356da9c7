use std::iter;

use job_lifecycle::{Deployer, Object, Tool, annotations::HELM_HOOK, workload::kind_of};
use yaml_spans::{Entry, Node, Source, Span, Value};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, Severity},
    fix,
    unit::UnitKind,
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "annotation-not-string",
    include_str!("../../rules/annotation-not-string.yaml"),
    Check::Object(check),
);

/// The parents of `metadata` mappings inside an object, by API group and kinds.
const PARENTS: &[(&str, &[&str], &[&str])] = &[
    ("apps", &["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"], &["spec", "template"]),
    ("", &["ReplicationController"], &["spec", "template"]),
    ("batch", &["Job"], &["spec", "template"]),
    ("batch", &["CronJob"], &["spec", "jobTemplate"]),
    ("batch", &["CronJob"], &["spec", "jobTemplate", "spec", "template"]),
];

/// What Argo CD does about an annotation that is not a string.
const UNRENDERED: &str = "cannot render the app: nothing of it is synced";

/// An annotation or label whose value is not a string.
struct NonString<'a> {
    entry: &'a Entry,
    /// `annotations` or `labels`.
    field: &'static str,
    /// Whether it is on the object itself rather than on a template in it.
    own: bool,
}

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    if object.group() == "kustomize.config.k8s.io" {
        return;
    }
    let mut seen: Vec<Span> = Vec::new();
    for non_string in non_strings(object) {
        let entry = non_string.entry;
        let empty = entry.value.span.is_empty();
        let span = if empty { entry.key_span } else { entry.value.span };
        let verdicts = context.judge(|deployer| verdict(&non_string, object, deployer, context));
        // A mapping that is merged in several places is one finding.
        if verdicts.is_empty() || seen.contains(&span) {
            continue;
        }
        seen.push(span);
        let message = message(&non_string, object, &verdicts[0].text);
        let finding = Finding::new(span, label(&non_string, &object.source))
            .message(message)
            .deployers(verdicts);
        let edit = fix::quote_value(&object.source, entry);
        found.push(finding.fix_if("quote it", Applicability::Safe, edit));
    }
}

fn non_strings(object: &Object) -> Vec<NonString<'_>> {
    let (group, kind) = (object.group(), object.kind());
    let inner = PARENTS.iter().filter(|(g, kinds, _)| *g == group && kinds.contains(&kind));
    let inner = inner.filter_map(|(.., path)| Some((false, object.root.at(path)?)));
    let mut all = Vec::new();
    for (own, parent) in iter::once((true, &object.root)).chain(inner) {
        for field in ["annotations", "labels"] {
            let entries = parent.at(&["metadata", field]).map(Node::entries).unwrap_or_default();
            let wrong = entries.iter().filter(|entry| entry.value.as_str().is_none());
            all.extend(wrong.map(|entry| NonString { entry, field, own }));
        }
    }
    all
}

fn verdict(
    non_string: &NonString<'_>,
    object: &Object,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let NonString { entry, field, own } = *non_string;
    let helm = context.reads_helm(deployer);
    if helm && own && &*entry.key == HELM_HOOK && !object.in_list {
        return None; // An unknown event: Helm drops the manifest before it decodes annotations.
    }
    let scalar = !matches!(entry.value.value, Value::Seq(_) | Value::Map(_));
    // A Kustomize build turns the annotations of objects, and nothing else, into strings.
    let built = context.kind == UnitKind::Overlay || (deployer.tool == Tool::Flux && !helm);
    if built && scalar && own && field == "annotations" {
        return None;
    }
    // flux 1.10
    let is_known = scalar && !entry.value.is_null();
    if deployer.tool == Tool::Flux && !helm && is_known && own && field == "labels" {
        let lost = (Severity::Warning, "Flux drops all labels of the object".to_owned());
        return kind_of(object).map(|_| lost);
    }
    let fails = match (deployer.tool, field) {
        (Tool::Argocd, "annotations") if own => UNRENDERED,
        _ if entry.value.is_null() => return None, // Decoded as an empty string.
        (Tool::Argocd, _) if own => "the dry run fails: nothing of the app is applied",
        (Tool::Argocd | Tool::Kubectl, _) => "the API server rejects the object",
        (Tool::Flux, _) if !helm => "the dry run fails: nothing of the stage is applied",
        _ => "the release fails",
    };
    Some((Severity::Error, fails.to_owned()))
}

fn message(non_string: &NonString<'_>, object: &Object, result: &str) -> String {
    let what = if non_string.field == "labels" { "label" } else { "annotation" };
    let (key, title) = (&non_string.entry.key, titled(object));
    let result = match result {
        UNRENDERED => "Argo CD syncs nothing of the app",
        other => other.rsplit(": ").next().unwrap_or(other),
    };
    format!("{result}: {what} `{key}` of {title} is not a string")
}

fn label(non_string: &NonString<'_>, source: &Source) -> String {
    let what = if non_string.field == "labels" { "a label" } else { "an annotation" };
    let kind = match non_string.entry.value.value {
        Value::Null => return format!("{what} must be a string, Argo CD takes no null"),
        Value::Seq(_) => return format!("{what} must be a string, not a list"),
        Value::Map(_) => return format!("{what} must be a string, not a mapping"),
        Value::Bool(_) => "a boolean",
        _ => "a number",
    };
    let text = source.slice(non_string.entry.value.span);
    format!("`{text}` is {kind}, {what} must be a string")
}
