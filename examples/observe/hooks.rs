//! When a tool runs a workload, read from its annotations without joblint's own model.

use joblint::deploy::{Event, Tool};
use serde_json::Value;

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

/// What a workload is to a tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    Plain,
    /// A hook of these events, as the tool names them.
    Hook(Vec<String>),
}

impl Part {
    pub fn of(object: &Value, tool: Tool) -> Self {
        let annotation = |key: &str| object["metadata"]["annotations"][key].as_str();
        let (argo, helm) = (annotation("argocd.argoproj.io/hook"), annotation("helm.sh/hook"));
        let tokens = |text: &str| -> Vec<String> {
            text.split(',').map(|token| token.trim().to_owned()).collect()
        };
        let lower = |text: &str| tokens(&text.to_lowercase());
        match (tool, argo, helm) {
            (Tool::Argocd, Some(text), _) => Part::Hook(tokens(text)),
            (Tool::Argocd | Tool::Helm3 | Tool::Helm4, _, Some(text)) => {
                let events = lower(text);
                // Helm drops what has an event that it does not know.
                let known = events.iter().all(|event| HELM.contains(&event.as_str()));
                Part::Hook(if known { events } else { Vec::new() })
            }
            _ => Part::Plain,
        }
    }

    pub fn is_hook(&self) -> bool {
        matches!(self, Part::Hook(_))
    }

    /// A hook that the tool runs at this event.
    pub fn is_called(&self, tool: Tool, event: Event) -> bool {
        let Part::Hook(events) = self else { return false };
        let has = |names: &[&str]| events.iter().any(|event| names.contains(&event.as_str()));
        match (tool, event) {
            (_, Event::Removed | Event::SelfHeal) => false,
            (Tool::Argocd, Event::AfterTtl) => false,
            (Tool::Argocd, Event::Uninstall) => has(&["PreDelete", "PostDelete"]),
            (Tool::Argocd, _) => has(&SYNC) || has(&HELM[..4]),
            (_, Event::Install) => has(&HELM[..2]),
            (_, Event::Rollback) => has(&HELM[4..6]),
            (_, Event::Uninstall) => has(&HELM[6..8]),
            _ => has(&HELM[2..4]),
        }
    }

    /// A Helm test.
    pub fn is_test(&self) -> bool {
        matches!(self, Part::Hook(events) if events.iter().any(|event| event == "test"))
    }
}
