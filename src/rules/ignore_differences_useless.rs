use job_lifecycle::{Object, Role, Tool, workload::Kind};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    unit::Deployment,
    words::{shown_name, titled},
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "ignore-differences-useless",
    include_str!("../../rules/ignore-differences-useless.yaml"),
    Check::Unit(check),
);

const COMPARE_OPTIONS: &str = "argocd.argoproj.io/compare-options";

/// JSON pointers and jq paths that are meant to hide a missing Job.
const WHOLE: &[&str] =
    &["", "/", ".", "/spec", ".spec", "/status", ".status", "/spec/ttlSecondsAfterFinished"];

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    for object in context.objects {
        if let Some(spec) = spec(object) {
            ignored_template(object, spec, found);
        } else if let Some(job) = Subject::new(object, context) {
            ignored_extraneous(&job, object, found);
        }
    }
    for deployment in context.deployments {
        missing_job(deployment, context, found);
    }
}

/// Reports ignored differences in the pod template: Argo CD sends the template nevertheless.
fn ignored_template<'a>(object: &'a Object, spec: &Node, found: &mut Vec<(&'a Object, Finding)>) {
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
            let ignored = path.as_str().unwrap_or_default();
            let message = format!("{} still sends `{ignored}`, which it ignores", titled(object));
            found.push((object, finding(path, label.to_owned(), text).message(message)));
        }
    }
}

/// Reports `IgnoreExtraneous` on a Job with a TTL: the option only concerns objects that are not in Git.
fn ignored_extraneous<'a>(
    job: &Subject<'_>,
    object: &'a Object,
    found: &mut Vec<(&'a Object, Finding)>,
) {
    let Some(entry) = object.annotation(COMPARE_OPTIONS) else { return };
    let says = entry.value.as_str().is_some_and(|text| text.contains("IgnoreExtraneous"));
    let argocd = job.applying().any(|deployer| deployer.tool == Tool::Argocd);
    if !says || !argocd || job.ttl().is_none() || job.kind != Kind::Job || job.has_varying_name() {
        return;
    }
    let label = "`IgnoreExtraneous` is about objects that Git does not have: the TTL makes the app \
                 OutOfSync all the same";
    let message = format!(
        "the app is OutOfSync once the TTL removes {}, despite `IgnoreExtraneous`",
        job.title()
    );
    let finding = finding(&entry.value, label.to_owned(), "reports OutOfSync all the same");
    found.push((object, finding.message(message)));
}

/// Reports entries that ignore a whole Job: once the TTL has removed it, there is nothing to compare.
fn missing_job<'a>(
    deployment: &'a Deployment,
    context: &Context<'a>,
    found: &mut Vec<(&'a Object, Finding)>,
) {
    let Some(spec) = spec(&deployment.object) else { return };
    let is_removed = |object: &&Object| {
        Subject::new(object, context).is_some_and(|job| {
            let is_plain = job.role(&deployment.deployer) == Role::Plain;
            job.ttl().is_some() && job.kind == Kind::Job && is_plain
        })
    };
    for entry in entries(spec) {
        let fits = |object: &&Object| applies_to(entry, object) && is_removed(object);
        let whole = paths(entry).find(|path| path.as_str().is_some_and(|p| WHOLE.contains(&p)));
        let Some((path, job)) = whole.zip(context.objects.iter().find(fits)) else { continue };
        let label = format!(
            "no use once the TTL has removed `{}`: there is nothing left to compare",
            shown_name(job)
        );
        let message = format!("the app is OutOfSync once the TTL removes {}", titled(job));
        let finding = finding(path, label, "reports OutOfSync all the same");
        found.push((&deployment.object, finding.message(message)));
    }
}

fn finding(at: &Node, label: String, text: &str) -> Finding {
    let verdict = PerDeployer::new(Tool::Argocd, Severity::Warning, text);
    Finding::new(at.span, label).deployers(vec![verdict])
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

/// True for an entry about Jobs. One of another group, such as `apps`, is about nothing that exists.
fn is_job(entry: &Node) -> bool {
    let text = |key: &str| entry.get(key).and_then(Node::as_str);
    let is_of_group = text("group").is_none_or(|group| group == "batch" || group.contains('*'));
    is_of_group && text("kind") == Some("Job")
}

/// True when an entry applies to this Job.
fn applies_to(entry: &Node, object: &Object) -> bool {
    let name = entry.get("name").and_then(Node::as_str);
    is_job(entry) && name.is_none_or(|name| Some(name) == object.name())
}
