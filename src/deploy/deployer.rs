//! A deployer: the tool and those of its options that decide what happens to a Job.

use std::{collections::BTreeMap, fmt, str::FromStr};

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::object::Object;
use yaml_spans::Location;

/// A tool that deploys objects.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    Helm3,
    Helm4,
    Argocd,
    Flux,
    Fleet,
    Kubectl,
}

impl Tool {
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

    /// Puts back what is missing or changed in the cluster without anyone deploying.
    pub fn is_gitops(self) -> bool {
        matches!(self, Tool::Argocd | Tool::Flux | Tool::Fleet)
    }
}

impl FromStr for Tool {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Tool::ALL.into_iter().find(|tool| tool.name() == text).ok_or_else(|| {
            let names: Vec<_> = Tool::ALL.iter().map(|tool| tool.name()).collect();
            format!("unknown deployer `{text}`, expected one of {}", names.join(", "))
        })
    }
}

/// What an option takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    Flag,
    /// Go duration: `90s`, `5m`, `1h30m`.
    Duration,
    Version,
    OneOf(&'static [&'static str]),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OptionValue {
    Flag(bool),
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

/// The options of each tool that change an outcome, named as the tool names them.
const OPTIONS: &[(Tool, &str, OptionKind)] = &[
    (Tool::Helm3, "wait", OptionKind::Flag),
    (Tool::Helm3, "waitForJobs", OptionKind::Flag),
    (Tool::Helm3, "force", OptionKind::Flag),
    (Tool::Helm3, "atomic", OptionKind::Flag),
    (Tool::Helm3, "timeout", OptionKind::Duration),
    (Tool::Helm4, "wait", OptionKind::OneOf(&["watcher", "hookOnly", "legacy", "true", "false"])),
    (Tool::Helm4, "waitForJobs", OptionKind::Flag),
    (Tool::Helm4, "forceReplace", OptionKind::Flag),
    (Tool::Helm4, "apply", OptionKind::OneOf(&["ssa", "csa"])),
    (Tool::Helm4, "timeout", OptionKind::Duration),
    (Tool::Argocd, "version", OptionKind::Version),
    (Tool::Argocd, "automated", OptionKind::Flag),
    (Tool::Argocd, "prune", OptionKind::Flag),
    (Tool::Argocd, "selfHeal", OptionKind::Flag),
    (Tool::Argocd, "force", OptionKind::Flag),
    (Tool::Argocd, "replace", OptionKind::Flag),
    (Tool::Argocd, "serverSideApply", OptionKind::Flag),
    (Tool::Argocd, "applyOutOfSyncOnly", OptionKind::Flag),
    (Tool::Flux, "kind", OptionKind::OneOf(&["HelmRelease", "Kustomization"])),
    (Tool::Flux, "force", OptionKind::Flag),
    (Tool::Flux, "interval", OptionKind::Duration),
    (Tool::Flux, "postBuild", OptionKind::Flag),
    (Tool::Flux, "prune", OptionKind::Flag),
    (Tool::Flux, "wait", OptionKind::Flag),
    (Tool::Flux, "timeout", OptionKind::Duration),
    (Tool::Flux, "driftDetection", OptionKind::OneOf(&["enabled", "warn", "disabled"])),
    (Tool::Flux, "apply", OptionKind::OneOf(&["ssa", "csa"])),
    (Tool::Fleet, "version", OptionKind::Version),
    (Tool::Fleet, "correctDrift", OptionKind::Flag),
    (Tool::Fleet, "force", OptionKind::Flag),
    (Tool::Kubectl, "mode", OptionKind::OneOf(&["apply", "server-side", "create", "replace"])),
];

/// The names of a tool's options.
pub fn option_names(tool: Tool) -> impl Iterator<Item = (&'static str, OptionKind)> {
    OPTIONS.iter().filter(move |(of, ..)| *of == tool).map(|&(_, name, kind)| (name, kind))
}

/// Objects whose absence is ignored: `op: ignore` of Fleet's `comparePatches`, `driftDetection.ignore` of a
/// HelmRelease. What is absent fits anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    pub api_version: Option<String>,
    pub kind: Option<String>,
    pub namespace: Option<String>,
    /// A regular expression, and whether it has to match the whole name.
    pub name: Option<(String, bool)>,
    /// The namespace of objects that do not name theirs.
    pub bundle: String,
}

