//! Findings about a Job whose immutable fields change under the same name.

use job_lifecycle::{
    Tool,
    deploy::has_sync_option,
    kubernetes::FieldError,
    release_changes::{Difference, Step},
};
use yaml_spans::{Entry, Node, Span};

use crate::{
    finding::Finding,
    template_fix,
    unit::UnitKind,
    words::{listed, one_line, shown_name},
    workload::{Rejection, Subject, Why},
};

/// The number of further differences that get a label.
const MAX_LABELS: usize = 3;

/// A validation error as a finding, in the API server's words.
pub(super) fn by_server(job: &Subject<'_>, error: FieldError) -> Finding {
    let (mut reason, help) = reason(&error.message);
    if let Some((path, pair)) = pair(job, &error) {
        reason = reason.replacen(&format!("`{path}`"), &format!("`{path}`: `{pair}`"), 1);
    }
    let message = format!("API server will reject {}: {reason}", job.title());
    let volume = missing_volume(&error.message).map(str::to_owned);
    let is_base = leaves_containers(job, &error.message);
    let finding = Finding::from(error).message(message);
    let finding = if is_base { finding.pedantic() } else { finding };
    match volume {
        Some(volume) => {
            let is_left_open = is_commented_out(job, &volume);
            let finding = finding.help(format!("Add the volume `{volume}`, or correct the name"));
            if is_left_open { finding.pedantic() } else { finding }
        }
        None if finding.help.is_none() => finding.help(help),
        None => finding,
    }
}

/// Whether a kustomization leaves the containers to those who build on it: nobody forgets all of them.
fn leaves_containers(job: &Subject<'_>, error: &str) -> bool {
    job.context.kind == UnitKind::Overlay && error.ends_with(".spec.containers: Required value")
}

/// The volume that a mount names and the pod does not have.
fn missing_volume(error: &str) -> Option<&str> {
    let (path, name) = error.split_once(": Not found: ")?;
    path.contains(".volumeMounts[").then(|| name.trim_matches('"'))
}

/// Whether comments of the file hold a list of volumes with the one that is missing: each user adds their own by that name.
fn is_commented_out(job: &Subject<'_>, volume: &str) -> bool {
    let text = job.source.slice(job.object.document);
    let comments = text.lines().filter_map(|line| line.trim_start().strip_prefix('#'));
    let mut comments = comments.map(|line| line.trim().trim_start_matches("- "));
    comments.any(|line| line == "volumes:")
        && comments.any(|line| line.strip_prefix("name:").is_some_and(|name| name.trim() == volume))
}

/// The longest value, in characters, that a headline repeats.
const LONGEST: usize = 40;

/// The path of a map, such as labels, and the pair in it that the API server refuses: it names only the map.
fn pair(job: &Subject<'_>, error: &FieldError) -> Option<(String, String)> {
    let (path, _) = error.message.split_once(": Invalid value: ")?;
    let entry = entry_of(&job.object.root, error.span)?;
    let value = entry.value.as_str().filter(|value| value.chars().count() <= LONGEST)?;
    let is_named = path.ends_with(&*entry.key);
    (!is_named).then(|| (short_path(path).to_owned(), one_line(&format!("{}: {value}", entry.key))))
}

/// The entry of a map with a value at a place.
fn entry_of(node: &Node, value: Span) -> Option<&Entry> {
    let own = node.entries().iter().find(|entry| entry.value.span == value);
    let below = || node.entries().iter().find_map(|entry| entry_of(&entry.value, value));
    own.or_else(below).or_else(|| node.items().iter().find_map(|item| entry_of(item, value)))
}

