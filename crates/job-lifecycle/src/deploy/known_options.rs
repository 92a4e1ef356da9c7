//! The values that Argo CD and Flux know in annotations that control a sync.
//!
//! Sources: gitops-engine `pkg/sync/common`, `HasOption` and `HasAnnotationOption` (case-sensitive); Flux
//! `ssa/utils/meta.go` `AnyInMetadata` (case-insensitive, annotation or label).

use crate::deployer::Tool;

/// An annotation key with the values that its tool knows.
#[derive(Debug)]
pub struct OptionKey {
    /// The key of the annotation.
    pub key: &'static str,
    /// The tool that reads it.
    pub tool: Tool,
    /// The value is a comma-separated list.
    pub list: bool,
    /// Values are case-sensitive.
    pub exact: bool,
    /// Values with an effect.
    pub known: &'static [&'static str],
    /// Values that state the default.
    pub defaults: &'static [&'static str],
}

/// Prefixes of sync options that have an effect only in an Application, not on an object.
pub const APP_ONLY: &[&str] = &[
    "ApplyOutOfSyncOnly=",
    "ClientSideApplyMigration=",
    "CreateNamespace=",
    "FailOnSharedResource=",
    "PrunePropagationPolicy=",
    "RespectIgnoreDifferences=",
];

/// Values of `spec.syncPolicy.syncOptions` of an Application with an effect.
pub const APP_OPTIONS: &[&str] = &[
    "ApplyOutOfSyncOnly=true",
    "ClientSideApplyMigration=false",
    "CreateNamespace=true",
    "Delete=confirm",
    "Delete=false",
    "FailOnSharedResource=true",
    "Prune=confirm",
    "Prune=false",
    "PruneLast=true",
    "PrunePropagationPolicy=background",
    "PrunePropagationPolicy=foreground",
    "PrunePropagationPolicy=orphan",
    "Replace=true",
    "RespectIgnoreDifferences=true",
    "ServerSideApply=true",
    "SkipDryRunOnMissingResource=true",
    "Validate=false",
];

/// Values of `spec.syncPolicy.syncOptions` of an Application that state the default.
pub const APP_DEFAULTS: &[&str] = &[
    "ApplyOutOfSyncOnly=false",
    "ClientSideApplyMigration=true",
    "CreateNamespace=false",
    "Delete=true",
    "FailOnSharedResource=false",
    "Prune=true",
    "PruneLast=false",
    "Replace=false",
    "RespectIgnoreDifferences=false",
    "ServerSideApply=false",
    "SkipDryRunOnMissingResource=false",
    "Validate=true",
];

/// The annotations of objects that control a sync.
pub const OPTION_KEYS: &[OptionKey] = &[
    OptionKey {
        key: "argocd.argoproj.io/sync-options",
        tool: Tool::Argocd,
        list: true,
        exact: true,
        known: &[
            "Delete=confirm",
            "Delete=false",
            "Force=true",
            "Prune=confirm",
            "Prune=false",
            "PruneLast=true",
            "Replace=true",
            "ServerSideApply=false",
            "ServerSideApply=true",
            "SkipDryRunOnMissingResource=true",
            "Validate=false",
        ],
        defaults: &[
            "Delete=true",
            "Force=false",
            "Prune=true",
            "PruneLast=false",
            "SkipDryRunOnMissingResource=false",
            "Validate=true",
        ],
    },
    flux("kustomize.toolkit.fluxcd.io/force", &["Enabled"], &["Disabled"]),
    flux("kustomize.toolkit.fluxcd.io/ssa", &["Merge", "IfNotPresent", "Ignore"], &["Override"]),
    flux("kustomize.toolkit.fluxcd.io/reconcile", &["disabled"], &["enabled"]),
    flux("kustomize.toolkit.fluxcd.io/prune", &["disabled"], &["enabled"]),
    OptionKey {
        exact: true,
        ..flux("kustomize.toolkit.fluxcd.io/substitute", &["disabled"], &["enabled"])
    },
];

const fn flux(
    key: &'static str,
    known: &'static [&'static str],
    defaults: &'static [&'static str],
) -> OptionKey {
    OptionKey { key, tool: Tool::Flux, list: false, exact: false, known, defaults }
}

impl OptionKey {
    /// True for a value that has an effect or states the default.
    pub fn takes(&self, word: &str) -> bool {
        let same = |known: &str| match self.exact {
            true => known == word,
            false => known.eq_ignore_ascii_case(word),
        };
        self.known.iter().chain(self.defaults).any(|known| same(known))
    }

    /// The value with an effect that a boolean stands for, where the values are `enabled` and `disabled`: `true`.
    pub fn of_boolean(&self, word: &str) -> Option<&'static str> {
        Self::switch(self.known, word)
    }

    /// Whether a boolean says what holds without the annotation: `prune: "true"`.
    pub fn is_default_boolean(&self, word: &str) -> bool {
        Self::switch(self.defaults, word).is_some()
    }

    fn switch(values: &[&'static str], word: &str) -> Option<&'static str> {
        let switch = match word.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => "enabled",
            "false" | "no" | "off" => "disabled",
            _ => return None,
        };
        values.iter().copied().find(|value| value.eq_ignore_ascii_case(switch))
    }
}
