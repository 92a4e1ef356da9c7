use std::sync::Arc;

use job_lifecycle::{
    Object, Tool,
    deploy::{compare_patch_target, compare_patches},
    workload::Kind,
};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, PerDeployer, Severity},
    unit::Deployment,
    workload::{AfterTtl, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "fleet-compare-patch",
    include_str!("../../rules/fleet-compare-patch.yaml"),
    Check::Unit(check),
);

fn check<'a>(context: &Context<'a>, found: &mut Vec<(&'a Object, Finding)>) {
    let mut files: Vec<&Deployment> = Vec::new();
    for deployment in context.deployments.iter().filter(|one| one.deployer.tool == Tool::Fleet) {
        let same =
            |other: &&Deployment| Arc::ptr_eq(&other.object.source, &deployment.object.source);
        if !files.iter().any(same) {
            files.push(deployment);
            check_bundle(deployment, context, found);
        }
    }
}

fn check_bundle<'a>(
    bundle: &'a Deployment,
    context: &Context<'a>,
    found: &mut Vec<(&'a Object, Finding)>,
) {
    let jobs: Vec<_> = context
        .objects
        .iter()
        .filter_map(|object| Subject::new(object, context))
        .filter(|job| job.kind == Kind::Job && job.object.name().is_some())
        .collect();
    let reported = |job: &&Subject<'_>| {
        let mut after = job.after_ttl().into_iter();
        after.any(|(of, after)| *of == bundle.deployer && matches!(after, AfterTtl::Reported(_)))
    };
    let Some(job) = jobs.iter().find(reported) else { return };
    let namespace = bundle.namespace.as_deref().unwrap_or("default");
    let namespace = job.object.namespace().unwrap_or(namespace);
    let name = job.object.name().unwrap_or_default();
    let about_jobs = |entry: &&Node| entry.get("kind").and_then(Node::as_str) == Some("Job");
    let useless = |entry: &&Node| {
        !jobs.iter().any(|job| compare_patch_target(entry, namespace).matches(job.object))
    };
    let mut entries = compare_patches(&bundle.object.root).filter(about_jobs);
    let finding = match (entries.clone().next(), entries.find(useless)) {
        (_, Some(entry)) => wrong_entry(entry, name, namespace),
        (Some(_), None) => return,
        (None, None) => missing_entry(bundle, name, namespace),
    };
    let text = format!("reports Modified: `job.batch {namespace}/{name} missing`");
    let verdict = PerDeployer::new(Tool::Fleet, finding.severity.unwrap_or(Severity::Info), text);
    found.push((&bundle.object, finding.deployers(vec![verdict])));
}

/// The finding about an entry for Jobs that does not match the Job. Fleet matches every field but the name exactly.
fn wrong_entry(entry: &Node, name: &str, namespace: &str) -> Finding {
    let own = |key: &str| entry.get(key).and_then(Node::as_str).unwrap_or_default();
    let (key, label) = match (own("apiVersion"), own("namespace")) {
        (version, _) if version != "batch/v1" => {
            ("apiVersion", format!("matches no `batch/v1` Job: `{name}` stays Modified"))
        }
        (_, "") => ("kind", format!("without `namespace: {namespace}` this matches no Job")),
        (_, own) if own != namespace => {
            ("namespace", format!("`{name}` lies in `{namespace}`: this matches no Job"))
        }
        _ => ("name", format!("matches no Job of this bundle: `{name}` stays Modified")),
    };
    let span = entry.get(key).map_or(entry.span, |node| node.span);
    let message = format!("this entry does not stop Fleet from reporting Job `{name}` as missing");
    Finding::new(span, label).message(message).severity(Severity::Warning)
}

fn missing_entry(bundle: &Deployment, name: &str, namespace: &str) -> Finding {
    let root = &bundle.object.root;
    let span = root.entries().first().map_or(root.span, |first| first.key_span);
    let label = format!("no `diff.comparePatches` ignores that the TTL removes Job `{name}`");
    let entry = format!(
        "add to `diff.comparePatches`: `{{apiVersion: batch/v1, kind: Job, namespace: {namespace}, \
         name: {name}, operations: [{{op: ignore}}]}}`"
    );
    let message = format!("Fleet reports Modified once the TTL has removed Job `{name}`");
    Finding::new(span, label).message(message).severity(Severity::Info).help(entry)
}
