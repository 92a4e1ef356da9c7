//! The words that Argo CD and Flux understand in annotations that steer a sync.
//!
//! Argo CD: gitops-engine `pkg/sync/common`, `HasOption` and `HasAnnotationOption` (exact, case counts);
//! Flux: `ssa/utils/meta.go` `AnyInMetadata` (case does not count, annotation or label).

use crate::deployer::Tool;

/// A key and what it may hold.
#[derive(Debug)]
pub struct OptionKey {
    pub key: &'static str,
    pub tool: Tool,
    /// A comma-separated list.
    pub list: bool,
    pub exact: bool,
    /// Words with an effect, and those that only say the default.
    pub known: &'static [&'static str],
    pub defaults: &'static [&'static str],
}

/// Options that only an Application can set; on an object they have no effect.
pub const APP_ONLY: &[&str] = &[
    "ApplyOutOfSyncOnly=",
    "ClientSideApplyMigration=",
    "CreateNamespace=",
    "FailOnSharedResource=",
    "PrunePropagationPolicy=",
    "RespectIgnoreDifferences=",
];

/// `spec.syncPolicy.syncOptions` of an Application.
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

/// What an Application may say that is the default anyway.
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
    /// Understood, or harmless because it says the default.
    pub fn takes(&self, word: &str) -> bool {
        let same = |known: &str| match self.exact {
            true => known == word,
            false => known.eq_ignore_ascii_case(word),
        };
        self.known.iter().chain(self.defaults).any(|known| same(known))
    }
}
