use job_lifecycle::{
    Deployer, Hook, Object, Role, Tool,
    deploy::needs,
    workload::{any_pod, references_of},
};

use yaml_spans::{Entry, Node};

use super::{Check, Rule};
use crate::{
    context::Context,
    finding::{Finding, Severity},
    words::titled,
};

pub(crate) static RULE: Rule = Rule::new(
    "hook-deletes-data",
    include_str!("../../rules/hook-deletes-data.yaml"),
    Check::Object(check),
);

/// Kinds whose deletion loses data, and what is lost.
const KINDS: &[(&str, &str, &str)] = &[
    ("", "PersistentVolumeClaim", "the data in it"),
    ("", "Namespace", "everything in it"),
    ("apiextensions.k8s.io", "CustomResourceDefinition", "all objects of its kind"),
];

fn check(object: &Object, context: &Context<'_>, found: &mut Vec<Finding>) {
    let (group, kind) = (object.group(), object.kind());
    let Some((.., lost)) = KINDS.iter().find(|(g, k, _)| *g == group && *k == kind) else { return };
    let Some(span) = object.root.get("kind").map(|node| node.span) else { return };
    let verdicts = context.judge(|deployer| {
        let hook = context
            .hook(object, deployer)
            .filter(|_| !context.is_guarded_by_lookup(object, deployer))
            .filter(|_| !is_scratch(object, deployer, context))
            .filter(|_| !is_bound_by_hand(object, context))
            .filter(|_| !is_unused(object, context))?;
        let when = match deployer.tool {
            Tool::Argocd => deleted_by_argocd(&hook),
            // Helm never deletes a CRD hook, whatever its policy.
            _ if kind == "CustomResourceDefinition" => None,
            _ => deleted_by_helm(&hook),
        };
        Some((Severity::Warning, format!("is deleted {}, with {lost}", when?)))
    });
    if let Some(worst) = verdicts.first() {
        let label = format!("as a hook it {}", worst.text);
        let message = format!("{} {}", titled(object), worst.text);
        let finding = Finding::new(span, label).message(message).deployers(verdicts);
        found.push(match early_user(object, context) {
            Some(user) => finding.help(format!(
                "{BY_HAND} or with an earlier release: {} {} it before ordinary objects exist",
                titled(user),
                if kind == "Namespace" { "is made in" } else { "mounts" }
            )),
            None => finding,
        });
    }
}

/// How the remedy begins where a hook needs the object.
pub(crate) const BY_HAND: &str = "Create it by hand";

/// A hook that mounts a claim or is made in a namespace, and that an ordinary one would be created after.
fn early_user<'c>(object: &Object, context: &Context<'c>) -> Option<&'c Object> {
    let is_in = |user: &Object| {
        let before = |hook: Hook| hook.only(&["pre-install", "pre-upgrade"]);
        object.kind() == "Namespace"
            && user.namespace() == object.name()
            && context.deployers.iter().any(|one| context.hook(user, one).is_some_and(before))
    };
    let is_early = |user: &&Object| {
        if is_in(user) {
            return true;
        }
        let needs = needs(user, [object]);
        let hooks =
            context.deployers.iter().filter_map(|one| Some((one, context.hook(user, one)?)));
        let mut pairs = hooks.flat_map(|(one, hook)| {
            needs.iter().map(move |need| need.finds(&hook, &Role::Plain, one))
        });
        pairs.any(|finds| finds.is_some())
    };
    context.objects.iter().find(is_early)
}

/// The API groups of objects whose work ends with the hook. What a controller makes of a custom resource, or the pods of a
/// Deployment, stays in use.
const ENDS_WITH_HOOK: [&str; 3] = ["", "batch", "rbac.authorization.k8s.io"];

