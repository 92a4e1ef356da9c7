//! When a tool runs a workload, read from its annotations without joblint's own model.

use job_lifecycle::{Deployer, Event, Tool};
use serde_json::Value;

use super::cases::takes_charts;

const HELM: [&str; 9] = [
    "pre-install",
    "post-install",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "pre-delete",
    "post-delete",
    "test",
];
const SYNC: [&str; 3] = ["PreSync", "Sync", "PostSync"];

/// The role of a workload for a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Plain,
    /// A hook of these events, as the tool names them.
    Hook(Vec<String>),
}

impl Part {
    pub fn of(object: &Value, deployer: &Deployer) -> Self {
        let annotation = |key: &str| object["metadata"]["annotations"][key].as_str();
        let (argo, helm) = (annotation("argocd.argoproj.io/hook"), annotation("helm.sh/hook"));
        let tokens = |text: &str| -> Vec<String> {
            text.split(',').map(|token| token.trim().to_owned()).collect()
        };
        let lower = |text: &str| tokens(&text.to_lowercase());
        match (deployer.tool, argo, helm) {
            (Tool::Argocd, Some(text), _) => Part::Hook(tokens(text)),
            (_, _, Some(text)) if takes_charts(deployer) => {
                let events = lower(text);
                // Helm drops a manifest with an unknown event.
                let known = events.iter().all(|event| HELM.contains(&event.as_str()));
                Part::Hook(if known { events } else { Vec::new() })
            }
            _ => Part::Plain,
        }
    }

    /// A hook that stays from one operation to the next, because its policy lacks the default.
    pub fn is_kept(object: &Value, deployer: &Deployer) -> bool {
        const KEEP: [&str; 4] = ["hook-succeeded", "hook-failed", "HookSucceeded", "HookFailed"];
        let keys = ["argocd.argoproj.io/hook-delete-policy", "helm.sh/hook-delete-policy"];
        let texts = keys.iter().filter_map(|key| object["metadata"]["annotations"][key].as_str());
        let mut policies = texts.flat_map(|text| text.split(',')).map(str::trim).peekable();
        Part::of(object, deployer).is_hook()
            && policies.peek().is_some()
            && policies.all(|policy| KEEP.contains(&policy))
    }

    pub fn is_hook(&self) -> bool {
        matches!(self, Part::Hook(_))
    }

    /// A hook that the deployer runs at this event.
    pub fn is_called(&self, deployer: &Deployer, event: Event) -> bool {
        match (deployer.tool, event) {
            (_, Event::Removed | Event::SelfHeal) => false,
            (Tool::Argocd, Event::AfterTtl) => false,
            (Tool::Argocd, Event::Uninstall) => {
                self.has(&["PreDelete", "PostDelete", HELM[6], HELM[7]])
            }
            (Tool::Argocd, _) => self.has(&SYNC) || self.has(&HELM[..4]),
            // A HelmRelease deploys only changes, and returns to an old version with an upgrade.
            (Tool::Flux, Event::Redeploy | Event::AfterTtl) => false,
            (Tool::Flux, Event::Rollback) => self.has(&HELM[2..4]),
            (_, Event::Install) => self.has(&HELM[..2]),
            (_, Event::Rollback) => self.has(&HELM[4..6]),
            (_, Event::Uninstall) => self.has(&HELM[6..8]),
            _ => self.has(&HELM[2..4]),
        }
    }

    fn has(&self, names: &[&str]) -> bool {
        let Part::Hook(events) = self else { return false };
        events.iter().any(|event| names.contains(&event.as_str()))
    }

    /// An ordinary object, or a hook of an install or upgrade: it may have run before the event.
    pub fn runs_in_life(&self, deployer: &Deployer) -> bool {
        let is_called = |event| self.is_called(deployer, event);
        *self == Part::Plain || is_called(Event::Install) || is_called(Event::Upgrade)
    }

    /// A Helm test.
    pub fn is_test(&self) -> bool {
        matches!(self, Part::Hook(events) if events.iter().any(|event| event == "test"))
    }
}
