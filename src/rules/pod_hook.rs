use job_lifecycle::{
    Object, Tool,
    annotations::{ARGO_DELETE_POLICY, HELM_DELETE_POLICY},
};
use shell_effects::{
    Analysis, Catalogue, Container, Invocation, analyse, endless, is_inside, unbounded_waits,
};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule =
    Rule::new("pod-hook", include_str!("../../rules/pod-hook.yaml"), Check::Object(check));

/// The events of an uninstall, in the words of Helm and of Argo CD.
const REMOVAL: &[&str] = &["pre-delete", "post-delete", "PreDelete", "PostDelete"];

/// Those after which nothing of the release is left.
const AFTER_REMOVAL: &[&str] = &["post-delete", "PostDelete"];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    if (object.api_version(), object.kind()) != ("v1", "Pod") {
        return;
    }
    let verdicts = context.judge(|deployer| {
        let hook = context.hook(object, deployer).filter(|hook| !hook.is_test())?;
        let text = match deployer.tool {
            Tool::Argocd => "one failure of the pod fails the sync",
            _ if hook.only(REMOVAL) => "one failure of the pod fails the uninstall",
            _ => "one failure of the pod fails the release",
        };
        Some((Severity::Warning, text.to_owned()))
    });
    if verdicts.is_empty() {
        return;
    }
    let hooks = context.deployers.iter().filter_map(|one| context.hook(object, one));
    let hooks: Vec<_> = hooks.collect();
    let all_only = |events| hooks.iter().all(|hook| hook.only(events));
    let event = if all_only(REMOVAL) { "uninstall" } else { "deploy" };
    let Some(kind) = object.root.get("kind") else { return };
    let (label, message) = match is_restarted(object) {
        true => (
            "no controller makes this pod anew when its node is lost",
            format!("{} is lost with its node: nothing makes it anew", titled(object)),
        ),
        false => (
            "no controller retries this pod",
            format!("one failure of {} fails the {event}: nothing retries it", titled(object)),
        ),
    };
    let finding = Finding::new(kind.span, label).message(message).deployers(verdicts);
    // A retry of `helm test` would test twice.
    let is_test = hooks.iter().any(|hook| hook.listens_to("test"));
    // No chart brings it to Helm.
    let is_stray = context.is_assumed() && !context.from_chart();
    let is_aside = is_restarted(object)
        || is_stray
        || stays(object, context)
        || all_only(AFTER_REMOVAL)
        || is_test
        || is_safe_alone(object);
    found.push(if is_aside { finding.pedantic() } else { finding });
}

/// Whether the kubelet starts the containers again in the same pod.
/// <https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#restart-policy>
fn is_restarted(object: &Object) -> bool {
    let policy = object.root.at(&["spec", "restartPolicy"]).and_then(Node::as_str);
    policy != Some("Never")
}

/// Programs that answer the same each time.
const ALWAYS_THE_SAME: [&str; 20] = [
    "[", "[[", "awk", "cat", "cut", "echo", "exit", "expr", "false", "grep", "head", "jq",
    "printf", "sed", "sort", "test", "tr", "true", "wc", "yq",
];

/// Whether a retry would change nothing: each container of the pod only waits, or each only looks at what it is given.
fn is_safe_alone(object: &Object) -> bool {
    let containers = object.root.at(&["spec", "containers"]).map(Node::items).unwrap_or_default();
    let analysis = |container: &Node| {
        let words = ["command", "args"].iter().filter_map(|key| container.get(key));
        let words: Vec<_> = words.flat_map(Node::items).filter_map(Node::as_str).collect();
        analyse(Catalogue::built_in(), &words, &Container::default())
    };
    let scripts: Vec<_> = containers.iter().map(analysis).collect();
    let all = |holds: fn(&Analysis) -> bool| scripts.iter().all(holds);
    !scripts.is_empty() && (all(never_fails) || all(only_validates))
}

/// Whether a script only looks at what it is given: a retry would find the same.
fn only_validates(script: &Analysis) -> bool {
    let is_same = |one: &Invocation| ALWAYS_THE_SAME.contains(&one.program_name());
    !script.invocations.is_empty() && script.invocations.iter().all(is_same)
}

/// Whether a script only waits: it does not end, or repeats what fails.
fn never_fails(script: &Analysis) -> bool {
    let loops: Vec<_> = unbounded_waits(script).iter().map(|wait| wait.location).collect();
    let ends = |one: &Invocation| {
        let is_repeated = loops.iter().any(|all| is_inside(one.location, *all));
        one.program_name() != "echo" && !is_repeated
    };
    !endless(script).is_empty() || !loops.is_empty() && !script.invocations.iter().any(ends)
}

/// Whether the pod of a failed run is in the way of the next: the delete policy is what has to change first, and
/// `stale-hook-blocks` says so.
fn stays(object: &Object, context: &Context<'_>) -> bool {
    let mut hooks = context.deployers.iter().filter_map(|one| context.hook(object, one));
    let is_stated =
        [HELM_DELETE_POLICY, ARGO_DELETE_POLICY].iter().any(|key| object.annotation(key).is_some());
    is_stated && hooks.any(|hook| !hook.is_recreated())
}