impl Ignored {
    /// True when it is about this object.
    pub fn fits(&self, object: &Object) -> bool {
        let fits =
            |own: &Option<String>, other: &str| own.as_deref().is_none_or(|own| own == other);
        let name = object.name().unwrap_or_default();
        fits(&self.api_version, object.api_version())
            && fits(&self.kind, object.kind())
            && fits(&self.namespace, object.namespace().unwrap_or(&self.bundle))
            && self.name.as_ref().is_none_or(|(pattern, whole)| {
                let anchored = if *whole { format!("^(?:{pattern})$") } else { pattern.clone() };
                pattern == name || Regex::new(&anchored).is_ok_and(|regex| regex.is_match(name))
            })
    }
}

/// A tool with the options in force.
#[derive(Clone, Debug)]
pub struct Deployer {
    pub tool: Tool,
    pub options: BTreeMap<String, OptionValue>,
    /// Neither stated nor found in the tree.
    pub assumed: bool,
    /// Objects whose drift it neither reports nor corrects.
    pub ignored: Vec<Ignored>,
    /// Where a GitOps object sets options; see [`Deployer::because`].
    reasons: BTreeMap<&'static str, Location>,
}

/// The same tool with the same options, whoever said so.
impl PartialEq for Deployer {
    fn eq(&self, other: &Self) -> bool {
        (self.tool, &self.options, self.assumed, &self.ignored)
            == (other.tool, &other.options, other.assumed, &other.ignored)
    }
}

impl Eq for Deployer {}

impl Deployer {
    pub fn stated(tool: Tool) -> Self {
        let (options, reasons) = (BTreeMap::new(), BTreeMap::new());
        Self { tool, options, assumed: false, ignored: Vec::new(), reasons }
    }

    pub fn assumed(tool: Tool) -> Self {
        Self { assumed: true, ..Self::stated(tool) }
    }

    /// Sets an option from its text form.
    ///
    /// # Errors
    /// The message for the user when the tool has no such option or the value does not fit it.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let Some((_, kind)) = option_names(self.tool).find(|(known, _)| *known == name) else {
            let names: Vec<_> = option_names(self.tool).map(|(name, _)| name).collect();
            let tool = self.tool.name();
            return Err(format!(
                "{tool} has no option `{name}`, expected one of {}",
                names.join(", ")
            ));
        };
        self.options.insert(name.to_owned(), kind.read(name, value)?);
        Ok(())
    }

    /// Sets an option that stands in a GitOps object.
    ///
    /// # Errors
    /// As [`Deployer::set`].
    pub fn set_at(&mut self, name: &str, value: &str, at: Location) -> Result<(), String> {
        self.set(name, value)?;
        if let Some((name, _)) = option_names(self.tool).find(|(known, _)| *known == name) {
            self.reasons.insert(name, at);
        }
        Ok(())
    }

    /// Where a GitOps object sets this option; `None` for what flags, settings and defaults say.
    pub fn because(&self, name: &str) -> Option<&Location> {
        self.reasons.get(name)
    }

    /// True for an object that it leaves gone without a word.
    pub fn ignores(&self, object: &Object) -> bool {
        self.ignored.iter().any(|ignored| ignored.fits(object))
    }

    /// True when a flag is set.
    pub fn is(&self, name: &str) -> bool {
        self.flag(name) == Some(true)
    }

    /// A flag where it is stated.
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.options.get(name)? {
            OptionValue::Flag(flag) => Some(*flag),
            OptionValue::Text(_) => None,
        }
    }

    /// Helm creates its hooks, and finds that they exist; as Helm 4 does with the releases of Helm 3.
    /// With its own releases Helm 4 applies hooks to whatever is there.
    pub fn creates_hooks(&self) -> bool {
        let old_fleet = self.tool == Tool::Fleet && !self.since(&[0, 15]);
        self.tool == Tool::Helm3 || old_fleet || self.text("apply") == Some("csa")
    }

    /// Whole seconds of a duration that is set.
    pub fn seconds(&self, name: &str) -> Option<u64> {
        seconds(self.text(name)?)
    }

    /// True from a version on. What is not stated is the newest: no version at all, or no patch level.
    pub fn since(&self, version: &[u32]) -> bool {
        let Some(own) = self.text("version") else { return true };
        let own = own.split('.').map(|part| part.parse().unwrap_or(u32::MAX));
        own.chain(std::iter::repeat(u32::MAX)).take(version.len()).ge(version.iter().copied())
    }

    pub fn text(&self, name: &str) -> Option<&str> {
        match self.options.get(name)? {
            OptionValue::Text(text) => Some(text),
            OptionValue::Flag(_) => None,
        }
    }

    /// It installs and upgrades releases of a chart; the others render as for an install, every time.
    pub fn has_release(&self) -> bool {
        match self.tool {
            Tool::Argocd | Tool::Kubectl => false,
            Tool::Flux => self.is_helm_release(true),
            Tool::Helm3 | Tool::Helm4 | Tool::Fleet => true,
        }
    }

    /// Flux with a HelmRelease: what it applies goes through Helm.
    pub fn is_helm_release(&self, from_chart: bool) -> bool {
        self.tool == Tool::Flux && (from_chart || self.text("kind") == Some("HelmRelease"))
    }
}