/// What is wrong with a field, and what to do, from the words of the API server: `spec.parallelism: Required value`.
fn reason(error: &str) -> (String, String) {
    let (path, rest) = error.split_once(": ").unwrap_or(("", error));
    let field = format!("`{}`", short_path(path));
    let (kind, detail) = rest.split_once(": ").unwrap_or((rest, ""));
    match kind {
        "Required value" => (format!("{field} is missing"), format!("set {field}")),
        "Forbidden" => (format!("{field}: {detail}"), format!("remove {field}")),
        "Unsupported value" | "Invalid value" => {
            let own = detail.split_once("\": ").map_or(detail, |(_, own)| own);
            let own = match own.split_once(": ") {
                Some((value, own)) if !value.contains(' ') => own,
                _ => own,
            };
            let own = own.split(" (").next().unwrap_or(own);
            // "a lowercase RFC 1123 subdomain must consist of …"
            let kind = own.find(" must ").filter(|_| own.starts_with("a "));
            let own = kind.map_or(own, |end| &own[end + 1..]);
            let is = if own.starts_with("must ") || own.starts_with("may ") { "" } else { ":" };
            (format!("{field}{is} {own}"), format!("change {field}"))
        }
        _ => (error.to_owned(), format!("change {field}")),
    }
}

/// A path without the fields that every Job or CronJob has around its pod.
pub(super) fn short_path(path: &str) -> &str {
    const PODS: [&str; 2] = ["spec.jobTemplate.spec.template.spec.", "spec.template.spec."];
    PODS.iter().find_map(|pod| path.strip_prefix(pod)).unwrap_or(path)
}

/// A finding about the name of a chart's workload, with a label for the helper that printed it but none for its
/// values.
pub(super) fn name_finding(job: &Subject<'_>, label: String) -> Option<Finding> {
    let name = job.object.root.at(&["metadata", "name"])?;
    let finding = Finding::new(name.span, label).explained();
    Some(match job.changes.and_then(|changes| changes.name_helper.as_ref()) {
        Some(helper) => finding.label_in(&helper.source, helper.span, &helper.text),
        None => finding,
    })
}

/// One finding for all rejections of a kind; `None` if there are none.
pub(super) fn finding(job: &Subject<'_>, all: &[Rejection<'_>], why: Why) -> Option<Finding> {
    let own: Vec<_> = all.iter().filter(|rejection| rejection.why == why).collect();
    let worst = own.iter().max_by_key(|rejection| rejection.severity)?;
    let differences = worst.differences();
    let (first, rest) = differences.split_first()?;
    let name = job.object.root.at(&["metadata", "name"])?;
    let name_label = match why {
        Why::Fixed => format!("`{}` stays the same", shown_name(job.object)),
        Why::Incomplete => format!("does not change with {}", listed(&first.inputs)),
        Why::Stateless => format!("`{}` stays the same here", shown_name(job.object)),
    };
    let mut finding = Finding::new(first.span, label(first))
        .label(name.span, name_label)
        .help(match job.may_spoil() {
            true => once(worst.deployer.tool).to_owned(),
            false => {
                let may_be_hook = job.may_be_hook() && !template_fix::is_awaited(job);
                help(&differences, why, worst.deployer.tool, may_be_hook)
            }
        })
        .deployers(own.iter().map(|rejection| rejection.verdict()).collect())
        .explained();
    for cause in &first.causes {
        finding = finding.label_in(&cause.source, cause.span, &cause.text);
    }
    for other in rest.iter().take(MAX_LABELS) {
        finding = finding.label(other.span, label(other));
    }
    let is_gone = job.context.is_deleted_after_run(job.object);
    if worst.is_brief() || is_answered(job, &own) || is_gone {
        finding = finding.pedantic();
    }
    Some(finding.message(message(job, worst, first)))
}

/// Whether Argo CD is to replace the Job, as its annotation wants (`replace-without-force` says what that may lack), and that others
/// deploy it is only assumed.
fn is_answered(job: &Subject<'_>, rejections: &[&Rejection<'_>]) -> bool {
    ["Force=true", "Replace=true"].iter().any(|option| has_sync_option(job.object, option))
        && rejections.iter().all(|one| one.deployer.assumed)
}

