//! A deployer: a tool, and those of its options that decide what happens to a Job.

mod drift_exclusion;
mod options;
mod values;

use std::{collections::BTreeMap, error::Error, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yaml_spans::Location;

use crate::object::Object;

pub use drift_exclusion::{DriftExclusion, NamePattern};
pub use options::{Argocd, Fleet, Flux, Helm3, Helm4, Kubectl, OptionName, Options};
pub use values::{
    Apply, Drift, FailureStrategy, FluxKind, GoDuration, HelmWait, KubectlMode, Remediation,
    Retries, ToolVersion,
};

/// A tool that deploys Kubernetes objects.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// Helm 3.
    Helm3,
    /// Helm 4.
    Helm4,
    /// Argo CD.
    Argocd,
    /// Flux.
    Flux,
    /// Fleet.
    Fleet,
    /// kubectl.
    Kubectl,
}

impl Tool {
    /// All tools, in display order.
    pub const ALL: [Tool; 6] =
        [Tool::Helm3, Tool::Helm4, Tool::Argocd, Tool::Flux, Tool::Fleet, Tool::Kubectl];

    /// The identifier in flags, settings and machine-readable output: `helm3`, `argocd`.
    pub fn name(self) -> &'static str {
        match self {
            Tool::Helm3 => "helm3",
            Tool::Helm4 => "helm4",
            Tool::Argocd => "argocd",
            Tool::Flux => "flux",
            Tool::Fleet => "fleet",
            Tool::Kubectl => "kubectl",
        }
    }

    /// The name in messages: `Helm 3`, `Argo CD`.
    pub fn title(self) -> &'static str {
        match self {
            Tool::Helm3 => "Helm 3",
            Tool::Helm4 => "Helm 4",
            Tool::Argocd => "Argo CD",
            Tool::Flux => "Flux",
            Tool::Fleet => "Fleet",
            Tool::Kubectl => "kubectl",
        }
    }

    /// True for tools that reconcile: they can correct drift in the cluster without a new deploy.
    pub fn is_gitops(self) -> bool {
        matches!(self, Tool::Argocd | Tool::Flux | Tool::Fleet)
    }
}

impl FromStr for Tool {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let found = Tool::ALL.into_iter().find(|tool| tool.name() == text);
        found.ok_or_else(|| OptionError::UnknownTool(text.to_owned()))
    }
}

/// Why text does not describe a deployer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionError {
    /// No tool has this name.
    UnknownTool(String),
    /// The tool has no option of this name.
    UnknownOption {
        /// The tool.
        tool: Tool,
        /// The unknown name.
        name: String,
    },
    /// The value does not fit the option.
    BadValue {
        /// The option.
        name: OptionName,
        /// What it accepts, as the end of "takes …".
        expected: String,
        /// The rejected value.
        value: String,
    },
}

impl OptionError {
    fn unknown(tool: Tool, name: &str) -> Self {
        OptionError::UnknownOption { tool, name: name.to_owned() }
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionError::UnknownTool(text) => {
                let names = Tool::ALL.map(Tool::name).join(", ");
                write!(f, "unknown deployer `{text}`, expected one of {names}")
            }
            OptionError::UnknownOption { tool, name } => {
                let (title, names) = (tool.name(), Options::names(*tool).join(", "));
                write!(f, "{title} has no option `{name}`, expected one of {names}")
            }
            OptionError::BadValue { name, expected, value } => {
                write!(f, "`{name}` takes {expected}, not `{value}`")
            }
        }
    }
}

impl Error for OptionError {}

impl fmt::Display for OptionName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The value of an option, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// A boolean.
    Flag(bool),
    /// Any other value, as written.
    Text(String),
}

impl fmt::Display for OptionValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionValue::Flag(flag) => flag.fmt(f),
            OptionValue::Text(text) => text.fmt(f),
        }
    }
}

/// A tool with the options in force.
///
/// Parses from and prints as `TOOL[:OPTION=VALUE,…]`, such as `argocd:selfHeal=true,version=3.2`. An option
/// that is not set has the default of the tool, a version that is not set is the newest. Equality ignores
/// where options are set.
#[derive(Clone, Debug)]
pub struct Deployer {
    /// The tool.
    pub tool: Tool,
    options: Options,
    /// Nothing names this deployer: it is the usual one for this kind of manifest.
    pub assumed: bool,
    /// Objects that it leaves out of drift detection.
    pub drift_exclusions: Vec<DriftExclusion>,
    /// Where GitOps objects set options.
    reasons: BTreeMap<OptionName, Location>,
}

