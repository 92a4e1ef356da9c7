//! Is this object a hook here? Helm's and Argo CD's reading of the annotations.
//!
//! Helm: `pkg/releaseutil/manifest_sorter.go`, `pkg/action/hooks.go`; Argo CD: gitops-engine
//! `pkg/sync/hook`, `controller/hook.go`. Seen on Helm 3.22, 4.3 and Argo CD 3.5.

use std::borrow::Cow;

use yaml_spans::{Node, Value};

use super::annotation_list::tokens;
use crate::{
    annotations::{
        ARGO_DELETE_POLICY, ARGO_HOOK, ARGO_WAVE, HELM_DELETE_POLICY, HELM_HOOK, HELM_WEIGHT,
    },
    deployer::{Deployer, Tool},
    object::Object,
};

/// The phases of every sync, in their order.
pub const SYNC_PHASES: [&str; 3] = ["PreSync", "Sync", "PostSync"];

/// Events Helm knows; `test-success` is an alias of `test`.
pub const HELM_EVENTS: &[&str] = &[
    "pre-install",
    "post-install",
    "pre-delete",
    "post-delete",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "test",
    "test-success",
];

pub const HELM_POLICIES: &[&str] = &["before-hook-creation", "hook-succeeded", "hook-failed"];

/// Argo CD hook types with the version they came with.
pub const ARGO_EVENTS: &[(&str, &[u32])] = &[
    ("PreSync", &[0, 6]),
    ("Sync", &[0, 6]),
    ("PostSync", &[0, 6]),
    ("SyncFail", &[1, 2]),
    ("Skip", &[0, 6]),
    ("PostDelete", &[2, 10]),
    ("PreDelete", &[3, 3]),
];

pub const ARGO_POLICIES: &[&str] = &["BeforeHookCreation", "HookSucceeded", "HookFailed"];

/// What a deployer makes of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// Applied with everything else.
    Plain,
    Hook(Hook),
    /// Never applied, without an error.
    Dropped,
}

/// A hook as the deployer understands it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// In the deployer's own words: `pre-install`, `PreSync`.
    pub events: Vec<String>,
    /// The delete policies in force, defaults included, in the deployer's own words.
    pub policies: Vec<String>,
    pub weight: i64,
}

impl Role {
    pub fn hook(&self) -> Option<&Hook> {
        match self {
            Role::Hook(hook) => Some(hook),
            Role::Plain | Role::Dropped => None,
        }
    }
}

impl Hook {
    pub fn listens_to(&self, event: &str) -> bool {
        self.events.iter().any(|own| own == event)
    }

    /// Argo CD runs it at every sync.
    pub fn is_of_sync(&self) -> bool {
        SYNC_PHASES.iter().any(|phase| self.listens_to(phase))
    }

    pub fn has_policy(&self, policy: &str) -> bool {
        self.policies.iter().any(|own| own == policy)
    }

    /// The old object is deleted before each run.
    pub fn is_recreated(&self) -> bool {
        self.has_policy("before-hook-creation") || self.has_policy("BeforeHookCreation")
    }

    /// Runs for `helm test` alone.
    pub fn is_test(&self) -> bool {
        self.events.iter().all(|event| event == "test")
    }

    /// True when all its events are among these.
    pub fn only(&self, events: &[&str]) -> bool {
        self.events.iter().all(|event| events.contains(&event.as_str()))
    }
}

/// What `deployer` makes of the object.
pub fn classify(object: &Object, deployer: &Deployer, from_chart: bool) -> Role {
    let by_helm = reads_helm(deployer, from_chart).then(|| helm(object));
    match (deployer.tool, by_helm) {
        // Of a chart Argo CD sees what Helm renders, and Helm drops unknown hooks first.
        (Tool::Argocd, Some(Role::Dropped)) => Role::Dropped,
        (Tool::Argocd, _) => argocd(object, deployer),
        (_, by_helm) => by_helm.unwrap_or(Role::Plain),
    }
}

/// True when Helm sorts the objects into hooks and the rest. Flux applies charts through Helm and
/// everything else without hooks; Fleet makes a chart of whatever it is given, and since 0.15 (Helm 4)
/// its Helm looks for hooks there too.
pub fn reads_helm(deployer: &Deployer, from_chart: bool) -> bool {
    match deployer.tool {
        Tool::Helm3 | Tool::Helm4 => true,
        Tool::Argocd => from_chart,
        Tool::Fleet => from_chart || deployer.since(&[0, 15]),
        Tool::Flux => deployer.is_helm_release(from_chart),
        Tool::Kubectl => false,
    }
}

/// An annotation as Helm reads it: scalars that are no strings become strings first.
pub fn coerced(node: &Node) -> Cow<'_, str> {
    match &node.value {
        Value::Str(text) => Cow::Borrowed(text),
        Value::Bool(flag) => flag.to_string().into(),
        Value::Int(number) => number.to_string().into(),
        Value::Uint(number) => number.to_string().into(),
        Value::Float(number) => number.to_string().into(),
        Value::Null | Value::Seq(_) | Value::Map(_) => Cow::Borrowed(""),
    }
}

/// The Argo CD hook a Helm event becomes; Helm's test and rollback hooks never run there.
pub fn from_helm(event: &str) -> Option<&'static str> {
    match event {
        "pre-install" | "pre-upgrade" => Some("PreSync"),
        "post-install" | "post-upgrade" => Some("PostSync"),
        "pre-delete" => Some("PreDelete"),
        "post-delete" => Some("PostDelete"),
        _ => None,
    }
}

