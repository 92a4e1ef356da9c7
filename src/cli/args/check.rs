//! The flags of `joblint check` and `joblint baseline`.

use std::{fmt, path::PathBuf, str::FromStr};

use clap::ValueEnum;
use job_lifecycle::{Deployer, kubernetes::Version, suggest::nearest};

use super::{ValueArgs, named};
use crate::{
    finding::{Confidence, Severity},
    report::{Color, Format},
    rules,
};

/// The arguments of `joblint check` and `joblint baseline`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// Files and folders to check; `-` reads standard input [default: .]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The file name of standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,

    /// Apply fixes that cannot change what a manifest means
    #[arg(long, help_heading = "Fixes")]
    pub(crate) fix: bool,
    /// With --fix or --diff: include fixes that need a review
    #[arg(long, help_heading = "Fixes")]
    pub(crate) unsafe_fixes: bool,
    /// Print what the fixes would change instead of changing it
    #[arg(long, help_heading = "Fixes")]
    pub(crate) diff: bool,

    /// What deploys the objects, with its options; repeatable [default: detected]
    ///
    /// TOOL is helm3, helm4, argocd, flux, fleet or kubectl, for example
    /// `argocd:selfHeal=true,version=3.2`.
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]", help_heading = "What is checked")]
    pub(crate) deployer: Vec<Deployer>,
    /// The Kubernetes version of the cluster [default: the newest known]
    #[arg(long, value_name = "VERSION", help_heading = "What is checked")]
    pub(crate) kube_version: Option<Version>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE", help_heading = "What is checked")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) values: ValueArgs,

    /// Run only these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule, help_heading = "Rules")]
    pub(crate) select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule, help_heading = "Rules")]
    pub(crate) ignore: Vec<String>,
    /// Also report pedantic findings
    #[arg(long, help_heading = "Rules")]
    pub(crate) pedantic: bool,
    /// Report findings of this severity or higher
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub(crate) min_severity: Option<Severity>,
    /// Report findings of this confidence or higher
    #[arg(long, value_name = "CONFIDENCE", value_parser = named::confidence(), help_heading = "Rules")]
    pub(crate) min_confidence: Option<Confidence>,
    /// Exit with 1 on findings of this severity or higher [default: warning]
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub(crate) fail_on: Option<Severity>,
    /// Report incomplete checks as errors
    #[arg(long, help_heading = "Rules")]
    pub(crate) strict: bool,
    /// Also report findings that comments, annotations, settings or the baseline ignore
    #[arg(long, help_heading = "Rules")]
    pub(crate) no_ignores: bool,

    /// The output format, optionally with a file to write to; repeatable [default: full]
    #[arg(long, value_name = "FORMAT[=PATH]", help_heading = "Output")]
    pub(crate) output: Vec<Output>,
    /// Count findings by rule instead of printing them
    #[arg(long, help_heading = "Output")]
    pub(crate) statistics: bool,
    /// When to use colours and links
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,
    /// Print findings only
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// An output format and the file to write it to; `None` is standard output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) format: Format,
    pub(crate) path: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = UnknownFormat;

    fn from_str(text: &str) -> Result<Self, UnknownFormat> {
        let (format, path) = match text.split_once('=') {
            Some((format, path)) => (format, Some(PathBuf::from(path))),
            None => (text, None),
        };
        let format = Format::from_str(format, false).map_err(|_| UnknownFormat)?;
        Ok(Self { format, path })
    }
}

/// `--output` names no format.
#[derive(Debug)]
pub(crate) struct UnknownFormat;

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known: Vec<_> =
            Format::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        let names: Vec<_> = known.iter().map(|value| value.get_name()).collect();
        write!(f, "unknown format, expected one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownFormat {}

/// Parses the id of an existing rule.
pub(super) fn rule(text: &str) -> Result<String, UnknownRule> {
    if rules::find(text).is_some() {
        return Ok(text.to_owned());
    }
    Err(UnknownRule { near: nearest(text, rules::all().iter().map(|rule| rule.id)) })
}

/// `--select` or `--ignore` names no rule.
#[derive(Debug)]
pub(super) struct UnknownRule {
    /// The rule with the most similar id.
    near: Option<&'static str>,
}

impl fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.near {
            Some(near) => write!(f, "there is no such rule, did you mean `{near}`?"),
            None => write!(f, "there is no such rule; `joblint rules` lists them all"),
        }
    }
}

impl std::error::Error for UnknownRule {}
