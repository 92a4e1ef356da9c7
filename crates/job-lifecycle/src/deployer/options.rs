//! The options of each tool that change what a deploy does, under the tool's own names.
//!
//! One line declares an option: field, constant, name, and the type of its value.

use super::{
    OptionError, OptionValue, Tool,
    values::{
        Apply, Drift, FailureStrategy, FluxKind, GoDuration, HelmWait, KubectlMode, OptionType,
        Remediation, Retries, ToolVersion,
    },
};

/// The name of an option in flags, settings and machine-readable output: `selfHeal`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OptionName(pub &'static str);

macro_rules! options_of {
    (
        $(#[$doc:meta])* $tool:ident {
            $($(#[$field_doc:meta])* $field:ident $constant:ident = $name:literal: $kind:ty;)*
        }
    ) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $tool {
            $($(#[$field_doc])* pub $field: Option<$kind>,)*
        }

        impl $tool {
            $(
                #[doc = concat!("The name of the option `", $name, "`.")]
                pub const $constant: OptionName = OptionName($name);
            )*

            pub(super) const NONE: $tool = $tool { $($field: None,)* };
            pub(super) const NAMES: &[&str] = &[$($name),*];

            fn set(&mut self, name: &str, value: &str) -> Result<OptionName, OptionError> {
                match name {
                    $($name => self.$field = Some(read::<$kind>(Self::$constant, value)?),)*
                    _ => return Err(OptionError::unknown(Tool::$tool, name)),
                }
                let own = Self::NAMES.iter().find(|own| **own == name);
                Ok(OptionName(own.expect("the match above accepted this name")))
            }

            fn stated(&self) -> Vec<(OptionName, OptionValue)> {
                let all = [$((Self::$constant, self.$field.as_ref().map(OptionType::shown))),*];
                all.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
            }
        }
    };
}

fn read<V: OptionType>(name: OptionName, value: &str) -> Result<V, OptionError> {
    V::read(value).ok_or_else(|| OptionError::BadValue {
        name,
        expected: V::expected(),
        value: value.to_owned(),
    })
}

options_of! {
    /// `helm upgrade --install` of Helm 3.
    Helm3 {
        /// `--wait`.
        wait WAIT = "wait": bool;
        /// `--wait-for-jobs`.
        wait_for_jobs WAIT_FOR_JOBS = "waitForJobs": bool;
        /// `--force`: PUT instead of PATCH.
        force FORCE = "force": bool;
        /// `--atomic`.
        atomic ATOMIC = "atomic": bool;
        /// `--timeout`.
        timeout TIMEOUT = "timeout": GoDuration;
    }
}

options_of! {
    /// `helm upgrade --install` of Helm 4.
    Helm4 {
        /// `--wait`.
        wait WAIT = "wait": HelmWait;
        /// `--wait-for-jobs`.
        wait_for_jobs WAIT_FOR_JOBS = "waitForJobs": bool;
        /// `--force-replace`.
        force_replace FORCE_REPLACE = "forceReplace": bool;
        /// Server-side or client-side apply; the default for releases that Helm 3 created is client-side.
        apply APPLY = "apply": Apply;
        /// `--timeout`.
        timeout TIMEOUT = "timeout": GoDuration;
    }
}

options_of! {
    /// An Argo CD Application.
    Argocd {
        /// The version of Argo CD.
        version VERSION = "version": ToolVersion;
        /// `syncPolicy.automated`.
        automated AUTOMATED = "automated": bool;
        /// `syncPolicy.automated.prune`.
        prune PRUNE = "prune": bool;
        /// `syncPolicy.automated.selfHeal`.
        self_heal SELF_HEAL = "selfHeal": bool;
        /// The sync option `Force=true`.
        force FORCE = "force": bool;
        /// The sync option `Replace=true`.
        replace REPLACE = "replace": bool;
        /// The sync option `ServerSideApply=true`.
        server_side_apply SERVER_SIDE_APPLY = "serverSideApply": bool;
        /// The sync option `ApplyOutOfSyncOnly=true`.
        apply_out_of_sync_only APPLY_OUT_OF_SYNC_ONLY = "applyOutOfSyncOnly": bool;
    }
}

options_of! {
    /// A Flux HelmRelease or Kustomization.
    Flux {
        /// HelmRelease or Kustomization.
        kind KIND = "kind": FluxKind;
        /// `spec.force` of a Kustomization, `spec.upgrade.force` of a HelmRelease.
        force FORCE = "force": bool;
        /// `spec.interval`.
        interval INTERVAL = "interval": GoDuration;
        /// `spec.postBuild` of a Kustomization substitutes variables.
        post_build POST_BUILD = "postBuild": bool;
        /// `spec.prune` of a Kustomization.
        prune PRUNE = "prune": bool;
        /// `spec.wait` of a Kustomization.
        wait WAIT = "wait": bool;
        /// `spec.timeout`.
        timeout TIMEOUT = "timeout": GoDuration;
        /// `spec.driftDetection.mode` of a HelmRelease.
        drift_detection DRIFT_DETECTION = "driftDetection": Drift;
        /// Server-side or client-side apply of a HelmRelease.
        apply APPLY = "apply": Apply;
        /// `spec.install.remediation.retries` of a HelmRelease: each one uninstalls first.
        install_retries INSTALL_RETRIES = "installRetries": Retries;
        /// `spec.install.strategy.name` of a HelmRelease.
        install_strategy INSTALL_STRATEGY = "installStrategy": FailureStrategy;
        /// `spec.upgrade.remediation.retries` of a HelmRelease.
        upgrade_retries UPGRADE_RETRIES = "upgradeRetries": Retries;
        /// `spec.upgrade.remediation.strategy` of a HelmRelease.
        upgrade_remediation UPGRADE_REMEDIATION = "upgradeRemediation": Remediation;
        /// `spec.upgrade.remediation.remediateLastFailure` of a HelmRelease.
        remediate_last_failure REMEDIATE_LAST_FAILURE = "remediateLastFailure": bool;
        /// `spec.upgrade.strategy.name` of a HelmRelease.
        upgrade_strategy UPGRADE_STRATEGY = "upgradeStrategy": FailureStrategy;
    }
}

options_of! {
    /// A Fleet bundle.
    Fleet {
        /// The version of Fleet.
        version VERSION = "version": ToolVersion;
        /// `correctDrift.enabled`.
        correct_drift CORRECT_DRIFT = "correctDrift": bool;
        /// `correctDrift.force` or `helm.force`.
        force FORCE = "force": bool;
    }
}

options_of! {
    /// kubectl.
    Kubectl {
        /// The command that sends the objects.
        mode MODE = "mode": KubectlMode;
    }
}

/// The options of one tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Options {
    /// Helm 3.
    Helm3(Helm3),
    /// Helm 4.
    Helm4(Helm4),
    /// Argo CD.
    Argocd(Argocd),
    /// Flux.
    Flux(Flux),
    /// Fleet.
    Fleet(Fleet),
    /// kubectl.
    Kubectl(Kubectl),
}

impl Options {
    pub(super) fn none(tool: Tool) -> Self {
        match tool {
            Tool::Helm3 => Options::Helm3(Helm3::NONE),
            Tool::Helm4 => Options::Helm4(Helm4::NONE),
            Tool::Argocd => Options::Argocd(Argocd::NONE),
            Tool::Flux => Options::Flux(Flux::NONE),
            Tool::Fleet => Options::Fleet(Fleet::NONE),
            Tool::Kubectl => Options::Kubectl(Kubectl::NONE),
        }
    }

    /// The names of a tool's options.
    pub fn names(tool: Tool) -> &'static [&'static str] {
        match tool {
            Tool::Helm3 => Helm3::NAMES,
            Tool::Helm4 => Helm4::NAMES,
            Tool::Argocd => Argocd::NAMES,
            Tool::Flux => Flux::NAMES,
            Tool::Fleet => Fleet::NAMES,
            Tool::Kubectl => Kubectl::NAMES,
        }
    }

    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<OptionName, OptionError> {
        match self {
            Options::Helm3(own) => own.set(name, value),
            Options::Helm4(own) => own.set(name, value),
            Options::Argocd(own) => own.set(name, value),
            Options::Flux(own) => own.set(name, value),
            Options::Fleet(own) => own.set(name, value),
            Options::Kubectl(own) => own.set(name, value),
        }
    }

    /// The options that are set, sorted by name.
    pub fn stated(&self) -> Vec<(OptionName, OptionValue)> {
        let mut stated = match self {
            Options::Helm3(own) => own.stated(),
            Options::Helm4(own) => own.stated(),
            Options::Argocd(own) => own.stated(),
            Options::Flux(own) => own.stated(),
            Options::Fleet(own) => own.stated(),
            Options::Kubectl(own) => own.stated(),
        };
        stated.sort_by_key(|(name, _)| *name);
        stated
    }
}