/// Whether only hooks use a volume, one for the other, or live in a namespace: nobody needs what they leave after the
/// deploy.
fn is_scratch(object: &Object, deployer: &Deployer, context: &Context<'_>) -> bool {
    let Some(name) = object.name() else { return false };
    let is_hook = |user: &Object| context.hook(user, deployer).is_some();
    let ends = |user: &Object| is_hook(user) && ENDS_WITH_HOOK.contains(&user.group());
    let objects = context.objects.iter();
    match object.kind() {
        "PersistentVolumeClaim" => {
            let users: Vec<_> = objects.clone().filter(|user| mounts(user, name)).collect();
            let mut named: Vec<_> = objects.filter(|user| names_claim(user, name)).collect();
            let is_shared = users.len() > 1 || !named.is_empty();
            named.extend(users);
            is_shared && named.into_iter().all(is_hook)
        }
        "Namespace" => {
            let users: Vec<_> = objects.filter(|user| user.namespace() == Some(name)).collect();
            users.iter().any(|user| any_pod(user).is_some()) && users.into_iter().all(ends)
        }
        _ => false,
    }
}

/// Whether a claim names a volume that somebody made by hand: unless that volume says `Delete`, it keeps the data when
/// the claim is gone.
fn is_bound_by_hand(object: &Object, context: &Context<'_>) -> bool {
    let claimed = object.root.at(&["spec", "volumeName"]).and_then(Node::as_str);
    let is_volume = |other: &&Object| {
        (other.group(), other.kind()) == ("", "PersistentVolume") && other.name() == claimed
    };
    let reclaim = ["spec", "persistentVolumeReclaimPolicy"];
    object.kind() == "PersistentVolumeClaim"
        && claimed.is_some()
        && context
            .objects
            .iter()
            .find(is_volume)
            .is_some_and(|volume| volume.root.at(&reclaim).and_then(Node::as_str) != Some("Delete"))
}

/// Whether the unit has pods, and neither mounts a claim nor names it where another program may (`existingClaim`).
fn is_unused(object: &Object, context: &Context<'_>) -> bool {
    let Some(name) = object.name().filter(|_| object.kind() == "PersistentVolumeClaim") else {
        return false;
    };
    let mut others = context.objects.iter().filter(|one| !std::ptr::eq(*one, object));
    context.objects.iter().any(|one| any_pod(one).is_some())
        && others.all(|one| !claims(&one.root, name))
}

/// Whether a key other than `name` has this value, here or below.
fn claims(node: &Node, value: &str) -> bool {
    let holds = |entry: &Entry| {
        &*entry.key != "name" && entry.value.as_str() == Some(value) || claims(&entry.value, value)
    };
    node.entries().iter().any(holds) || node.items().iter().any(|item| claims(item, value))
}

/// Whether the pods of an object mount a claim.
fn mounts(object: &Object, claim: &str) -> bool {
    let references = any_pod(object).map(references_of).unwrap_or_default();
    references.iter().any(|one| one.kind == "PersistentVolumeClaim" && one.name == claim)
}

/// Whether the text of a ConfigMap, such as a manifest that a hook applies, names a claim.
fn names_claim(object: &Object, claim: &str) -> bool {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let is_claim = |line: &str| {
        let value = line.trim_start().strip_prefix("claimName:").map(str::trim);
        value.is_some_and(|value| value.trim_matches(|c| !is_name(c)) == claim)
    };
    let data = object.root.get("data").filter(|_| object.kind() == "ConfigMap");
    let texts = data.map(Node::entries).unwrap_or_default().iter();
    texts.filter_map(|entry| entry.value.as_str()).any(|text| text.lines().any(is_claim))
}

fn deleted_by_helm(hook: &Hook) -> Option<&'static str> {
    if hook.is_test() {
        return None;
    }
    if hook.has_policy("hook-succeeded") {
        return Some("when the hooks of the event have succeeded");
    }
    if !hook.is_recreated() || hook.only(&["pre-delete", "post-delete"]) {
        return None;
    }
    Some(match hook.only(&["pre-install", "post-install"]) {
        true => "when the release is installed again",
        false => "before each run",
    })
}

fn deleted_by_argocd(hook: &Hook) -> Option<&'static str> {
    if hook.only(&["PreDelete", "PostDelete"]) {
        None
    } else if hook.is_recreated() {
        Some("before each sync")
    } else {
        hook.has_policy("HookSucceeded").then_some("after each sync")
    }
}
