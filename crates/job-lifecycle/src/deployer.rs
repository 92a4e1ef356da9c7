//! A deployer: a tool and those of its options that decide what happens to a Job.

mod ignored;
mod options;
mod values;

use std::{collections::BTreeMap, error::Error, fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yaml_spans::Location;

use crate::object::Object;

pub use ignored::Ignored;
pub use options::{Argocd, Fleet, Flux, Helm3, Helm4, Kubectl, OptionName, Options};
pub use values::{Apply, Drift, FluxKind, GoDuration, HelmWait, KubectlMode, ToolVersion};

/// A tool that deploys objects.
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
    /// All tools, in the order of output.
    pub const ALL: [Tool; 6] =
        [Tool::Helm3, Tool::Helm4, Tool::Argocd, Tool::Flux, Tool::Fleet, Tool::Kubectl];

    /// The name used in flags, settings and machine-readable output.
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

    /// The name used in messages.
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

    /// Corrects what is missing or changed in the cluster although nobody deploys.
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

/// Why a deployer cannot be read from text.
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
        /// What it takes.
        expected: String,
        /// What was given.
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

/// The value of an option, as it is printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    /// True or false.
    Flag(bool),
    /// Anything else, as it was written.
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
#[derive(Clone, Debug)]
pub struct Deployer {
    /// The tool; that of `options`.
    pub tool: Tool,
    options: Options,
    /// Neither stated nor found in the tree.
    pub assumed: bool,
    /// Objects whose drift it neither reports nor corrects.
    pub ignored: Vec<Ignored>,
    /// Where a GitOps object sets options; see [`Deployer::because`].
    reasons: BTreeMap<OptionName, Location>,
}

/// The same tool with the same options, wherever they are stated.
impl PartialEq for Deployer {
    fn eq(&self, other: &Self) -> bool {
        (&self.options, self.assumed, &self.ignored)
            == (&other.options, other.assumed, &other.ignored)
    }
}

impl Eq for Deployer {}

impl Deployer {
    /// A tool that somebody named, with the defaults of all its options.
    pub fn stated(tool: Tool) -> Self {
        let (options, reasons) = (Options::none(tool), BTreeMap::new());
        Self { tool, options, assumed: false, ignored: Vec::new(), reasons }
    }

    /// A tool that nothing names.
    pub fn assumed(tool: Tool) -> Self {
        Self { assumed: true, ..Self::stated(tool) }
    }

    /// Sets an option from its text form.
    ///
    /// # Errors
    /// The tool has no such option, or the value does not fit it.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), OptionError> {
        self.options.set(name, value).map(|_| ())
    }

    /// Sets an option that a GitOps object states at this place.
    ///
    /// # Errors
    /// As [`Deployer::set`].
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

    /// The options that are set, by name.
    pub fn options(&self) -> Vec<(OptionName, OptionValue)> {
        self.options.stated()
    }

    /// Where a GitOps object sets this option; `None` where flags, settings or defaults decide.
    pub fn because(&self, name: OptionName) -> Option<&Location> {
        self.reasons.get(&name)
    }

    /// The options of Helm 3; those of any other tool read as not set.
    pub fn helm3(&self) -> &Helm3 {
        if let Options::Helm3(own) = &self.options { own } else { &Helm3::NONE }
    }

    /// The options of Helm 4; those of any other tool read as not set.
    pub fn helm4(&self) -> &Helm4 {
        if let Options::Helm4(own) = &self.options { own } else { &Helm4::NONE }
    }

    /// The options of Argo CD; those of any other tool read as not set.
    pub fn argocd(&self) -> &Argocd {
        if let Options::Argocd(own) = &self.options { own } else { &Argocd::NONE }
    }

    /// The options of Flux; those of any other tool read as not set.
    pub fn flux(&self) -> &Flux {
        if let Options::Flux(own) = &self.options { own } else { &Flux::NONE }
    }

    /// The options of Fleet; those of any other tool read as not set.
    pub fn fleet(&self) -> &Fleet {
        if let Options::Fleet(own) = &self.options { own } else { &Fleet::NONE }
    }

    /// The mode of kubectl; `apply` where nothing else is stated.
    pub fn kubectl_mode(&self) -> KubectlMode {
        let own = if let Options::Kubectl(own) = &self.options { own } else { &Kubectl::NONE };
        own.mode.unwrap_or(KubectlMode::Apply)
    }

    /// Does not report that this object is missing.
    pub fn ignores(&self, object: &Object) -> bool {
        self.ignored.iter().any(|ignored| ignored.fits(object))
    }

    /// The tool's own force is on: a PUT for Helm and Fleet, a deletion for Argo CD and a Kustomization.
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

    /// Helm 4 and helm-controller apply on the client's side, as for releases that Helm 3 made.
    pub fn applies_client_side(&self) -> bool {
        [self.helm4().apply, self.flux().apply].contains(&Some(Apply::ClientSide))
    }

    /// Helm creates its hooks, and finds that they exist, as Helm 4 does with the releases of Helm 3.
    /// With its own releases Helm 4 applies hooks to whatever is there.
    pub fn creates_hooks(&self) -> bool {
        let old_fleet = self.tool == Tool::Fleet && !self.since(&[0, 15]);
        self.tool == Tool::Helm3 || old_fleet || self.applies_client_side()
    }

    /// Helm 3 waits until Jobs have ended.
    pub fn waits_for_jobs(&self) -> bool {
        let own = self.helm3();
        own.wait == Some(true) && own.wait_for_jobs == Some(true)
    }

    /// The time-out of an operation in whole seconds, where it is set.
    pub fn timeout(&self) -> Option<u64> {
        let timeout = match &self.options {
            Options::Helm3(own) => own.timeout.as_ref(),
            Options::Helm4(own) => own.timeout.as_ref(),
            Options::Flux(own) => own.timeout.as_ref(),
            Options::Argocd(_) | Options::Fleet(_) | Options::Kubectl(_) => None,
        };
        timeout.map(|timeout| timeout.seconds)
    }

    /// True from a version of Argo CD or Fleet on. A version that is not stated is the newest.
    pub fn since(&self, version: &[u32]) -> bool {
        let own = self.argocd().version.as_ref().or(self.fleet().version.as_ref());
        own.is_none_or(|own| own.since(version))
    }

    /// Installs and upgrades releases of a chart; the others render as for an install, every time.
    pub fn has_release(&self) -> bool {
        match self.tool {
            Tool::Argocd | Tool::Kubectl => false,
            Tool::Flux => self.is_helm_release(true),
            Tool::Helm3 | Tool::Helm4 | Tool::Fleet => true,
        }
    }

    /// Flux with a HelmRelease: what it applies goes through Helm.
    pub fn is_helm_release(&self, from_chart: bool) -> bool {
        self.tool == Tool::Flux && (from_chart || self.flux().kind == Some(FluxKind::HelmRelease))
    }
}

/// `TOOL[:OPTION=VALUE,…]`, the form of the `--deployer` flag.
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
