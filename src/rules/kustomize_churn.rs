use std::sync::Arc;

use job_lifecycle::{
    Object, Tool,
    release_changes::{Difference, ends_in_tag},
    workload::{any_pod, images, kind_of},
};
use yaml_spans::{self as yaml, Node, Source, Span};

use super::{Check, Rule, rejected::once};
use crate::{
    command::Command,
    finding::{Applicability, Finding, RaisedFix, Severity},
    fix,
    unit::UnitKind,
    words::listed,
    workload::{AfterTtl, Rejection, Subject},
};

pub(crate) static RULE: Rule = Rule::new(
    "kustomize-churn",
    include_str!("../../rules/kustomize-churn.yaml"),
    Check::Workload(check),
);

/// The number of further inputs that get a label.
const MAX_LABELS: usize = 3;

/// The option of a generator that leaves the hash out of the name.
const OPTION: &str = "disableNameSuffixHash";

fn check(job: &Subject<'_>, found: &mut Vec<Finding>) {
    if job.context.kind != UnitKind::Overlay {
        return;
    }
    let is_recreated = |after: &AfterTtl| matches!(after, AfterTtl::Recreated(_));
    if job.after_ttl().iter().any(|(_, after)| is_recreated(after)) {
        return; // `ttl-reruns` reports it.
    }
    let rejections = job.rejections();
    let worst = rejections.iter().max_by_key(|rejection| rejection.severity);
    found.extend(worst.and_then(|worst| finding(job, worst, &rejections)));
}

/// A finding at the input that changes the Job.
fn finding(job: &Subject<'_>, worst: &Rejection<'_>, all: &[Rejection<'_>]) -> Option<Finding> {
    let differences = worst.differences();
    let first = differences.first()?;
    let at = first.at.as_ref()?;
    let (name, node) = (job.object.name()?, job.object.root.at(&["metadata", "name"])?);
    let mut finding = Finding::new_in(&at.source, at.span, changes(first))
        .message(message(job, worst, first))
        .label(node.span, format!("`{name}` stays the same"))
        .deployers(all.iter().map(Rejection::verdict).collect())
        .explained();
    // Whoever edits the image of a Job in its own file can see its name, and the TTL soon makes room. A bot does not look.
    let edits = differences.iter().all(|one| one.inputs == ["image"]);
    let is_bumped = job.context.bumped || differences.iter().any(|one| is_bumped(one));
    // Whoever changes the version changes that in the name too. Nobody is known to apply it twice within the TTL.
    let images = any_pod(job.object).into_iter().flat_map(images).filter_map(Node::as_str);
    if ends_in_tag(name, images)
        || worst.is_brief()
        || worst.expiry.is_some() && worst.deployer.assumed
        || edits && (worst.severity == Severity::Info || !is_bumped || runs_script_in_tool(job))
    {
        finding = finding.pedantic();
    }
    if job.may_spoil() {
        finding = finding.help(once(worst.deployer.tool));
    } else if edits {
        finding = finding.help(help_for_image(job));
    } else if let Some(label) = only_label(&differences) {
        finding = finding.help(format!("Move `{label}` to {PLAIN_LABELS}"));
    }
    for other in differences.iter().skip(1).take(MAX_LABELS) {
        if let Some(at) = &other.at {
            finding = finding.label_in(&at.source, at.span, changes(other));
        }
    }
    finding.fixes.extend(without_hash(&at.source, at.span));
    Some(finding)
}

/// Where a label of a kustomization changes neither pod templates nor selectors, which are immutable too.
/// <https://kubectl.docs.kubernetes.io/references/kustomize/kustomization/labels/>
const PLAIN_LABELS: &str = "an entry of `labels` without `includeSelectors` and `includeTemplates`, and recreate once whatever \
has it in a selector";

/// The key of the label of a kustomization that alone changes the Job.
fn only_label<'a>(differences: &[&'a Difference]) -> Option<&'a str> {
    let [only] = differences else { return None };
    let key = only.path.strip_prefix("spec.template.metadata.labels.")?;
    (only.inputs == ["labels"]).then_some(key)
}

