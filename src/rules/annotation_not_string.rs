use job_lifecycle::{Deployer, Object, Tool, annotations::HELM_HOOK};
use yaml_spans::{Entry, Node, Source, Span, Value};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, Severity},
    fix,
    unit::UnitKind,
};

pub static RULE: Rule = Rule::new(
    "annotation-not-string",
    include_str!("../../rules/annotation-not-string.yaml"),
    Check::Object(check),
);

/// Where metadata stands in an object, by API group and kind.
const PLACES: &[(&str, &[&str], &[&str])] = &[
    ("apps", &["Deployment", "StatefulSet", "DaemonSet", "ReplicaSet"], &["spec", "template"]),
    ("", &["ReplicationController"], &["spec", "template"]),
    ("batch", &["Job"], &["spec", "template"]),
    ("batch", &["CronJob"], &["spec", "jobTemplate"]),
    ("batch", &["CronJob"], &["spec", "jobTemplate", "spec", "template"]),
];

/// One value: on the object itself or on what it makes.
struct Place<'a> {
    entry: &'a Entry,
    field: &'static str,
    own: bool,
}

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    if object.group() == "kustomize.config.k8s.io" {
        return;
    }
    let (group, kind) = (object.group(), object.kind());
    let inner = PLACES.iter().filter(|(g, kinds, _)| *g == group && kinds.contains(&kind));
    let inner = inner.filter_map(|(.., path)| object.root.at(path));
    let mut seen: Vec<Span> = Vec::new();
    for (own, part) in std::iter::once((true, &object.root)).chain(inner.map(|part| (false, part)))
    {
        for field in ["annotations", "labels"] {
            let entries = part.at(&["metadata", field]).map(Node::entries).unwrap_or_default();
            for entry in entries.iter().filter(|entry| entry.value.as_str().is_none()) {
                let empty = entry.value.span.is_empty();
                let span = if empty { entry.key_span } else { entry.value.span };
                let place = Place { entry, field, own };
                let verdicts = context.judge(|deployer| verdict(&place, object, deployer, context));
                // A mapping merged into several places is one mistake.
                if verdicts.is_empty() || seen.contains(&span) {
                    continue;
                }
                seen.push(span);
                let finding = Finding::new(span, label(&place, &object.source)).deployers(verdicts);
                let edit = fix::quote_value(&object.source, entry);
                found.push(finding.fix_if("quote it", Applicability::Safe, edit));
            }
        }
    }
}

fn verdict(
    place: &Place<'_>,
    object: &Object,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let Place { entry, field, own } = *place;
    let helm = context.reads_helm(deployer);
    if helm && own && &*entry.key == HELM_HOOK && !object.in_list {
        return None; // No event of that name: dropped before anything is decoded.
    }
    let scalar = !matches!(entry.value.value, Value::Seq(_) | Value::Map(_));
    // A Kustomize build writes the annotations of objects, and of nothing else, as strings.
    let built = context.kind == UnitKind::Overlay || (deployer.tool == Tool::Flux && !helm);
    if built && scalar && own && field == "annotations" {
        return None;
    }
    let fails = match (deployer.tool, field) {
        (Tool::Argocd, "annotations") if own => "cannot render the app: nothing of it is synced",
        _ if entry.value.is_null() => return None, // Decoded as an empty string.
        (Tool::Argocd, _) if own => "the dry run fails: nothing of the app is applied",
        (Tool::Argocd | Tool::Kubectl, _) => "the API server rejects the object",
        (Tool::Flux, _) if !helm => "the dry run fails: nothing of the stage is applied",
        _ => "the release fails",
    };
    Some((Severity::Error, fails.to_owned()))
}

fn label(place: &Place<'_>, source: &Source) -> String {
    let what = if place.field == "labels" { "a label" } else { "an annotation" };
    let kind = match place.entry.value.value {
        Value::Null => return format!("{what} must be a string, Argo CD takes no null"),
        Value::Seq(_) => return format!("{what} must be a string, not a list"),
        Value::Map(_) => return format!("{what} must be a string, not a mapping"),
        Value::Bool(_) => "a boolean",
        _ => "a number",
    };
    let text = source.slice(place.entry.value.span);
    format!("`{text}` is {kind}, {what} must be a string")
}
