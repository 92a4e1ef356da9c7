//! Is this object a hook here? Helm's and Argo CD's reading of the annotations.
//!
//! Helm: `pkg/releaseutil/manifest_sorter.go`; Argo CD: gitops-engine `pkg/sync/hook`.

use super::{Deployer, Tool};
use crate::object::Object;

pub const HELM_HOOK: &str = "helm.sh/hook";
pub const HELM_DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
pub const HELM_WEIGHT: &str = "helm.sh/hook-weight";
pub const ARGO_HOOK: &str = "argocd.argoproj.io/hook";
pub const ARGO_DELETE_POLICY: &str = "argocd.argoproj.io/hook-delete-policy";

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

/// Argo CD hook types with the version they came with, as (major, minor).
pub const ARGO_EVENTS: &[(&str, (u32, u32))] = &[
    ("PreSync", (1, 0)),
    ("Sync", (1, 0)),
    ("PostSync", (1, 0)),
    ("SyncFail", (1, 2)),
    ("Skip", (1, 0)),
    ("PostDelete", (2, 10)),
    ("PreDelete", (3, 3)),
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

/// What `deployer` makes of the object. Flux applies charts through Helm and everything else without
/// hooks; Fleet makes a chart of whatever it is given.
pub fn classify(object: &Object, deployer: &Deployer, from_chart: bool) -> Role {
    match deployer.tool {
        Tool::Helm3 | Tool::Helm4 | Tool::Fleet => helm(object),
        Tool::Flux if from_chart || deployer.text("kind") == Some("HelmRelease") => helm(object),
        Tool::Argocd => argocd(object),
        Tool::Flux | Tool::Kubectl => Role::Plain,
    }
}

/// The comma-separated tokens of a value, as Helm and Argo CD split it.
pub fn tokens(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim)
}

fn helm(object: &Object) -> Role {
    let Some(value) = object.annotation(HELM_HOOK).filter(|_| !object.in_list) else {
        return Role::Plain;
    };
    let value = value.value.as_str().unwrap_or_default();
    let events: Vec<_> = tokens(value).map(str::to_lowercase).collect();
    if events.iter().any(|event| !HELM_EVENTS.contains(&event.as_str())) {
        return Role::Dropped;
    }
    let policies = match object.annotation(HELM_DELETE_POLICY) {
        // Only an absent annotation brings the default; an unknown value never matches.
        None => vec!["before-hook-creation".to_owned()],
        Some(entry) => tokens(entry.value.as_str().unwrap_or_default())
            .map(str::to_lowercase)
            .filter(|policy| HELM_POLICIES.contains(&policy.as_str()))
            .collect(),
    };
    Role::Hook(Hook { events, policies, weight: weight(object, &[HELM_WEIGHT]) })
}

fn argocd(object: &Object) -> Role {
    let text = |key| object.annotation(key).map(|entry| entry.value.as_str().unwrap_or_default());
    let (argo, helm) = (text(ARGO_HOOK), text(HELM_HOOK));
    if argo.is_none() && helm.is_none_or(|value| value == "crd-install") {
        return Role::Plain;
    }
    let known = |event: &&str| ARGO_EVENTS.iter().any(|(name, _)| name == event);
    let mut events: Vec<_> = tokens(argo.unwrap_or_default()).filter(known).collect();
    if events.is_empty() {
        events = tokens(helm.unwrap_or_default()).filter_map(from_helm).collect();
    }
    events.dedup();
    match events.as_slice() {
        [] | ["Skip"] => Role::Dropped,
        events => Role::Hook(Hook {
            events: events
                .iter()
                .filter(|event| **event != "Skip")
                .map(|e| (*e).to_owned())
                .collect(),
            policies: argo_policies(object),
            weight: weight(object, &["argocd.argoproj.io/sync-wave", HELM_WEIGHT]),
        }),
    }
}

/// The Argo CD hook a Helm event becomes; Helm's test and rollback hooks never run there.
fn from_helm(event: &str) -> Option<&'static str> {
    match event {
        "pre-install" | "pre-upgrade" => Some("PreSync"),
        "post-install" | "post-upgrade" => Some("PostSync"),
        "pre-delete" => Some("PreDelete"),
        "post-delete" => Some("PostDelete"),
        _ => None,
    }
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

/// The first annotation that Go's `strconv.Atoi` reads; no trimming, else 0.
fn weight(object: &Object, keys: &[&str]) -> i64 {
    let read = |key: &&str| object.annotation_text(key)?.parse().ok();
    keys.iter().find_map(read).unwrap_or_default()
}
