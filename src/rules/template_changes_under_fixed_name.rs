use job_lifecycle::{
    Object,
    annotations::{ARGO_DELETE_POLICY, ARGO_HOOK, HELM_HOOK, HELM_WEIGHT},
    release_changes::Difference,
    workload::Kind,
};
use yaml_spans::Span;

use super::{Check, Rule, hook_on_pod_template, rejected};
use crate::{
    finding::{Finding, Severity},
    release_changes::is_name,
    template_fix,
    unit::UnitKind,
    words::listed,
    workload::{Rejection, Subject, Why, idle_hook},
};

pub(crate) static RULE: Rule = Rule::new(
    "template-changes-under-fixed-name",
    include_str!("../../rules/template-changes-under-fixed-name.yaml"),
    Check::Workload(check),
);

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    let is_named = job.object.name().or(job.object.generate_name()).is_some();
    if job.context.kind == UnitKind::Overlay || !is_named {
        return; // `kustomize-churn` reports it, `invalid-name` that there is no name.
    }
    let rejections = job.rejections();
    match rejected::finding(job, &rejections, Why::Fixed) {
        Some(finding) => {
            let finding = without_hook(job, finding);
            let is_aside = is_named_per_run(job)
                || is_numbered(job.object)
                || is_cut_off(job.object)
                || is_named_by_image(job, &rejections)
                || is_single_act(job, &finding)
                || leaves_hook_to_users(job)
                || invented(&rejections).is_some_and(|inputs| {
                    inputs.iter().all(|input| is_of_app(input))
                        || finding.severity < Some(Severity::Warning)
                });
            found.push(match is_aside {
                true => finding.pedantic(),
                false => template_fix::offer(job, &rejections, finding),
            });
        }
        None if rejections.is_empty() => found.extend(edited(job)),
        None => {}
    }
}

/// True for a Job that nobody enables: whoever does, for one release, meets only the releases of that time. What each of
/// them changes stays.
fn is_single_act(job: &Subject<'_>, finding: &Finding) -> bool {
    job.context.enabled && finding.severity < Some(Severity::Error)
}

/// Whether a Job that nobody is known to deploy takes its annotations from its users, and gets none here: they decide
/// whether it is a hook.
fn leaves_hook_to_users(job: &Subject<'_>) -> bool {
    let annotations = job.object.root.get("metadata").and_then(|one| one.entry("annotations"));
    job.context.tried && annotations.is_some_and(|entry| job.object.is_left_empty(entry))
}

/// What the next version of a text without a number ends with, which nobody may ever write.
const INVENTED: &str = "-1";

/// Tags that stay as they are while what they name moves on.
const MOVING: [&str; 8] =
    ["canary", "dev", "develop", "edge", "latest", "main", "master", "nightly"];

/// The inputs of the changes if each is one that joblint made up: what follows `latest` in a field that may be a tag, or an
/// appVersion without a number.
pub(crate) fn invented(rejections: &[Rejection<'_>]) -> Option<Vec<String>> {
    let is_invented = |difference: &Difference| {
        let (Some(old), Some(new)) = (&difference.old, &difference.new) else { return false };
        let same = old.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
        let is_added = new.get(same..).and_then(|rest| rest.strip_prefix(INVENTED));
        let tag = old.get(..same).and_then(|text| text.rsplit([':', '/', '"', ' ']).next());
        let is_moving = tag.is_some_and(|tag| MOVING.contains(&tag));
        is_added == old.get(same..)
            && (is_moving || difference.inputs.iter().all(|input| is_of_app(input)))
    };
    let steps = rejections.iter().flat_map(|rejection| &rejection.steps);
    let all: Vec<_> = steps.flat_map(|(_, change)| change.immutable()).collect();
    let inputs = || all.iter().flat_map(|difference| difference.inputs.iter().cloned());
    all.iter().all(|difference| is_invented(difference)).then(|| inputs().collect())
}

fn is_of_app(input: &str) -> bool {
    input.ends_with("Chart.AppVersion")
}

/// True when the name holds a value that has no default, and nothing else does but labels: whoever runs the Job again sets
/// another.
fn is_named_per_run(job: &Subject<'_>) -> bool {
    let name = |object: &Object| object.root.at(&["metadata", "name"]).map(|node| node.span);
    let inputs = |object: &Object, span: Span| {
        let origin = object.source.origin.as_ref();
        origin.map(|origin| origin.inputs(span)).unwrap_or_default()
    };
    let (Some(own), Some(origin)) = (name(job.object), &job.source.origin) else { return false };
    if !origin.is_placeholder(own) {
        return false;
    }
    let mut others: Vec<_> = inputs(job.object, job.pod.span);
    let objects = job.context.objects.iter().filter(|other| !std::ptr::eq(*other, job.object));
    others.extend(
        objects.flat_map(|other| name(other).map_or(Vec::new(), |span| inputs(other, span))),
    );
    inputs(job.object, own)
        .iter()
        .any(|input| input.starts_with("Values.") && !is_name(input) && !others.contains(input))
}

/// Whether the name follows the image of a container, and all that changes under it are images of init containers, such as one
/// that only waits: hardly any release changes these alone.
fn is_named_by_image(job: &Subject<'_>, rejections: &[Rejection<'_>]) -> bool {
    let name = job.object.root.at(&["metadata", "name"]).map(|name| name.span);
    let Some((name, origin)) = name.zip(job.source.origin.as_deref()) else { return false };
    let mut of_name = origin.inputs(name);
    of_name.retain(|input| !is_name(input));
    let images = job.containers().iter().filter_map(|one| one.get("image"));
    let mut of_images = images.flat_map(|image| origin.inputs(image.span));
    let changes =
        rejections.iter().flat_map(|one| &one.steps).flat_map(|(_, step)| step.immutable());
    let is_of_init =
        |one: &Difference| one.path.contains(".initContainers[") && one.path.ends_with(".image");
    of_images.any(|input| of_name.contains(&input)) && changes.into_iter().all(is_of_init)
}