/// For example: next upgrade will fail: pod template of `init` changes with `Chart.Version`, its name does not.
fn message(job: &Subject<'_>, worst: &Rejection<'_>, first: &Difference) -> String {
    let (article, deploy) = match worst.deployer.tool {
        Tool::Argocd => ("a", "sync"),
        Tool::Kubectl => ("a", "`kubectl apply`"),
        Tool::Fleet => ("a", "deployment"),
        Tool::Helm3 | Tool::Helm4 | Tool::Flux => ("an", "upgrade"),
    };
    let is_raised = |step: &Step| matches!(step, Step::Dependencies | Step::Value(_));
    let start = match worst.steps.iter().all(|one| is_raised(&one.0)) {
        _ if worst.expiry.is_some() => format!("{article} {deploy} within the TTL will fail"),
        true if worst.steps.iter().all(|one| matches!(one.0, Step::Dependencies)) => {
            format!("{article} {deploy} with a new dependency will fail")
        }
        true => format!("{article} {deploy} with a new value will fail"),
        false => format!("next {deploy} will fail"),
    };
    let name = shown_name(job.object);
    let what = match first.path.starts_with("spec.template") {
        true => "pod template".to_owned(),
        false => format!("`{}`", first.path),
    };
    let inputs = match first.approximate {
        true => "every release".to_owned(),
        false => listed(&first.inputs),
    };
    format!("{start}: {what} of `{name}` changes with {inputs}, its name does not")
}

/// For example: `spec.template…image` follows `Values.image.tag`: `app:1.4.2` → `app:1.4.3`.
fn label(difference: &Difference) -> String {
    let shown = |text: &Option<String>| match text {
        Some(text) => format!("`{text}`"),
        None => "nothing".to_owned(),
    };
    let cause = match (difference.approximate, difference.by_condition) {
        (true, _) => "changes with a release".to_owned(),
        (_, true) => format!("depends on {}", listed(&difference.inputs)),
        _ => format!("follows {}", listed(&difference.inputs)),
    };
    let (old, new) = (shown(&difference.old), shown(&difference.new));
    match old == new {
        true => format!("`{}` {cause}", difference.path),
        false => format!("`{}` {cause}: {old} → {new}", difference.path),
    }
}

/// What to do about a Job that had better not run again.
pub(super) fn once(tool: Tool) -> &'static str {
    match tool {
        Tool::Helm3 | Tool::Helm4 | Tool::Flux => {
            "delete the finished Job before the upgrade, or run it only at install (`helm.sh/hook: post-install`): \
             under another name, or as an upgrade hook, it would do its work again, which may not be safe"
        }
        Tool::Argocd | Tool::Fleet | Tool::Kubectl => {
            "delete the finished Job before you deploy a change: under another name, or as a hook, it would do its work again, \
             which may not be safe"
        }
    }
}

fn help(differences: &[&Difference], why: Why, tool: Tool, may_be_hook: bool) -> String {
    let metadata =
        |difference: &&Difference| difference.path.starts_with("spec.template.metadata.");
    let hook = match tool {
        Tool::Argocd => "make it a hook with `BeforeHookCreation`",
        _ => "make it a hook with `before-hook-creation`",
    };
    match (why, differences.iter().all(metadata)) {
        (Why::Incomplete, _) => {
            let mut inputs: Vec<_> =
                differences.iter().flat_map(|one| one.inputs.clone()).collect();
            inputs.sort();
            inputs.dedup();
            match may_be_hook {
                true => format!("let the name change with {} too, or {hook}", listed(&inputs)),
                false => format!("let the name change with {} too", listed(&inputs)),
            }
        }
        (_, true) if !may_be_hook => {
            "leave what changes out of the labels and annotations of the pod template, or put a hash of it into the name"
                .to_owned()
        }
        (_, true) => format!(
            "leave what changes out of the labels and annotations of the pod template, put a hash of it \
             into the name, or {hook}"
        ),
        (_, false) if !may_be_hook => "put a hash of what changes into the name".to_owned(),
        (_, false) => format!("put a hash of what changes into the name, or {hook}"),
    }
}