/// Go's `strconv.Atoi`: a sign and digits, no white space.
pub fn atoi(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn helm(object: &Object) -> Role {
    let Some(value) = object.annotation(HELM_HOOK).filter(|_| !object.in_list) else {
        return Role::Plain;
    };
    let known = |event: &String| HELM_EVENTS.contains(&event.as_str());
    let mut events: Vec<_> = tokens(&coerced(&value.value)).map(str::to_lowercase).collect();
    if !events.iter().all(known) {
        return Role::Dropped;
    }
    for event in events.iter_mut().filter(|event| *event == "test-success") {
        *event = "test".to_owned();
    }
    let policies = match object.annotation(HELM_DELETE_POLICY) {
        // Only an absent annotation brings the default; an unknown value never matches.
        None => vec!["before-hook-creation".to_owned()],
        Some(entry) => tokens(&coerced(&entry.value))
            .map(str::to_lowercase)
            .filter(|policy| HELM_POLICIES.contains(&policy.as_str()))
            .collect(),
    };
    let weight = object.annotation(HELM_WEIGHT).and_then(|entry| atoi(&coerced(&entry.value)));
    Role::Hook(Hook { events, policies, weight: weight.unwrap_or_default() })
}

fn argocd(object: &Object, deployer: &Deployer) -> Role {
    let text = |key| object.annotation(key).map(|entry| entry.value.as_str().unwrap_or_default());
    let (argo, helm) = (text(ARGO_HOOK), text(HELM_HOOK));
    if argo.is_none() && helm.is_none_or(|value| value == "crd-install") {
        return Role::Plain;
    }
    let (argo, helm) = (argo.unwrap_or_default(), helm.unwrap_or_default());
    let mut events = sync_events(argo, helm);
    let deletes = delete_events(argo, helm, deployer);
    // 3.3.3 and 3.3.4 alone dropped an object with delete events from syncs altogether (#26996).
    if !deletes.is_empty() && deployer.since(&[3, 3, 3]) && !deployer.since(&[3, 3, 5]) {
        events.clear();
    }
    events.extend(deletes);
    if events.is_empty() {
        return Role::Dropped;
    }
    Role::Hook(Hook {
        events: events.into_iter().map(str::to_owned).collect(),
        policies: argo_policies(object),
        weight: wave(object),
    })
}

/// The phases of a sync it runs in. Argo CD's own annotation wins as soon as it holds one known type;
/// `Skip` alone means none, beside others it does not count.
fn sync_events(argo: &str, helm: &str) -> Vec<&'static str> {
    const TYPES: [&str; 5] = ["PreSync", "Sync", "PostSync", "SyncFail", "Skip"];
    let own = |event: &str| TYPES.into_iter().find(|known| *known == event);
    let mapped = |event: &str| from_helm(event).filter(|event| TYPES.contains(event));
    let mut events: Vec<_> = tokens(argo).filter_map(own).collect();
    if events.is_empty() {
        events = tokens(helm).filter_map(mapped).collect();
    }
    let mut phases = Vec::new();
    for event in events {
        if event != "Skip" && !phases.contains(&event) {
            phases.push(event);
        }
    }
    phases
}

/// The delete events it runs at: those of both annotations. Lists count since 3.3.3, before that the
/// whole value had to match.
fn delete_events(argo: &str, helm: &str, deployer: &Deployer) -> Vec<&'static str> {
    let names = |value: &str, name: &str| match deployer.since(&[3, 3, 3]) {
        true => tokens(value).any(|event| event == name),
        false => value == name,
    };
    let of = |event: &str| ["PreDelete", "PostDelete"].into_iter().find(|known| *known == event);
    let known = ARGO_EVENTS.iter().filter(|(_, since)| deployer.since(since));
    let asked_for = |event: &&str| {
        let by_helm = if *event == "PreDelete" { "pre-delete" } else { "post-delete" };
        names(argo, event) || names(helm, by_helm)
    };
    known.filter_map(|(event, _)| of(event)).filter(asked_for).collect()
}

/// The union of both annotations; unknown values do not count, nothing known means the default.
fn argo_policies(object: &Object) -> Vec<String> {
    let argo = tokens(object.annotation_text(ARGO_DELETE_POLICY).unwrap_or_default())
        .filter_map(|policy| ARGO_POLICIES.iter().find(|known| **known == policy));
    let helm = tokens(object.annotation_text(HELM_DELETE_POLICY).unwrap_or_default())
        .filter_map(|policy| HELM_POLICIES.iter().position(|known| *known == policy))
        .map(|index| &ARGO_POLICIES[index]);
    let mut policies: Vec<_> = argo.chain(helm).map(|policy| (*policy).to_owned()).collect();
    policies.sort();
    policies.dedup();
    if policies.is_empty() {
        policies.push("BeforeHookCreation".to_owned());
    }
    policies
}

/// Argo CD's wave: the first annotation that is an integer; Helm's weight counts on objects that are no hooks too.
pub fn wave(object: &Object) -> i64 {
    let read = |key: &str| atoi(object.annotation_text(key)?);
    [ARGO_WAVE, HELM_WEIGHT].into_iter().find_map(read).unwrap_or_default()
}

#[cfg(test)]
mod tests;
