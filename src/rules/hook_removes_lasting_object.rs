mod account;
mod needed;

use job_lifecycle::{
    Deployer, Hook, Object, Tool,
    deploy::needs,
    workload::{any_pod, references_of},
};
use yaml_spans::Node;

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::{quoted, titled},
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-removes-lasting-object",
    include_str!("../../rules/hook-removes-lasting-object.yaml"),
    Check::Object(check),
);

/// Controllers whose pods are to run on after the deploy, or begin after it. No deployer waits for those pods.
const LASTING: [(&str, &str); 4] =
    [("batch", "CronJob"), ("apps", "Deployment"), ("apps", "StatefulSet"), ("apps", "DaemonSet")];

/// What pods need before they start.
const NEEDED: [&str; 4] = ["ConfigMap", "PersistentVolumeClaim", "Secret", "ServiceAccount"];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let is_needed = object.group().is_empty() && NEEDED.contains(&object.kind());
    if !is_needed && !LASTING.contains(&(object.group(), object.kind())) {
        return;
    }
    let Some(span) = object.root.get("kind").map(|node| node.span) else { return };
    let verdicts = context.judge(|deployer| {
        let hook = context.hook(object, deployer)?;
        if is_needed {
            return needed::removed(object, &hook, deployer, context)
                .or_else(|| account::renewed(object, &hook, deployer, context));
        }
        let is_passing = is_for_another(object, &hook, deployer, context);
        removed(object, &hook, deployer)
            .filter(|_| !is_passing || !deletes_at_end(&hook) && serves(object, deployer, context))
    });
    let Some(worst) = verdicts.first() else { return };
    let label = format!("as a hook it {}", worst.text);
    let message = format!("{} {}", titled(object), worst.text);
    let severity = worst.severity;
    let finding = Finding::new(span, label).message(message).deployers(verdicts);
    found.push(match severity {
        _ if !is_needed || !is_needed_by_hook(object, context) => finding,
        Severity::Warning => finding.help(OWN_ACCOUNT),
        _ => finding.help(KEEP),
    });
}

/// The remedy where a hook needs the object before there are ordinary ones.
const KEEP: &str = "Leave `hook-succeeded` out of its delete policy, or give the hook a copy of its own under another name";

/// The remedy where hooks and pods that run on share an account.
const OWN_ACCOUNT: &str = "Give the hooks an account of their own, and take the hook annotations off this one (`helm upgrade --take-ownership` \
     takes it over)";

/// Whether a hook needs the object, too.
fn is_needed_by_hook(object: &Object, context: &Context<'_>) -> bool {
    let mut hooks = context.objects.iter().filter(|user| user.is_annotated_hook());
    hooks.any(|user| !needs(user, [object]).is_empty())
}

/// What the delete policy of a hook does to an object that is to last.
fn removed(object: &Object, hook: &Hook, deployer: &Deployer) -> Option<(Severity, String)> {
    if !is_of_deploy(hook, deployer) {
        return None;
    }
    if deletes_at_end(hook) {
        let what =
            if object.kind() == "CronJob" { "before its first run" } else { "with its pods" };
        let text = format!("is deleted at the end of {}, {what}", quoted(&hook.events));
        return Some((Severity::Error, text));
    }
    let recreated = deployer.tool != Tool::Argocd
        && matches!(object.kind(), "Deployment" | "StatefulSet")
        && hook.is_recreated()
        && is_of_upgrade(hook);
    let text = "is deleted and created again at each upgrade, together with its pods";
    recreated.then(|| (Severity::Warning, text.to_owned()))
}

/// Whether a hook belongs to a deploy, and not to an uninstall or a test.
fn is_of_deploy(hook: &Hook, deployer: &Deployer) -> bool {
    match deployer.tool {
        Tool::Argocd => hook.is_of_sync(),
        _ => {
            hook.events.iter().any(|event| event.ends_with("install") || event.ends_with("upgrade"))
        }
    }
}

/// Whether Helm runs a hook at each upgrade.
fn is_of_upgrade(hook: &Hook) -> bool {
    ["pre-upgrade", "post-upgrade"].iter().any(|event| hook.listens_to(event))
}

/// The objects that are no hooks of a deployer.
fn plain<'o>(context: &Context<'o>, deployer: &Deployer) -> impl Iterator<Item = &'o Object> {
    context.objects.iter().filter(|one| context.hook(one, deployer).is_none())
}

fn deletes_at_end(hook: &Hook) -> bool {
    ["hook-succeeded", "HookSucceeded"].iter().any(|policy| hook.has_policy(policy))
}

/// Whether an object of the release that is no hook is told the name of this one: `DB_HOST` in its pod, or in a ConfigMap
/// that its pod reads.
fn serves(object: &Object, deployer: &Deployer, context: &Context<'_>) -> bool {
    let Some(name) = object.name() else { return false };
    plain(context, deployer).filter_map(any_pod).any(|pod| {
        let containers = pod.get("containers").map(Node::items).unwrap_or_default();
        let mut variables =
            containers.iter().filter_map(|one| one.get("env")).flat_map(Node::items);
        let read = references_of(pod);
        let is_read = |one: &&Object| {
            read.iter().any(|read| read.kind == one.kind() && Some(read.name) == one.name())
        };
        let settings = context.objects.iter().filter(|one| one.kind() == "ConfigMap");
        let data = settings.filter(is_read).filter_map(|one| one.root.get("data"));
        variables.any(|one| one.get("value").is_some_and(|value| is_host(value, name)))
            || data.flat_map(Node::entries).any(|entry| is_host(&entry.value, name))
    })
}

/// Whether a value is the name of a host, or an address with it: `db`, `db:5432`, `postgres://app@db/app`.
fn is_host(value: &Node, name: &str) -> bool {
    let Some(text) = value.as_str() else { return false };
    let text = text.split_once("://").map_or(text, |(_, rest)| rest);
    let text = text.rsplit_once('@').map_or(text, |(_, rest)| rest);
    text.split([':', '/', '.']).next() == Some(name)
}

/// Whether a Job or Pod of the same events may work with the object: then it is to go away with them.
fn is_for_another(
    object: &Object,
    hook: &Hook,
    deployer: &Deployer,
    context: &Context<'_>,
) -> bool {
    let works = |other: &&Object| matches!(other.kind(), "Job" | "Pod") && any_pod(other).is_some();
    let shares = |other: &Object| {
        let theirs = context.hook(other, deployer);
        theirs.is_some_and(|theirs| theirs.events.iter().any(|event| hook.listens_to(event)))
    };
    context.objects.iter().filter(works).any(|other| !std::ptr::eq(other, object) && shares(other))
}
