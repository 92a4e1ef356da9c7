use helm_render::functions::Host;
use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    annotations::{ARGO_DELETE_POLICY, HELM_DELETE_POLICY, HELM_HOOK, RESOURCE_POLICY},
    deploy::{ARGO_POLICIES, AnnotationList, HELM_POLICIES},
};
use yaml_spans::{Node, Span};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Applicability, Finding, PerDeployer, Severity},
    unit::UnitKind,
    words::titled,
    workload::Subject,
};

pub(crate) static RULE: Rule = Rule::new(
    "stale-hook-blocks",
    include_str!("../../rules/stale-hook-blocks.yaml"),
    Check::Object(check),
);

/// What leaves an object behind that each finished run deletes.
const INTERRUPTED: &str = "an interrupted run";

/// What leaves an object behind that nothing runs, and one that each deploy deletes.
const DEPLOY: &str = "a deploy";
const INTERRUPTED_DEPLOY: &str = "an interrupted deploy";

/// Events that occur once in the life of a release.
const ONCE: &[&str] = &["pre-install", "post-install", "pre-delete", "post-delete"];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    if object.name().is_none() {
        return;
    }
    if object.kind() == "CustomResourceDefinition" {
        return check_definition(object, context, found);
    }
    for (key, missing) in
        [(HELM_DELETE_POLICY, HELM_POLICIES[0]), (ARGO_DELETE_POLICY, ARGO_POLICIES[0])]
    {
        let Some(list) = AnnotationList::of(object, key) else { continue };
        let verdicts = context.judge(|deployer| verdict(object, key, &list, deployer, context));
        let Some(worst) = worst(&verdicts).filter(|_| !is_beside_chart(object, context)) else {
            continue;
        };
        if keeps_data(object) {
            found.push(of_data(object, list.entry.value.span, &verdicts, worst));
            continue;
        }
        let label = format!("`{missing}` is missing: {}", worst.text);
        let message = message(object, worst, missing);
        let finding =
            Finding::new(list.entry.value.span, label).message(message).deployers(verdicts.clone());
        let title = format!("add `{missing}`");
        let finding = finding.fix_if(title, Applicability::Unsafe, list.add(missing, true));
        // Whoever runs the tests again sees what is in the way, and only a Helm that is killed gets in its own way.
        let is_rare = worst.severity == Severity::Info
            || is_interrupted(&worst.text)
            || Subject::new(object, context).is_some_and(|job| only_speaks(&job));
        let is_rare = is_rare
            || goes_with_namespace(object, context)
            || is_of_unknown_helm(&verdicts, worst, context);
        let is_meant = is_meant_to_stay(object, list.entry.key_span);
        found.push(match is_rare || is_meant {
            true if is_meant => finding.severity(Severity::Info).pedantic(),
            true => finding.pedantic(),
            false => finding,
        });
    }
}

/// Whether each deploy would fail under Helm 3 alone, and nothing says that it is Helm 3 which deploys: whoever has deployed twice
/// has Helm 4.
fn is_of_unknown_helm(
    verdicts: &[PerDeployer],
    worst: &PerDeployer,
    context: &Context<'_>,
) -> bool {
    worst.text.contains(DEPLOY)
        && verdicts.iter().all(|one| one.tool == Tool::Helm3)
        && context.is_all_assumed()
}

/// Whether an object lies in the folder of a chart and is none of its templates: nothing runs it as a hook.
fn is_beside_chart(object: &Object, context: &Context<'_>) -> bool {
    let names = context.names.filter(|_| context.kind == UnitKind::Plain);
    names.is_some_and(|names| names.are_beside_chart(&object.source.path))
}

/// Whether a hook runs in installations alone, and the uninstall in front of the next one deletes its namespace with all that is in
/// it.
fn goes_with_namespace(object: &Object, context: &Context<'_>) -> bool {
    const INSTALLS: &[&str] = &["pre-install", "post-install"];
    let is_removed =
        |one: &Object| !one.is_annotated_hook() && one.annotation(RESOURCE_POLICY).is_none();
    let mut hooks = context.deployers.iter().filter_map(|one| context.hook(object, one)).peekable();
    context.from_chart()
        && hooks.peek().is_some()
        && hooks.all(|hook| hook.only(INSTALLS))
        && namespaces(object, context).any(is_removed)
}

/// Whether the namespace of a hook is one itself that is deleted before it, with all that is in it.
fn goes_with_hook(
    object: &Object,
    hook: &Hook,
    deployer: &Deployer,
    context: &Context<'_>,
) -> bool {
    namespaces(object, context).any(|one| {
        context.hook(one, deployer).is_some_and(|own| {
            own.is_recreated()
                && own.weight < hook.weight
                && hook.events.iter().all(|event| own.listens_to(event))
        })
    })
}

