//! Verbs and flags.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::{deploy::Deployer, report::Format};

/// What happens to this Kubernetes Job on the next deploy?
#[derive(Debug, Parser)]
#[command(name = "joblint", version, args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub check: CheckArgs,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Lint manifests (the default)
    Check(CheckArgs),
}

#[derive(Clone, Debug, clap::Args)]
pub struct CheckArgs {
    /// Files and folders to check; `-` reads standard input
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,
    /// The name of what standard input holds
    #[arg(long, value_name = "PATH")]
    pub stdin_filename: Option<PathBuf>,
    /// What deploys the objects: helm3, helm4, argocd, flux, fleet or kubectl, with its options
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]")]
    pub deployer: Vec<Deployer>,
    /// Also report what matters only to the careful
    #[arg(long)]
    pub pedantic: bool,
    /// How to print findings
    #[arg(long, value_name = "FORMAT", default_value = "concise")]
    pub output: Format,
}