/// Whether the name ends with what no name ends with, as a value that it needs is empty here: whoever deploys or publishes the
/// chart sets it, to another one each time.
fn is_cut_off(job: &Object) -> bool {
    job.name().is_some_and(|name| name.ends_with(['-', '.']))
}

/// Whether a value gives the Job a number, which whoever wants another run raises: `migration-{{ .Values.migration.number }}`.
fn is_numbered(job: &Object) -> bool {
    let name = job.root.at(&["metadata", "name"]);
    let Some((name, origin)) = name.zip(job.source.origin.as_deref()) else { return false };
    let text = job.source.slice(name.span);
    let is_number = |part: &&str| {
        let digits = part.strip_prefix('v').unwrap_or(part);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    text.split(['-', '.', '"', '\'']).filter(is_number).any(|part| {
        let start = name.span.start as usize + (part.as_ptr() as usize - text.as_ptr() as usize);
        let inputs = origin.inputs(Span::new(start, start + part.len()));
        inputs.iter().any(|input| input.contains("Values."))
    })
}

/// Says of a Job with an annotation for hooks that it is not one: as a hook it would be replaced. With an info,
/// `hook-annotation-without-hook` says so.
fn without_hook(job: &Subject<'_>, finding: Finding) -> Finding {
    let Some(entry) = idle_hook::annotation(job.object, job.context) else {
        return hook_on_pod_template::explained(job, finding);
    };
    if finding.severity < Some(Severity::Warning) {
        return finding.pedantic();
    }
    let key = &entry.key;
    let hook = if **key == *ARGO_DELETE_POLICY { ARGO_HOOK } else { HELM_HOOK };
    let does = if **key == *HELM_WEIGHT { "orders" } else { "deletes" };
    finding.label(entry.key_span, format!("{does} nothing: the Job is not a hook")).help(format!(
        "add `{hook}` with the events that run the Job: without it `{key}` has no effect"
    ))
}

/// The finding about a pod template that no release changes: the next manual edit is rejected. Under Argo CD, Flux
/// and Fleet `unreplaceable-job` reports it.
fn edited(job: &Subject<'_>) -> Option<Finding> {
    let changes = job.changes.filter(|_| job.kind == Kind::Job)?;
    let mut patching = job
        .applying()
        .filter(|one| job.is_patched(one) && !changes.under(one).upgrade.gone)
        .peekable();
    patching.peek()?;
    if changes.is_renamed() || job.ttl().is_some() || patching.any(|one| one.tool.is_gitops()) {
        return None;
    }
    let name = job.object.name()?;
    let key = job.object.deepest_key(job.template_path)?;
    let label = match &changes.settled[..] {
        [] => format!("cannot change while the Job is called `{name}`"),
        values => format!("depends on {}, and `{name}` does not", listed(values)),
    };
    let finding = Finding::new(key, label).severity(Severity::Info).pedantic();
    Some(finding.message(format!("the next edit of the pod template of `{name}` will be rejected")))
}
