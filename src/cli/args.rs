//! Verbs and flags.

mod named;
mod render;
mod upgrade;

use std::{path::PathBuf, str::FromStr};

use clap::{Parser, Subcommand, ValueEnum};
use job_lifecycle::{Deployer, Event, kubernetes::Version, suggest::nearest};

use crate::{
    finding::{Confidence, Severity},
    report::{Color, ForecastFormat, Format},
    rules,
};

pub use render::{Helm, OriginFormat, RenderArgs};
pub use upgrade::UpgradeArgs;

/// What happens to this Kubernetes Job on the next deploy?
///
/// Lints Jobs, CronJobs and deploy hooks. Without a verb, checks: `joblint PATH…`.
#[derive(Debug, Parser)]
#[command(name = "joblint", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub check: CheckArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lint manifests (the default verb)
    Check(Box<CheckArgs>),
    /// Show what each deploy does to each Job
    Forecast(Box<ForecastArgs>),
    /// Compare two versions: which Jobs the upgrade rejects, runs again, renames, leaves behind
    Upgrade(Box<UpgradeArgs>),
    /// Print the manifests of a Helm chart, as `helm template` does
    Render(Box<RenderArgs>),
    /// Show a rule's page, or the rules behind an error that a cluster printed
    Explain {
        /// A rule, or the text of an error
        #[arg(value_name = "RULE|ERROR")]
        text: String,
    },
    /// List all rules
    Rules {
        #[arg(long, value_name = "FORMAT", default_value = "table")]
        output: ListFormat,
    },
    /// Accept today's findings: write or update the baseline
    Baseline(Box<CheckArgs>),
    /// Show resolved settings, their JSON Schema, or write a starter file
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Print a completion script for a shell
    Completions {
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
}

/// What is set over the defaults of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq, clap::Args)]
#[command(next_help_heading = "Values")]
pub struct ValueArgs {
    /// A values file; repeatable, later ones win
    #[arg(long, short = 'f', value_name = "FILE")]
    pub values: Vec<PathBuf>,
    /// Set values: `key=value,other.key=value`
    #[arg(long, value_name = "VALUES")]
    pub set: Vec<String>,
    /// Set values, always as strings
    #[arg(long, value_name = "VALUES")]
    pub set_string: Vec<String>,
    /// Set JSON values: `key=JSON`, or a whole object
    #[arg(long, value_name = "VALUES")]
    pub set_json: Vec<String>,
    /// Set values to the contents of files: `key=PATH`
    #[arg(long, value_name = "VALUES")]
    pub set_file: Vec<String>,
    /// Set one value to a string taken as it is
    #[arg(long, value_name = "VALUE")]
    pub set_literal: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print the settings in force here
    Show {
        /// The settings file, instead of the nearest `.joblint.yaml`
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Print the JSON Schema of the settings file
    Schema,
    /// Write a commented `.joblint.yaml`
    Init,
}

/// How to print the list of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListFormat {
    Table,
    Json,
    Markdown,
}

#[derive(Clone, Debug, clap::Args)]
pub struct CheckArgs {
    /// Files and folders to check; `-` reads standard input [default: .]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The name of what standard input holds
    #[arg(long, value_name = "PATH")]
    pub stdin_filename: Option<PathBuf>,

    /// Apply fixes that cannot change what a manifest means
    #[arg(long, help_heading = "Fixes")]
    pub fix: bool,
    /// With --fix or --diff: also fixes that somebody should read
    #[arg(long, help_heading = "Fixes")]
    pub unsafe_fixes: bool,
    /// Print what the fixes would change instead of changing it
    #[arg(long, help_heading = "Fixes")]
    pub diff: bool,

    /// What deploys the objects, with its options; repeatable [default: found out]
    ///
    /// TOOL is helm3, helm4, argocd, flux, fleet or kubectl, for example
    /// `argocd:selfHeal=true,version=3.2`.
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]", help_heading = "What is checked")]
    pub deployer: Vec<Deployer>,
    /// The Kubernetes version of the cluster [default: the newest known]
    #[arg(long, value_name = "VERSION", help_heading = "What is checked")]
    pub kube_version: Option<Version>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE", help_heading = "What is checked")]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub values: ValueArgs,

    /// Run only these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule, help_heading = "Rules")]
    pub select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule, help_heading = "Rules")]
    pub ignore: Vec<String>,
    /// Also report what matters only to the careful
    #[arg(long, help_heading = "Rules")]
    pub pedantic: bool,
    /// Report findings from this severity up
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub min_severity: Option<Severity>,
    /// Report findings from this confidence up
    #[arg(long, value_name = "CONFIDENCE", value_parser = named::confidence(), help_heading = "Rules")]
    pub min_confidence: Option<Confidence>,
    /// Exit with 1 from this severity up [default: warning]
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub fail_on: Option<Severity>,
    /// Treat what could not be checked in full as an error
    #[arg(long, help_heading = "Rules")]
    pub strict: bool,
    /// Report what comments, annotations, settings and the baseline ignore, too
    #[arg(long, help_heading = "Rules")]
    pub no_ignores: bool,

    /// How to print findings, and where to; repeatable [default: full]
    #[arg(long, value_name = "FORMAT[=PATH]", help_heading = "Output")]
    pub output: Vec<Output>,
    /// Count findings by rule instead of printing them
    #[arg(long, help_heading = "Output")]
    pub statistics: bool,
    /// When to use colours and links
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
    /// Print findings only
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

#[derive(Clone, Debug, clap::Args)]
pub struct ForecastArgs {
    /// Files and folders; `-` reads standard input [default: .]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The name of what standard input holds
    #[arg(long, value_name = "PATH")]
    pub stdin_filename: Option<PathBuf>,
    #[command(flatten)]
    pub values: ValueArgs,
    /// What deploys the objects, with its options; repeatable [default: who is found, else all]
    ///
    /// TOOL is helm3, helm4, argocd, flux, fleet or kubectl, for example
    /// `argocd:selfHeal=true` or `flux:kind=HelmRelease,driftDetection=enabled`.
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]")]
    pub deployer: Vec<Deployer>,
    /// Only these events
    #[arg(long, value_name = "EVENT,…", value_delimiter = ',', value_parser = named::event())]
    pub event: Vec<Event>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// How to print the forecasts
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub output: ForecastFormat,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub color: Color,
    /// Print forecasts only
    #[arg(long, short)]
    pub quiet: bool,
}

/// A format and the file it goes to; standard output without one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    pub format: Format,
    pub path: Option<PathBuf>,
}

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (format, path) = match text.split_once('=') {
            Some((format, path)) => (format, Some(PathBuf::from(path))),
            None => (text, None),
        };
        let format = Format::from_str(format, false).map_err(|_| {
            let known: Vec<_> =
                Format::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
            let names: Vec<_> = known.iter().map(|value| value.get_name()).collect();
            format!("unknown format, expected one of {}", names.join(", "))
        })?;
        Ok(Self { format, path })
    }
}

/// The id of a rule there is.
fn rule(text: &str) -> Result<String, String> {
    if rules::find(text).is_some() {
        return Ok(text.to_owned());
    }
    match nearest(text, rules::all().iter().map(|rule| rule.id)) {
        Some(near) => Err(format!("there is no such rule, did you mean `{near}`?")),
        None => Err("there is no such rule; `joblint rules` lists them all".to_owned()),
    }
}
