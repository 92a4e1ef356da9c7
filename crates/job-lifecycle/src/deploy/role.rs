//! Whether a deployer treats an object as a hook: how Helm and Argo CD read the hook annotations.
//!
//! Sources: Helm `pkg/releaseutil/manifest_sorter.go`, `pkg/action/hooks.go`; Argo CD gitops-engine `pkg/sync/hook`,
//! `controller/hook.go`. Observed with Helm 3.22, Helm 4.3 and Argo CD 3.5.

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

/// The phases of an Argo CD sync, in order.
pub const SYNC_PHASES: [&str; 3] = ["PreSync", "Sync", "PostSync"];

/// The event of Helm 2 for what newer versions install from `crds/`.
pub const CRD_INSTALL: &str = "crd-install";

/// The hook events that Helm knows; `test-success` is an alias of `test`.
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

/// The hook delete policies that Helm knows.
pub const HELM_POLICIES: &[&str] = &["before-hook-creation", "hook-succeeded", "hook-failed"];

/// The hook types of Argo CD, each with the version that introduced it.
pub const ARGO_EVENTS: &[(&str, &[u32])] = &[
    ("PreSync", &[0, 6]),
    ("Sync", &[0, 6]),
    ("PostSync", &[0, 6]),
    ("SyncFail", &[1, 2]),
    ("Skip", &[0, 6]),
    ("PostDelete", &[2, 10]),
    ("PreDelete", &[3, 3]),
];

/// The hook delete policies that Argo CD knows, in the order of [`HELM_POLICIES`].
pub const ARGO_POLICIES: &[&str] = &["BeforeHookCreation", "HookSucceeded", "HookFailed"];

/// How a deployer treats an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// An ordinary object, applied with the others.
    Plain,
    /// A hook.
    Hook(Hook),
    /// Dropped without an error, never applied.
    Dropped,
}

/// A hook, as its deployer reads the annotations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hook {
    /// The events that run it, in the deployer's terms: `pre-install`, `PreSync`.
    pub events: Vec<String>,
    /// The delete policies in force, defaults included, in the deployer's terms.
    pub policies: Vec<String>,
    /// Helm's hook weight or Argo CD's sync wave; lower runs first.
    pub weight: i64,
}

impl Role {
    /// The hook; `None` for any other role.
    pub fn hook(&self) -> Option<&Hook> {
        match self {
            Role::Hook(hook) => Some(hook),
            Role::Plain | Role::Dropped => None,
        }
    }
}

impl Hook {
    /// True when this event runs the hook.
    pub fn listens_to(&self, event: &str) -> bool {
        self.events.iter().any(|own| own == event)
    }

    /// True when every Argo CD sync runs the hook.
    pub fn is_of_sync(&self) -> bool {
        SYNC_PHASES.iter().any(|phase| self.listens_to(phase))
    }

    /// True when this delete policy is in force.
    pub fn has_policy(&self, policy: &str) -> bool {
        self.policies.iter().any(|own| own == policy)
    }

    /// The hook of an object that no installation renders: what installs the release never runs it.
    #[must_use]
    pub fn after_install(mut self) -> Self {
        self.events.retain(|event| !matches!(event.as_str(), "pre-install" | "post-install"));
        self
    }

    /// True when the deployer deletes the old object before each run.
    pub fn is_recreated(&self) -> bool {
        self.has_policy("before-hook-creation") || self.has_policy("BeforeHookCreation")
    }

    /// True when only `helm test` runs the hook.
    pub fn is_test(&self) -> bool {
        self.events.iter().all(|event| event == "test")
    }

    /// True when no other events than these run the hook.
    pub fn only(&self, events: &[&str]) -> bool {
        self.events.iter().all(|event| events.contains(&event.as_str()))
    }
}

/// The role of an object under a deployer. `from_chart`: the object was rendered from a Helm chart.
pub fn classify(object: &Object, deployer: &Deployer, from_chart: bool) -> Role {
    let by_helm = reads_helm(deployer, from_chart).then(|| helm(object));
    match (deployer.tool, by_helm) {
        // Argo CD deploys what Helm renders from a chart, and Helm drops unknown hooks while rendering.
        (Tool::Argocd, Some(Role::Dropped)) => Role::Dropped,
        (Tool::Argocd, _) => argocd(object, deployer),
        (_, by_helm) => by_helm.unwrap_or(Role::Plain),
    }
}

