//! The flags of `joblint render`.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args as _, FromArgMatches, ValueEnum};
use helm_render::Release;

use super::ValueArgs;

#[derive(Clone, Debug, PartialEq, Eq, clap::Args)]
pub struct RenderArgs {
    /// The chart: a folder or a packed chart
    #[arg(value_name = "CHART")]
    pub chart: PathBuf,
    /// The name of the release
    #[arg(long, value_name = "NAME", default_value_t = Release::default().name)]
    pub name: String,
    /// The namespace of the release
    #[arg(long, short, value_name = "NAMESPACE", default_value_t = Release::default().namespace)]
    pub namespace: String,
    /// The Helm to imitate
    #[arg(long, value_name = "VERSION", default_value = "4")]
    pub helm: Helm,
    /// Print where each line comes from: in comments, or as JSON instead of the manifests
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "human")]
    pub origin: Option<OriginFormat>,

    #[command(flatten)]
    pub values: ValueArgs,

    /// The Kubernetes version the chart sees [default: as Helm]
    #[arg(long, value_name = "VERSION", help_heading = "Cluster")]
    pub kube_version: Option<String>,
    /// More API versions that the cluster has
    #[arg(long, short, value_name = "API,…", value_delimiter = ',', help_heading = "Cluster")]
    pub api_versions: Vec<String>,
    /// Render for an upgrade instead of an installation
    #[arg(long, help_heading = "Cluster")]
    pub is_upgrade: bool,

    /// Print only what these templates make; repeatable
    #[arg(long, short, value_name = "TEMPLATE", help_heading = "Output")]
    pub show_only: Vec<String>,
    /// Print custom resource definitions too
    #[arg(long, help_heading = "Output")]
    pub include_crds: bool,
    /// Leave out tests
    #[arg(long, help_heading = "Output")]
    pub skip_tests: bool,
    /// Leave out hooks
    #[arg(long, help_heading = "Output")]
    pub no_hooks: bool,
    /// Print what the templates make even if it is no valid YAML
    #[arg(long, help_heading = "Output")]
    pub debug: bool,
    /// Do not hold values against the chart's schema
    #[arg(long, help_heading = "Values")]
    pub skip_schema_validation: bool,
}

impl RenderArgs {
    /// What `joblint render CHART` means: every flag as it is without being given.
    pub fn of(chart: PathBuf) -> Self {
        let Release { name, namespace, .. } = Release::default();
        Self {
            chart,
            name,
            namespace,
            helm: Helm::V4,
            origin: None,
            values: ValueArgs::default(),
            kube_version: None,
            api_versions: Vec::new(),
            is_upgrade: false,
            show_only: Vec::new(),
            include_crds: false,
            skip_tests: false,
            no_hooks: false,
            debug: false,
            skip_schema_validation: false,
        }
    }

    /// Of the words behind the verb; `None` where something is wrong with them or help is wanted.
    pub fn parse(words: Vec<OsString>) -> Option<Self> {
        let command = Self::augment_args(clap::Command::new("render").no_binary_name(true));
        let matches = command.try_get_matches_from(words).ok()?;
        Self::from_arg_matches(&matches).ok()
    }
}

/// A major version of Helm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Helm {
    #[value(name = "3")]
    V3,
    #[value(name = "4")]
    V4,
}

/// How to print origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OriginFormat {
    Human,
    Json,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_alone_is_read_as_if_it_were_parsed() {
        let parsed = RenderArgs::parse(vec!["chart".into()]);
        assert_eq!(parsed, Some(RenderArgs::of("chart".into())));
    }
}
