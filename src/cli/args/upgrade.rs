//! The flags of `joblint upgrade`.

use std::path::PathBuf;

use job_lifecycle::{Deployer, kubernetes::Version};

use super::{
    CheckArgs, Output, ValueArgs,
    check::{deployer, output, rule},
    named,
};
use crate::{
    finding::{Confidence, Severity},
    report::Color,
};

/// The arguments of `joblint upgrade`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct UpgradeArgs {
    /// The new version: a chart, a packaged chart, a folder or file of manifests
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,
    /// The deployed version: a Git revision of the new one (`v1.2.0`, `origin/main`, `REV:PATH`), or another path (`./old`, `old.tgz`)
    #[arg(long, value_name = "REV|PATH")]
    pub(crate) base: String,

    /// What deploys the objects, with its options; repeatable [default: detected]
    ///
    /// TOOL is helm3, helm4, argocd, flux, fleet or kubectl, for example
    /// `argocd:prune=true`.
    #[arg(long, value_name = "TOOL[:OPTION=VALUE,…]", value_parser = deployer(), hide_possible_values = true, help_heading = "How it is deployed")]
    pub(crate) deployer: Vec<Deployer>,
    /// The name of the release [default: the chart's]
    #[arg(long, value_name = "NAME", help_heading = "How it is deployed")]
    pub(crate) name: Option<String>,
    /// The namespace of the release
    #[arg(
        long,
        short,
        value_name = "NAMESPACE",
        default_value = "default",
        help_heading = "How it is deployed"
    )]
    pub(crate) namespace: String,
    /// The Kubernetes version of the cluster [default: the newest known]
    #[arg(long, value_name = "VERSION", help_heading = "How it is deployed")]
    pub(crate) kube_version: Option<Version>,
    /// The settings file, instead of the nearest `.joblint.yaml`
    #[arg(long, value_name = "FILE", help_heading = "How it is deployed")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) values: ValueArgs,

    /// Run only these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule(), hide_possible_values = true, help_heading = "Rules")]
    pub(crate) select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_name = "RULE,…", value_delimiter = ',', value_parser = rule(), hide_possible_values = true, help_heading = "Rules")]
    pub(crate) ignore: Vec<String>,
    /// Report findings of this severity or higher
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub(crate) min_severity: Option<Severity>,
    /// Report findings of this confidence or higher
    #[arg(long, value_name = "CONFIDENCE", value_parser = named::confidence(), help_heading = "Rules")]
    pub(crate) min_confidence: Option<Confidence>,
    /// Exit with 1 on findings of this severity or higher [default: warning]
    #[arg(long, value_name = "SEVERITY", help_heading = "Rules")]
    pub(crate) fail_on: Option<Severity>,
    /// Exit with 0 even if findings are left; incomplete checks still exit with 2
    #[arg(long, help_heading = "Rules")]
    pub(crate) exit_zero: bool,
    /// Also report findings that comments, annotations or settings ignore
    #[arg(long, help_heading = "Rules")]
    pub(crate) no_ignores: bool,

    /// The output format, optionally with a file to write to; repeatable [default: full]
    #[arg(long, value_name = "FORMAT[=PATH]", value_parser = output(), hide_possible_values = true, help_heading = "Output")]
    pub(crate) output: Vec<Output>,
    /// When to use colours and links
    #[arg(long, value_name = "WHEN", default_value = "auto", help_heading = "Output")]
    pub(crate) color: Color,
    /// Print the comparison and the findings only
    #[arg(long, short, help_heading = "Output")]
    pub(crate) quiet: bool,
}

impl UpgradeArgs {
    /// The same flags as those of a check.
    pub(crate) fn check(&self) -> CheckArgs {
        CheckArgs {
            paths: vec![self.path.clone()],
            stdin_filename: None,
            fix: false,
            unsafe_fixes: false,
            diff: false,
            add_ignore: None,
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
            exit_zero: self.exit_zero,
            strict: false,
            baseline: None,
            no_ignores: self.no_ignores,
            output: self.output.clone(),
            statistics: false,
            color: self.color,
            quiet: self.quiet,
            verbose: false,
            exclude: Vec::new(),
            list_files: false,
            watch: false,
            shard: None,
        }
    }
}
