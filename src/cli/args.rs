//! Verbs and flags.

mod check;
mod forecast;
mod merge;
mod named;
mod printed;
mod render;
mod upgrade;
mod values;

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};

pub(crate) use check::{CheckArgs, Output};
pub(crate) use forecast::ForecastArgs;
pub(crate) use merge::MergeArgs;
pub(crate) use printed::Printed;
pub(crate) use render::{Helm, OriginFormat, RenderArgs};
pub(crate) use upgrade::UpgradeArgs;
pub(crate) use values::ValueArgs;

/// What happens to this Kubernetes Job on the next deploy?
///
/// Lints Jobs, CronJobs and deploy hooks. Without a verb, checks: `joblint PATH…`.
#[derive(Debug, Parser)]
#[command(name = "joblint", version, max_term_width = 100, args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) check: CheckArgs,
}

/// A verb with its arguments.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Lint manifests (the default verb)
    Check(Box<CheckArgs>),
    /// Apply fixes, as `check --fix` does
    Fix(Box<CheckArgs>),
    /// Show what each deploy does to each Job
    Forecast(Box<ForecastArgs>),
    /// Compare two versions: which Jobs the upgrade rejects, runs again, renames, leaves behind
    Upgrade(Box<UpgradeArgs>),
    /// Print the manifests of a Helm chart, as `helm template` does
    Render(Box<RenderArgs>),
    /// Show a rule's page, or find rules by a word or by an error that a cluster printed
    Explain {
        /// A rule, an error, or words to search for
        #[arg(value_name = "RULE|ERROR", value_parser = check::rule_or_text(), hide_possible_values = true)]
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        text: Vec<String>,
    },
    /// List all rules
    Rules {
        #[arg(long, value_name = "FORMAT", default_value = "table")]
        output: ListFormat,
    },
    /// Run the examples of your own rules as tests
    Test {
        /// Files and folders with rules [default: .]
        #[arg(value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// The settings file, instead of the nearest `.joblint.yaml`
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Join the results of all shards of a check
    Merge(Box<MergeArgs>),
    /// Accept today's findings: write or update the baseline
    Baseline(Box<CheckArgs>),
    /// Show the resolved settings or their JSON Schema, or write a starter file
    #[command(subcommand)]
    Config(ConfigCommand),
    /// Serve an editor: the Language Server Protocol over standard input and output
    Server,
    /// Say what joblint finds here: version, settings, charts, kustomizations, GitOps objects and deployers
    Doctor(DoctorArgs),
    /// Print a completion script for a shell
    Completions {
        #[arg(value_name = "SHELL")]
        shell: clap_complete::Shell,
    },
    /// Print the manual page of joblint, or of one of its verbs
    Man {
        #[arg(value_name = "VERB")]
        verb: Option<String>,
    },
}

/// The arguments of `joblint doctor`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct DoctorArgs {
    /// Files and folders to look at [default: .]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
}

/// What `joblint config` does.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Print the settings in force here
    Show {
        /// The settings file, instead of the nearest `.joblint.yaml`
        #[arg(long, value_name = "FILE")]
        config: Option<PathBuf>,
    },
    /// Print the JSON Schema of the settings file
    Schema {
        /// Of a rule of your own instead
        #[arg(long)]
        rule: bool,
    },
    /// Write a commented `.joblint.yaml`
    Init {
        /// Require a starter set of what every Job must have
        #[arg(long)]
        policy: bool,
    },
}

/// The output format of `joblint rules`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListFormat {
    Table,
    Json,
    Markdown,
}