/// What to do about an image, which no generator changes.
fn help_for_image(job: &Subject<'_>) -> String {
    let tools = job.context.tools();
    let replaced = [
        (Tool::Flux, "`kustomize.toolkit.fluxcd.io/force: enabled` under Flux"),
        (Tool::Argocd, "`Force=true` under Argo CD, without server-side apply"),
    ];
    let known = replaced.iter().filter(|(tool, _)| tools.contains(tool)).map(|(_, how)| *how);
    let known: Vec<_> = known.collect();
    let name = "put the version of the image into the name of the Job";
    match known.is_empty() {
        true => name.to_owned(),
        false => format!("{name}, or let the deployer replace the Job: {}", known.join(", ")),
    }
}

/// For example: next change of `newTag` will be rejected: pod template of Job `migrate` changes, its name does not.
fn message(job: &Subject<'_>, worst: &Rejection<'_>, first: &Difference) -> String {
    let (inputs, title) = (listed(&first.inputs), job.title());
    let change = match worst.expiry {
        Some(_) => format!("a change of {inputs} within the TTL"),
        None => format!("next change of {inputs}"),
    };
    format!("{change} will be rejected: pod template of {title} changes, its name does not")
}

/// True when nobody raises the image by hand: it has a digest, or a comment beside it names the bot.
fn is_bumped(image: &Difference) -> bool {
    let Some(at) = &image.at else { return false };
    let line = at.source.line_of(at.span.start);
    let near = [line.saturating_sub(1).max(1), line];
    let mut comments = near.iter().filter_map(|line| {
        let (_, comment) = at.source.slice(at.source.line_span(*line)).split_once('#')?;
        Some(comment)
    });
    let names_bot =
        comments.any(|one| ["$imagepolicy", "renovate"].iter().any(|bot| one.contains(bot)));
    names_bot || has_digest(image)
}

/// True when what changes is written with a digest.
fn has_digest(image: &Difference) -> bool {
    image.at.as_ref().is_some_and(|at| at.source.slice(at.span).contains("@sha256:"))
}

/// True when a script that the manifest holds is all the Job runs, and nothing but Jobs here runs its image: it only provides
/// the tools, and is not what a release changes.
fn runs_script_in_tool(job: &Subject<'_>) -> bool {
    let is_script = |command: &Command<'_>| command.analysis.invocations.len() > 1;
    let own: Vec<_> = images_of(job.object).collect();
    let others = job.context.objects.iter().filter(|other| kind_of(other).is_none());
    let is_shared = others.flat_map(images_of).any(|image| own.contains(&image));
    let commands = job.commands();
    !is_shared && commands.len() == own.len() && commands.iter().all(is_script)
}

/// The names of the images that an object runs.
fn images_of(object: &Object) -> impl Iterator<Item = &str> {
    any_pod(object).into_iter().flat_map(images).filter_map(Node::as_str).map(name_of)
}

/// An image without its tag or digest.
fn name_of(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or(image);
    let tag = image.rfind(':').filter(|at| !image[*at..].contains('/'));
    &image[..tag.unwrap_or(image.len())]
}

/// Leaves the hash out of the name of what a generator makes. A build proves that nothing else changes the Job.
fn without_hash(source: &Arc<Source>, at: Span) -> Option<RaisedFix> {
    let documents = yaml::parse(&source.text);
    let [Ok(document)] = &documents[..] else { return None };
    let generators = ["configMapGenerator", "secretGenerator"];
    let mut items =
        generators.iter().filter_map(|key| document.root.get(key)).flat_map(Node::items);
    let generator = items.find(|item| item.span.contains(at))?;
    let edit = match generator.get("options") {
        Some(options) => fix::insert_first(source, options, OPTION, "true")?,
        None => fix::append(source, generator, &format!("options: {{{OPTION}: true}}"))?,
    };
    Some(RaisedFix {
        title: format!("set `{OPTION}`"),
        applicability: Applicability::Unsafe,
        source: Some(source.clone()).filter(|source| source.editable),
        edits: vec![edit],
    })
}

/// For example: `app:1.4.2` becomes `app:1.4.3` in `spec.template.spec.containers[0].image`.
fn changes(difference: &Difference) -> String {
    let path = &difference.path;
    match (&difference.old, &difference.new) {
        // Nobody knows it before.
        _ if has_digest(difference) => format!("the next digest changes `{path}`"),
        (Some(old), Some(new)) if old != new => format!("`{old}` becomes `{new}` in `{path}`"),
        _ => format!("changes `{path}`"),
    }
}