/// The namespaces of the unit in which an object lies.
fn namespaces<'a>(object: &Object, context: &'a Context<'_>) -> impl Iterator<Item = &'a Object> {
    let name = object.namespace();
    let objects = context.objects.iter().filter(move |_| name.is_some());
    objects.filter(move |one| one.kind() == "Namespace" && one.name() == name)
}

/// Whether a hook is a demonstration: nothing in it can fail.
pub(super) fn only_speaks(job: &Subject<'_>) -> bool {
    let commands = job.commands();
    let containers = ["initContainers", "containers"].into_iter();
    let containers = containers.filter_map(|key| job.pod.get(key)).flat_map(Node::items);
    !commands.is_empty()
        && commands.len() == containers.count()
        && commands.iter().all(|one| shell_effects::only_speaks(&one.analysis))
}

/// What a comment says of a failed hook that somebody wants to look into.
const STAYS: [&str; 9] =
    ["debug", "inspect", "intention", "investigat", "keep", "kept", "leave", "left", "on purpose"];

/// Whether the comment on the lines above a delete policy says that a failed hook is to stay.
fn is_meant_to_stay(object: &Object, key: Span) -> bool {
    let above = &object.source.text
        [..object.source.line_span(object.source.line_of(key.start)).start as usize];
    let lines = above.lines().rev().map(str::trim_start);
    let lines: Vec<_> = lines.map_while(|line| line.strip_prefix('#')).collect();
    let comment = lines.concat().to_ascii_lowercase();
    comment.contains("fail") && STAYS.iter().any(|word| comment.contains(word))
}

/// Kinds that hold data, and those that do if the data are drawn at random or looked up.
const HOLD_DATA: [&str; 2] = ["Namespace", "PersistentVolumeClaim"];
const MAY_HOLD_DATA: [&str; 2] = ["ConfigMap", "Secret"];

/// Whether an object holds what the next one of its name lacks: a password, the files of a volume.
fn keeps_data(object: &Object) -> bool {
    let is_made = |node: &Node| {
        let origin = object.source.origin.as_deref();
        let inputs = origin.map(|origin| origin.written(node.span).inputs).unwrap_or_default();
        inputs.iter().any(|input| input == Host::RANDOM || input == Host::LOOKUP)
    };
    let data = || ["data", "stringData"].into_iter().filter_map(|key| object.root.get(key));
    let kind = object.kind();
    HOLD_DATA.contains(&kind) || MAY_HOLD_DATA.contains(&kind) && data().any(is_made)
}

/// The finding about an object with data. `before-hook-creation` would delete them, which `hook-deletes-data` reports.
fn of_data(object: &Object, at: Span, verdicts: &[PerDeployer], worst: &PerDeployer) -> Finding {
    let finding = Finding::new(at, worst.text.clone())
        .message(effect(object, worst))
        .deployers(verdicts.to_vec())
        .help(
            "Make it no hook: look it up in the template, and add `helm.sh/resource-policy: keep`",
        );
    if is_interrupted(&worst.text) { finding.pedantic() } else { finding }
}

/// For example: a failed run of Job `migrate` blocks the next upgrade: delete policy lacks `before-hook-creation`.
fn message(object: &Object, worst: &PerDeployer, missing: &str) -> String {
    format!("{}: delete policy lacks `{missing}`", effect(object, worst))
}

fn effect(object: &Object, worst: &PerDeployer) -> String {
    let text = worst.text.strip_prefix("after ").unwrap_or(&worst.text);
    let after = text.split(" the next").next().unwrap_or_default();
    let events = object.annotation_text(HELM_HOOK).unwrap_or_default();
    let known =
        [("upgrade", "upgrade"), ("install", "install"), ("test", "test"), ("delete", "uninstall")];
    let known = known.iter().find(|(event, _)| events.contains(event));
    let next = match worst.tool {
        Tool::Argocd => "sync",
        _ => known.map_or("run", |(_, next)| next),
    };
    let title = titled(object);
    match text.ends_with("as done") {
        _ if after == DEPLOY => format!("{title} blocks the next {next}"),
        true => format!("after {after} of {title} the next {next} skips it"),
        false => format!("{after} of {title} blocks the next {next}"),
    }
}

fn worst(verdicts: &[PerDeployer]) -> Option<&PerDeployer> {
    verdicts.iter().rev().max_by_key(|verdict| verdict.severity)
}