/// `TOOL[:OPTION=VALUE,…]`, the form of the `--deployer` flag.
impl FromStr for Deployer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
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
        for (index, (name, value)) in self.options.iter().enumerate() {
            write!(f, "{}{name}={value}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl OptionKind {
    fn read(self, name: &str, value: &str) -> Result<OptionValue, String> {
        let text = || Ok(OptionValue::Text(value.to_owned()));
        let expected = |what: &str| Err(format!("`{name}` takes {what}, not `{value}`"));
        match self {
            OptionKind::Flag => match value {
                "true" => Ok(OptionValue::Flag(true)),
                "false" => Ok(OptionValue::Flag(false)),
                _ => expected("true or false"),
            },
            OptionKind::OneOf(allowed) if allowed.contains(&value) => text(),
            OptionKind::OneOf(allowed) => expected(&format!("one of {}", allowed.join(", "))),
            OptionKind::Duration if seconds(value).is_some() => text(),
            OptionKind::Duration => expected("a duration such as 90s, 5m or 1h30m"),
            OptionKind::Version if value.split('.').all(|part| part.parse::<u32>().is_ok()) => {
                text()
            }
            OptionKind::Version => expected("a version such as 3.2"),
        }
    }
}

/// Whole seconds of a Go duration of hours, minutes and seconds.
fn seconds(text: &str) -> Option<u64> {
    let mut total = 0u64;
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: u64 = rest[..digits].parse().ok()?;
        let unit = match rest[digits..].chars().next()? {
            'h' => 3600,
            'm' => 60,
            's' => 1,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = &rest[digits + 1..];
    }
    (!text.is_empty()).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_flag_form() {
        let deployer: Deployer = "argocd:selfHeal=true,version=3.2".parse().unwrap();
        assert_eq!(deployer.tool, Tool::Argocd);
        assert!(deployer.is("selfHeal"));
        assert_eq!(deployer.text("version"), Some("3.2"));
        assert_eq!(deployer.to_string(), "argocd:selfHeal=true,version=3.2");
    }

    #[test]
    fn compares_versions() {
        let since = |text: &str, version: &[u32]| text.parse::<Deployer>().unwrap().since(version);
        assert!(since("argocd", &[3, 3]));
        assert!(since("argocd:version=3.3", &[3, 3, 5]));
        assert!(!since("argocd:version=3.3.4", &[3, 3, 5]));
        assert!(since("argocd:version=3.10", &[3, 9]));
        assert!(!since("argocd:version=2.14.20", &[3, 0]));
    }

    #[test]
    fn says_what_would_fit() {
        let error = |text: &str| text.parse::<Deployer>().unwrap_err();
        assert!(error("argo").starts_with("unknown deployer `argo`, expected one of helm3"));
        assert_eq!(
            error("fleet:self=true"),
            "fleet has no option `self`, expected one of version, correctDrift, force"
        );
        assert_eq!(
            error("helm3:timeout=5"),
            "`timeout` takes a duration such as 90s, 5m or 1h30m, not `5`"
        );
    }
}
