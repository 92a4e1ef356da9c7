//! The flags of `joblint forecast`.

use std::path::PathBuf;

use job_lifecycle::{Deployer, Event};

use super::{
    ValueArgs,
    check::{deployer, glob},
    named,
};
use crate::report::{Color, ForecastFormat};

/// The arguments of `joblint forecast`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct ForecastArgs {
    /// Files and folders; `-` reads standard input [default: .]
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// The file name of standard input
    #[arg(long, value_name = "PATH")]
    pub(crate) stdin_filename: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) values: ValueArgs,
    /// What deploys the objects, with its options; repeatable [default: those detected, else all]
    ///
    /// TOOL is helm3, helm4, argocd, flux, fleet or kubectl, for example
    /// `argocd:selfHeal=true` or `flux:kind=HelmRelease,driftDetection=enabled`.
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]", value_parser = deployer(), hide_possible_values = true)]
    pub(crate) deployer: Vec<Deployer>,
    /// Only these events
    #[arg(long, value_name = "EVENT,…", value_delimiter = ',', value_parser = named::event())]
    pub(crate) event: Vec<Event>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Leave out files and folders that match; repeatable, added to those of the settings
    #[arg(long, value_name = "GLOB", value_parser = glob)]
    pub(crate) exclude: Vec<String>,
    /// The output format
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) output: ForecastFormat,
    /// When to use colours
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
    /// Print forecasts only
    #[arg(long, short)]
    pub(crate) quiet: bool,
}