fn verdict(
    object: &Object,
    key: &str,
    list: &AnnotationList<'_>,
    deployer: &Deployer,
    context: &Context<'_>,
) -> Option<(Severity, String)> {
    let argocd = deployer.tool == Tool::Argocd;
    let decides = if argocd && object.annotation(ARGO_DELETE_POLICY).is_some() {
        ARGO_DELETE_POLICY
    } else {
        HELM_DELETE_POLICY
    };
    let hook =
        context.hook(object, deployer).filter(|hook| key == decides && !hook.is_recreated())?;
    if context.is_guarded_by_lookup(object, deployer)
        || is_named_anew(object, &hook, argocd, context)
        || goes_with_hook(object, &hook, deployer, context)
    {
        return None;
    }
    // `unknown-delete-policy` reports unknown policies.
    let known = |word: &str| HELM_POLICIES.contains(&word.to_lowercase().as_str());
    if !argocd && !list.tokens.iter().all(|token| known(&token.text)) {
        return None;
    }
    let succeeded = hook.has_policy("hook-succeeded") || hook.has_policy("HookSucceeded");
    let failed = hook.has_policy("hook-failed") || hook.has_policy("HookFailed");
    let is_waited_for = matches!(object.kind(), "Job" | "Pod");
    let after = match (succeeded, failed) {
        // Without a wait there is no failed run: only an interrupted Helm leaves the object behind.
        (true, _) if !is_waited_for => INTERRUPTED_DEPLOY,
        (true, true) => INTERRUPTED,
        (true, false) => "a failed run",
        _ if !is_waited_for => DEPLOY,
        _ => "a successful run",
    };
    let severity = severity(object, &hook, after)?;
    let kind = object.kind();
    let then = match deployer.tool {
        Tool::Argocd if !is_waited_for || hook.only(&["PreDelete", "PostDelete"]) => return None,
        // Argo CD deletes the hooks of a sync that it terminates.
        Tool::Argocd if is_interrupted(after) => return None,
        Tool::Argocd if after == "a failed run" => format!("the next sync fails on the old {kind}"),
        Tool::Argocd => format!("the next sync counts the old {kind} as done"),
        _ if deployer.creates_hooks() => "the next one fails: `already exists`".to_owned(),
        // Server-side apply updates an existing object.
        _ if !is_waited_for => return None,
        _ if after == "a failed run" => format!("the next one fails on the old {kind}"),
        _ => format!("the next one counts the old {kind} as done"),
    };
    Some((severity, format!("after {after} {then}")))
}

/// Whether each rendering gives a hook another name. The first revision of each installation has the same number, and for
/// Argo CD each is the first. It keeps what it has rendered of a commit for a day (argocd 4): no other sync meets the name.
fn is_named_anew(object: &Object, hook: &Hook, argocd: bool, context: &Context<'_>) -> bool {
    let inputs = context.changes.of(object).map(|changes| &changes.name_inputs[..]);
    inputs.unwrap_or_default().iter().any(|input| match input.as_str() {
        Host::RANDOM | Host::TIME => true,
        "Release.Revision" => !argocd && !hook.only(ONCE),
        _ => false,
    })
}

/// Whether a verdict is about a run or deploy that somebody ended.
fn is_interrupted(text: &str) -> bool {
    [INTERRUPTED, INTERRUPTED_DEPLOY].iter().any(|own| text.contains(own))
}

/// Helm never deletes a CustomResourceDefinition, whatever its policy.
fn check_definition(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    // Where the cluster has the definition, its versions are known, and the template may print nothing.
    if object.decided().iter().any(|input| input == "Capabilities.APIVersions") {
        return;
    }
    let verdicts = context.judge(|deployer| {
        let hook = context.hook(object, deployer)?;
        let creates = deployer.tool != Tool::Argocd && deployer.creates_hooks();
        let severity = if hook.only(ONCE) { Severity::Warning } else { Severity::Error };
        creates.then(|| (severity, "the next run fails: `already exists`".to_owned()))
    });
    if verdicts.is_empty() || is_beside_chart(object, context) {
        return;
    }
    if let Some(kind) = object.root.get("kind") {
        let label = "Helm never deletes a definition: the next run fails: `already exists`";
        let message = format!("the next run of {} fails: Helm never deletes it", titled(object));
        let finding = Finding::new(kind.span, label).message(message).deployers(verdicts);
        found.push(finding.help(DEFINITION));
    }
}

/// The remedy for a definition, which no delete policy removes (helm A.5).
const DEFINITION: &str = "Move the definition to `crds/`, or make it an ordinary object";

/// A TTL after which whoever looks into the failure finds the Job gone, in seconds.
const SHORT: i64 = 3600;

/// The severity, lower for hooks that run once per release or have a TTL: they block less often.
fn severity(object: &Object, hook: &Hook, after: &str) -> Option<Severity> {
    let once = hook.only(ONCE);
    let ttl = object.root.at(&["spec", "ttlSecondsAfterFinished"]);
    let is_short = ttl.and_then(|node| node.as_int()).is_some_and(|seconds| seconds <= SHORT);
    let ttl = ttl.is_some();
    if is_short {
        return (!is_interrupted(after)).then_some(Severity::Info);
    }
    match (after, once || ttl, hook.is_test()) {
        (INTERRUPTED | INTERRUPTED_DEPLOY, false, false) => Some(Severity::Warning),
        (INTERRUPTED | INTERRUPTED_DEPLOY, ..) => None,
        (.., true) => Some(Severity::Info),
        (_, true, _) => Some(Severity::Warning),
        _ => Some(Severity::Error),
    }
}
