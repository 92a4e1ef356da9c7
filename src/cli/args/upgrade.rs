//! The flags of `joblint upgrade`.

use std::path::PathBuf;

use job_lifecycle::{Deployer, kubernetes::Version};

use super::{CheckArgs, Output, ValueArgs, rule};
use crate::{
    finding::{Confidence, Severity},
    report::Color,
};

#[derive(Clone, Debug, clap::Args)]
pub struct UpgradeArgs {
    /// The new version: a chart, a packed chart, a folder or file of manifests
    #[arg(value_name = "PATH", default_value = ".")]
    pub path: PathBuf,
    /// The version that is deployed: another path, or a Git revision of the new one (`v1.2.0`, `origin/main`, `REV:PATH`)
    #[arg(long, value_name = "REV|PATH")]
    pub base: String,

    /// What deploys the objects, with its options; repeatable [default: found out]
    ///
    /// TOOL is helm3, helm4, argocd, flux, fleet or kubectl, for example
    /// `argocd:prune=true`.
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]", help_heading = "How it is deployed")]
    pub deployer: Vec<Deployer>,
    /// The name of the release [default: the chart's]
    #[arg(long, value_name = "NAME", help_heading = "How it is deployed")]
    pub name: Option<String>,
    /// The namespace of the release
    #[arg(
        long,
        short,
        value_name = "NAMESPACE",
        default_value = "default",
        help_heading = "How it is deployed"
    )]
    pub namespace: String,
    /// The Kubernetes version of the cluster [default: the newest known]
    #[arg(long, value_name = "VERSION", help_heading = "How it is deployed")]
    pub kube_version: Option<Version>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE", help_heading = "How it is deployed")]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    pub values: ValueArgs,

    /// Run only these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule, help_heading = "Rules")]
    pub select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule, help_heading = "Rules")]
    pub ignore: Vec<String>,
    /// Report findings from this severity up
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub min_severity: Option<Severity>,
    /// Report findings from this confidence up
    #[arg(long, value_name = "CONFIDENCE", value_parser = super::named::confidence(), help_heading = "Rules")]
    pub min_confidence: Option<Confidence>,
    /// Exit with 1 from this severity up [default: warning]
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub fail_on: Option<Severity>,
    /// Report what comments, annotations and settings ignore, too
    #[arg(long, help_heading = "Rules")]
    pub no_ignores: bool,

    /// How to print what is found, and where to; repeatable [default: full]
    #[arg(long, value_name = "FORMAT[=PATH]", help_heading = "Output")]
    pub output: Vec<Output>,
    /// When to use colours and links
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub color: Color,
    /// Print the comparison and the findings only
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

impl UpgradeArgs {
    /// The flags that it shares with a check.
    pub fn check(&self) -> CheckArgs {
        CheckArgs {
            paths: vec![self.path.clone()],
            stdin_filename: None,
            fix: false,
            unsafe_fixes: false,
            diff: false,
            deployer: self.deployer.clone(),
            kube_version: self.kube_version,
            config: self.config.clone(),
            values: self.values.clone(),
            select: self.select.clone(),
            ignore: self.ignore.clone(),
            pedantic: false,
            min_severity: self.min_severity,
            min_confidence: self.min_confidence,
            fail_on: self.fail_on,
            strict: false,
            no_ignores: self.no_ignores,
            output: self.output.clone(),
            statistics: false,
            color: self.color,
            quiet: self.quiet,
        }
    }
}
