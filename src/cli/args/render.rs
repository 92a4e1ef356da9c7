//! The flags of `joblint render`.

use std::path::PathBuf;

use clap::ValueEnum;
use helm_render::Release;
use kustomize_build::LoadRestrictor;

use super::ValueArgs;

/// The arguments of `joblint render`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RenderArgs {
    /// The chart or kustomization: a folder, a kustomization file, or a packaged chart
    #[arg(value_name = "CHART")]
    pub(crate) chart: PathBuf,
    /// The name of the release
    #[arg(long, value_name = "NAME", default_value_t = Release::default().name)]
    pub(crate) name: String,
    /// The namespace of the release
    #[arg(long, short, value_name = "NAMESPACE", default_value_t = Release::default().namespace)]
    pub(crate) namespace: String,
    /// The major version of Helm to reproduce
    #[arg(long, value_name = "VERSION", default_value = "4")]
    pub(crate) helm: Helm,
    /// Print the source of each line: in comments, or as JSON instead of the manifests
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, require_equals = true, default_missing_value = "human")]
    pub(crate) origin: Option<OriginFormat>,

    #[command(flatten)]
    pub(crate) values: ValueArgs,

    /// Render the charts of `helmCharts` that are in the tree
    #[arg(long, help_heading = "Kustomization")]
    pub(crate) enable_helm: bool,
    /// The files that a kustomization may name
    #[arg(
        long,
        value_name = "RESTRICTOR",
        default_value = "LoadRestrictionsRootOnly",
        help_heading = "Kustomization"
    )]
    pub(crate) load_restrictor: Restrictor,

    /// The Kubernetes version that the chart sees [default: that of Helm]
    #[arg(long, value_name = "VERSION", help_heading = "Cluster")]
    pub(crate) kube_version: Option<String>,
    /// Additional API versions that the cluster supports
    #[arg(long, short, value_name = "API,…", value_delimiter = ',', help_heading = "Cluster")]
    pub(crate) api_versions: Vec<String>,
    /// Render for an upgrade instead of an installation
    #[arg(long, help_heading = "Cluster")]
    pub(crate) is_upgrade: bool,

    /// Print only the output of these templates; repeatable
    #[arg(long, short, value_name = "TEMPLATE", help_heading = "Output")]
    pub(crate) show_only: Vec<String>,
    /// Print custom resource definitions too
    #[arg(long, help_heading = "Output")]
    pub(crate) include_crds: bool,
    /// Omit tests
    #[arg(long, help_heading = "Output")]
    pub(crate) skip_tests: bool,
    /// Omit hooks
    #[arg(long, help_heading = "Output")]
    pub(crate) no_hooks: bool,
    /// Print the rendered templates even if they are not valid YAML
    #[arg(long, help_heading = "Output")]
    pub(crate) debug: bool,
    /// Do not validate values against the chart's schema
    #[arg(long, help_heading = "Values")]
    pub(crate) skip_schema_validation: bool,
}

/// A major version of Helm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Helm {
    #[value(name = "3")]
    V3,
    #[value(name = "4")]
    V4,
}

/// Which files a kustomization may name, in the words of `kustomize build`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Restrictor {
    /// Those in or below its folder
    #[value(name = "LoadRestrictionsRootOnly")]
    RootOnly,
    /// All within the repository
    #[value(name = "LoadRestrictionsNone")]
    None,
}

impl From<Restrictor> for LoadRestrictor {
    fn from(restrictor: Restrictor) -> Self {
        match restrictor {
            Restrictor::RootOnly => Self::RootOnly,
            Restrictor::None => Self::None,
        }
    }
}

/// The output format of origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OriginFormat {
    Human,
    Json,
}