/// True when Helm decides which objects are hooks.
///
/// Flux deploys charts through Helm and knows no hooks otherwise. Fleet packs any content into a chart; since 0.15
/// (Helm 4) its Helm runs hooks from raw manifests too.
pub fn reads_helm(deployer: &Deployer, from_chart: bool) -> bool {
    match deployer.tool {
        Tool::Helm3 | Tool::Helm4 => true,
        Tool::Argocd => from_chart,
        Tool::Fleet => from_chart || deployer.since(&[0, 15]),
        Tool::Flux => deployer.is_helm_release(from_chart),
        Tool::Kubectl => false,
    }
}

/// The value of an annotation as Helm reads it: non-string scalars become strings, `null` and collections the
/// empty string.
pub(super) fn coerced(node: &Node) -> Cow<'_, str> {
    match &node.value {
        Value::Str(text) => Cow::Borrowed(text),
        Value::Bool(flag) => flag.to_string().into(),
        Value::Int(number) => number.to_string().into(),
        Value::Uint(number) => number.to_string().into(),
        Value::Float(number) => number.to_string().into(),
        Value::Null | Value::Seq(_) | Value::Map(_) => Cow::Borrowed(""),
    }
}

/// The hook type that Argo CD maps a Helm event to; `None` for test and rollback hooks, which never run under
/// Argo CD.
pub fn from_helm(event: &str) -> Option<&'static str> {
    match event {
        "pre-install" | "pre-upgrade" => Some("PreSync"),
        "post-install" | "post-upgrade" => Some("PostSync"),
        "pre-delete" => Some("PreDelete"),
        "post-delete" => Some("PostDelete"),
        _ => None,
    }
}

/// Parses as Go's `strconv.Atoi`: an optional sign and digits, no white space.
pub fn atoi(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn helm(object: &Object) -> Role {
    if object.in_list { Role::Plain } else { helm_role(&object.root) }
}

/// How Helm treats the manifest of an object that is not part of a list.
pub fn helm_role(root: &Node) -> Role {
    let annotation = |key| root.at(&["metadata", "annotations"])?.entry(key);
    let Some(value) = annotation(HELM_HOOK) else { return Role::Plain };
    let known = |event: &String| HELM_EVENTS.contains(&event.as_str());
    let mut events: Vec<_> = tokens(&coerced(&value.value)).map(str::to_lowercase).collect();
    if !events.iter().all(known) {
        return Role::Dropped;
    }
    for event in events.iter_mut().filter(|event| *event == "test-success") {
        *event = "test".to_owned();
    }
    let policies = match annotation(HELM_DELETE_POLICY) {
        // The default applies only when the annotation is absent; unknown values have no effect.
        None => vec!["before-hook-creation".to_owned()],
        Some(entry) => tokens(&coerced(&entry.value))
            .map(str::to_lowercase)
            .filter(|policy| HELM_POLICIES.contains(&policy.as_str()))
            .collect(),
    };
    let weight = annotation(HELM_WEIGHT).and_then(|entry| atoi(&coerced(&entry.value)));
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
    // Only 3.3.3 and 3.3.4 exclude an object with delete events from syncs (#26996).
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

/// The sync phases that run the hook. Argo CD's own annotation wins if it contains at least one known type.
/// `Skip` alone means no phase; beside other types it has no effect.
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

/// The delete events that run the hook, from both annotations. Since 3.3.3 either may be a list; older
/// versions compare the whole value.
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

/// The delete policies from both annotations. Unknown values have no effect; without a known one the default applies.
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

/// The Argo CD sync wave of an object: the first integer of `sync-wave` and Helm's `hook-weight`, which
/// counts on ordinary objects too; else 0.
pub fn wave(object: &Object) -> i64 {
    let read = |key: &str| atoi(object.annotation_text(key)?);
    [ARGO_WAVE, HELM_WEIGHT].into_iter().find_map(read).unwrap_or_default()
}

#[cfg(test)]
mod tests;