impl PartialEq for Deployer {
    fn eq(&self, other: &Self) -> bool {
        (&self.options, self.assumed, &self.drift_exclusions)
            == (&other.options, other.assumed, &other.drift_exclusions)
    }
}

impl Eq for Deployer {}

impl Deployer {
    /// A deployer that the user or the manifests name, with default options.
    pub fn stated(tool: Tool) -> Self {
        let (options, reasons) = (Options::none(tool), BTreeMap::new());
        Self { tool, options, assumed: false, drift_exclusions: Vec::new(), reasons }
    }

    /// A deployer that nothing names, with default options.
    pub fn assumed(tool: Tool) -> Self {
        Self { assumed: true, ..Self::stated(tool) }
    }

    /// Sets an option from text.
    ///
    /// # Errors
    /// [`OptionError::UnknownOption`] or [`OptionError::BadValue`].
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, value).map(|_| ())
    }

    /// Sets an option that a GitOps object sets at this location; see [`Deployer::because`].
    ///
    /// # Errors
    /// [`OptionError::UnknownOption`] or [`OptionError::BadValue`].
    pub fn set_at(
        &mut self,
        name: OptionName,
        value: &str,
        at: Location,
    ) -> Result<(), OptionError> {
        let name = self.options.set(name.0, value)?;
        self.reasons.insert(name, at);
        Ok(())
    }

    /// The options that are set, sorted by name.
    pub fn options(&self) -> Vec<(OptionName, OptionValue)> {
        self.options.stated()
    }

    /// Where a GitOps object sets this option; `None` when it is set elsewhere or not at all.
    pub fn because(&self, name: OptionName) -> Option<&Location> {
        self.reasons.get(&name)
    }

    /// The options of Helm 3; all unset for any other tool.
    pub fn helm3(&self) -> &Helm3 {
        if let Options::Helm3(own) = &self.options { own } else { &Helm3::NONE }
    }

    /// The options of Helm 4; all unset for any other tool.
    pub fn helm4(&self) -> &Helm4 {
        if let Options::Helm4(own) = &self.options { own } else { &Helm4::NONE }
    }

    /// The options of Argo CD; all unset for any other tool.
    pub fn argocd(&self) -> &Argocd {
        if let Options::Argocd(own) = &self.options { own } else { &Argocd::NONE }
    }

    /// The options of Flux; all unset for any other tool.
    pub fn flux(&self) -> &Flux {
        if let Options::Flux(own) = &self.options { own } else { &Flux::NONE }
    }

    /// The options of Fleet; all unset for any other tool.
    pub fn fleet(&self) -> &Fleet {
        if let Options::Fleet(own) = &self.options { own } else { &Fleet::NONE }
    }

    /// The kubectl command that sends the objects; `apply` by default.
    pub fn kubectl_mode(&self) -> KubectlMode {
        let own = if let Options::Kubectl(own) = &self.options { own } else { &Kubectl::NONE };
        own.mode.unwrap_or(KubectlMode::Apply)
    }

    /// True when drift detection leaves this object out, so that nobody notices when it is missing.
    pub fn ignores(&self, object: &Object) -> bool {
        self.drift_exclusions.iter().any(|exclusion| exclusion.matches(object))
    }

    /// True when the tool's own force option is on: Helm and Fleet send a PUT, Argo CD and a Flux
    /// Kustomization delete and recreate.
    pub fn is_forced(&self) -> bool {
        let force = match &self.options {
            Options::Helm3(own) => own.force,
            Options::Helm4(own) => own.force_replace,
            Options::Argocd(own) => own.force,
            Options::Flux(own) => own.force,
            Options::Fleet(own) => own.force,
            Options::Kubectl(_) => None,
        };
        force == Some(true)
    }

    /// True when Helm 4 or helm-controller uses client-side apply, as they do for releases that Helm 3 created.
    pub fn applies_client_side(&self) -> bool {
        [self.helm4().apply, self.flux().apply].contains(&Some(Apply::ClientSide))
    }

    /// True when objects are sent by server-side apply: by Helm 4 and Flux, unless told otherwise, by Fleet from 0.15 on,
    /// and by Argo CD and kubectl if told to.
    pub fn applies_server_side(&self) -> bool {
        match self.tool {
            Tool::Helm3 => false,
            Tool::Helm4 | Tool::Flux => !self.applies_client_side(),
            Tool::Fleet => self.since(&[0, 15]) && !self.is_forced(),
            Tool::Argocd => self.argocd().server_side_apply == Some(true),
            Tool::Kubectl => self.kubectl_mode() == KubectlMode::ServerSide,
        }
    }

    /// True when hooks are created, which fails if the object exists: Helm 3, and Helm 4 for releases that Helm 3
    /// created. For its own releases Helm 4 applies hooks to an existing object.
    pub fn creates_hooks(&self) -> bool {
        let old_fleet = self.tool == Tool::Fleet && !self.since(&[0, 15]);
        self.tool == Tool::Helm3 || old_fleet || self.applies_client_side()
    }

    /// How often a HelmRelease uninstalls a failed install and installs again; `None` when it does not.
    pub fn reinstalls(&self) -> Option<Retries> {
        let own = self.flux();
        let retried = own.install_strategy == Some(FailureStrategy::RetryOnFailure);
        own.install_retries.filter(|retries| !retried && retries.any())
    }

    /// True when a HelmRelease uninstalls after a failed upgrade and installs the new version.
    pub fn reinstalls_failed_upgrades(&self) -> bool {
        let own = self.flux();
        let remediates = own.upgrade_retries.is_some_and(Retries::any)
            || own.remediate_last_failure == Some(true);
        remediates
            && own.upgrade_remediation == Some(Remediation::Uninstall)
            && !self.repeats_failed_upgrades()
    }

    /// True when a HelmRelease repeats a failed upgrade until it succeeds.
    pub fn repeats_failed_upgrades(&self) -> bool {
        self.flux().upgrade_strategy == Some(FailureStrategy::RetryOnFailure)
    }

    /// True when Helm 3 waits until Jobs complete (`--wait --wait-for-jobs`).
    pub fn waits_for_jobs(&self) -> bool {
        let own = self.helm3();
        own.wait == Some(true) && own.wait_for_jobs == Some(true)
    }

    /// The timeout of an operation in seconds; `None` when it is not set.
    pub fn timeout(&self) -> Option<u64> {
        let timeout = match &self.options {
            Options::Helm3(own) => own.timeout.as_ref(),
            Options::Helm4(own) => own.timeout.as_ref(),
            Options::Flux(own) => own.timeout.as_ref(),
            Options::Argocd(_) | Options::Fleet(_) | Options::Kubectl(_) => None,
        };
        timeout.map(|timeout| timeout.seconds)
    }

    /// True when Argo CD or Fleet has this version or a newer one. A version that is not set is the newest.
    pub fn since(&self, version: &[u32]) -> bool {
        let own = self.argocd().version.as_ref().or(self.fleet().version.as_ref());
        own.is_none_or(|own| own.since(version))
    }

    /// True when the tool keeps Helm releases of a chart, so that templates see upgrades and revisions. The
    /// others render every deploy as an install.
    pub fn has_release(&self) -> bool {
        match self.tool {
            Tool::Argocd | Tool::Kubectl => false,
            Tool::Flux => self.is_helm_release(true),
            Tool::Helm3 | Tool::Helm4 | Tool::Fleet => true,
        }
    }

    /// True for Flux with a HelmRelease, which deploys through Helm.
    pub fn is_helm_release(&self, from_chart: bool) -> bool {
        self.tool == Tool::Flux && (from_chart || self.flux().kind == Some(FluxKind::HelmRelease))
    }
}

/// Reads `TOOL[:OPTION=VALUE,…]`; an option without a value is `true`.
impl FromStr for Deployer {
    type Err = OptionError;

    fn from_str(text: &str) -> Result<Self, OptionError> {
        let (tool, options) = text.split_once(':').unwrap_or((text, ""));
        let mut deployer = Deployer::stated(tool.parse()?);
        for option in options.split(',').filter(|option| !option.is_empty()) {
            let (name, value) = option.split_once('=').unwrap_or((option, "true"));
            deployer.set(name.trim(), value.trim())?;
        }
        Ok(deployer)
    }
}

impl fmt::Display for Deployer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.tool.name())?;
        for (index, (name, value)) in self.options().iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
