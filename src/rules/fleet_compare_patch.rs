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
    let jobs = named_jobs(context);
    let Some(job) = jobs.iter().find(|job| is_missed(job, bundle)) else { return };
    let Some(entry) = useless_entry(bundle, &jobs, job) else { return };
    let (name, namespace) = (job.object.name().unwrap_or_default(), namespace(bundle, job));
    let text = format!("reports Modified: `job.batch {namespace}/{name} missing`");
    let verdict = PerDeployer::new(Tool::Fleet, Severity::Warning, text);
    let finding = wrong_entry(entry, name, namespace).deployers(vec![verdict]);
    found.push((&bundle.object, finding));
}

/// Whether an entry that should cover the Job, and does not, is reported.
pub(super) fn is_reported(job: &Subject<'_>) -> bool {
    let has_entries =
        |bundle: &&Deployment| compare_patches(&bundle.object.root).any(is_about_jobs);
    let bundles = job.context.deployments.iter().map(|one| &**one);
    bundles.filter(has_entries).any(|bundle| {
        let jobs = named_jobs(job.context);
        let first = jobs.iter().find(|one| is_missed(one, bundle));
        first.is_some_and(|first| std::ptr::eq(first.object, job.object))
            && useless_entry(bundle, &jobs, job).is_some()
    })
}

/// The entry that keeps Fleet from reporting the Job, for the help of a finding about it. `None` if no bundle of the
/// tree deploys it, or if there are entries for Jobs already.
pub(super) fn missing_entry(job: &Subject<'_>) -> Option<String> {
    let bundle = job.context.deployments.iter().find(|one| is_missed(job, one))?;
    if compare_patches(&bundle.object.root).any(is_about_jobs) {
        return None;
    }
    let (name, namespace) = (job.object.name()?, namespace(bundle, job));
    Some(format!(
        "`{{apiVersion: batch/v1, kind: Job, namespace: {namespace}, name: {name}, operations: [{{op: ignore}}]}}`"
    ))
}

fn named_jobs<'a>(context: &'a Context<'a>) -> Vec<Subject<'a>> {
    let subjects = context.objects.iter().filter_map(|object| Subject::new(object, context));
    subjects.filter(|job| job.kind == Kind::Job && job.object.name().is_some()).collect()
}

/// Whether Fleet reports the Job of the bundle as missing once its TTL has removed it.
fn is_missed(job: &Subject<'_>, bundle: &Deployment) -> bool {
    let mut after = job.after_ttl().into_iter();
    bundle.deployer.tool == Tool::Fleet
        && after.any(|(of, after)| *of == bundle.deployer && matches!(after, AfterTtl::Reported(_)))
}

fn namespace<'n>(bundle: &'n Deployment, job: &'n Subject<'_>) -> &'n str {
    job.object.namespace().or(bundle.namespace.as_deref()).unwrap_or("default")
}

fn is_about_jobs(entry: &Node) -> bool {
    entry.get("kind").and_then(Node::as_str) == Some("Job")
}

/// The first entry for Jobs that matches none of the bundle.
fn useless_entry<'a>(
    bundle: &'a Deployment,
    jobs: &[Subject<'_>],
    job: &Subject<'_>,
) -> Option<&'a Node> {
    let namespace = namespace(bundle, job);
    let useless = |entry: &&Node| {
        !jobs.iter().any(|job| compare_patch_target(entry, namespace).matches(job.object))
    };
    compare_patches(&bundle.object.root).filter(|entry| is_about_jobs(entry)).find(useless)
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
    Finding::new(span, label).message(message)
}
