use job_lifecycle::{Object, Role, Tool, workload::Kind};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    workload::Subject,
};

pub static RULE: Rule = Rule::new(
    "ignore-differences-useless",
    include_str!("../../rules/ignore-differences-useless.yaml"),
    Check::Unit(check),
);

const COMPARE_OPTIONS: &str = "argocd.argoproj.io/compare-options";

/// Pointers and jq paths that somebody writes to hide that a Job is gone.
const WHOLE: &[&str] =
    &["", "/", ".", "/spec", ".spec", "/status", ".status", "/spec/ttlSecondsAfterFinished"];

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    for object in context.objects {
        if let Some(spec) = spec(object) {
            template(object, spec, found);
        } else if let Some(job) = Subject::new(object, context) {
            extraneous(&job, object, found);
        }
    }
    for deployment in context.deployments {
        let Some(spec) = spec(&deployment.object) else { continue };
        let gone = |object: &&Object| {
            Subject::new(object, context).is_some_and(|job| {
                job.ttl().is_some()
                    && job.kind == Kind::Job
                    && context.role(object, &deployment.deployer) == Role::Plain
            })
        };
        for entry in entries(spec) {
            let fits = |object: &&Object| names(entry, object) && gone(object);
            let whole = paths(entry).find(|path| path.as_str().is_some_and(|p| WHOLE.contains(&p)));
            let Some((path, job)) = whole.zip(context.objects.iter().find(fits)) else { continue };
            let label = format!(
                "no use once the TTL has removed `{}`: there is nothing left to compare",
                job.display_name()
            );
            let text = "reports OutOfSync all the same";
            found.push((&deployment.object, finding(path, label, text)));
        }
    }
}

/// A different template that is ignored is sent all the same.
fn template<'a>(object: &'a Object, spec: &Node, found: &mut Vec<(&'a Object, Finding)>) {
    let options = spec.at(&["syncPolicy", "syncOptions"]).map(Node::items).unwrap_or_default();
    if options.iter().any(|option| option.as_str() == Some("RespectIgnoreDifferences=true")) {
        return;
    }
    for entry in entries(spec).filter(|entry| is_job(entry)) {
        let in_template = |path: &&Node| {
            path.as_str()
                .is_some_and(|p| p.starts_with("/spec/template") || p.starts_with(".spec.template"))
        };
        for path in paths(entry).filter(in_template) {
            let label = "hides the difference, and the next full sync still sends the new template: \
                         `field is immutable`";
            let text = "sends the ignored fields unless `RespectIgnoreDifferences=true` is set";
            found.push((object, finding(path, label.to_owned(), text)));
        }
    }
}

/// `IgnoreExtraneous` is about what Git does not have.
fn extraneous<'a>(job: &Subject<'_>, object: &'a Object, found: &mut Vec<(&'a Object, Finding)>) {
    let Some(entry) = object.annotation(COMPARE_OPTIONS) else { return };
    let says = entry.value.as_str().is_some_and(|text| text.contains("IgnoreExtraneous"));
    let argocd = job.context.applying(object).any(|deployer| deployer.tool == Tool::Argocd);
    if !says || !argocd || job.ttl().is_none() || job.kind != Kind::Job || job.has_varying_name() {
        return;
    }
    let label = "`IgnoreExtraneous` is about objects that Git does not have: the TTL makes the app \
                 OutOfSync all the same";
    found.push((object, finding(&entry.value, label.to_owned(), "reports OutOfSync all the same")));
}

fn finding(at: &Node, label: String, text: &str) -> Finding {
    Finding::new(at.span, label).deployers(vec![PerDeployer::new(
        Tool::Argocd,
        Severity::Warning,
        text,
    )])
}

fn spec(object: &Object) -> Option<&Node> {
    match (object.group(), object.kind()) {
        ("argoproj.io", "Application") => object.root.get("spec"),
        ("argoproj.io", "ApplicationSet") => object.root.at(&["spec", "template", "spec"]),
        _ => None,
    }
}

fn entries(spec: &Node) -> impl Iterator<Item = &Node> {
    spec.get("ignoreDifferences").map(Node::items).unwrap_or_default().iter()
}

fn paths(entry: &Node) -> impl Iterator<Item = &Node> {
    ["jsonPointers", "jqPathExpressions"]
        .into_iter()
        .flat_map(|key| entry.get(key).map(Node::items).unwrap_or_default())
}

fn is_job(entry: &Node) -> bool {
    entry.get("kind").and_then(Node::as_str) == Some("Job")
}

/// True when an entry is about this Job.
fn names(entry: &Node, object: &Object) -> bool {
    let name = entry.get("name").and_then(Node::as_str);
    is_job(entry) && name.is_none_or(|name| Some(name) == object.name())
}
