//! What a render can be told.

use std::sync::Arc;

use go_template::{provenance::Step, quote::quote};

use crate::{
    Error, HelmVersion, KubeVersion, Reason,
    functions::Host,
    values::{Table, Tree},
};

/// How to render a chart.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// The Helm to imitate.
    pub version: HelmVersion,
    pub release: Release,
    /// What the user sets; see [`crate::values::collect`].
    pub values: Table,
    /// Kubernetes, where it is not Helm's default.
    pub kube_version: Option<KubeVersion>,
    /// More API versions for `.Capabilities.APIVersions`.
    pub api_versions: Vec<String>,
    pub skips_schema: bool,
    /// Render a library chart too, which only has partials.
    pub allows_library: bool,
    /// Render without the dependencies that are missing in `charts/`.
    pub allows_missing: bool,
    /// `required` and `fail` yield an empty text.
    pub is_lint: bool,
    /// Leave out what fails, and tell it in [`Rendered::failures`](crate::Rendered::failures).
    pub is_tolerant: bool,
    /// Record where every byte comes from.
    pub provenance: bool,
    /// Another `.Chart.Version`.
    pub chart_version: Option<String>,
    /// Another `.Chart.AppVersion`.
    pub app_version: Option<String>,
    /// Other versions of the charts below the root.
    pub dependency_versions: Vec<Versions>,
    /// The templates to execute, by the names in `# Source:`; all of them by default.
    pub only: Option<Arc<[Arc<str>]>>,
    /// Single values, whatever sets them otherwise.
    pub overrides: Vec<Override>,
    /// Random functions repeat themselves for equal seeds.
    pub seed: u64,
    /// What `now` returns: nanoseconds since 1970.
    pub now: i128,
    /// Native stack that templates may use, in bytes.
    pub max_stack: usize,
    /// Bytes that all templates together may make.
    pub max_output: usize,
    /// Template nodes to execute.
    pub max_steps: u64,
}

/// The release that the chart is rendered for.
#[derive(Clone, Debug)]
pub struct Release {
    pub name: String,
    pub namespace: String,
    pub revision: i64,
    pub is_upgrade: bool,
}

/// What another release of a chart says of itself.
#[derive(Clone, Debug)]
pub struct Versions {
    /// The chart, as the names of its templates start: `shop/charts/db`.
    pub chart: String,
    pub version: String,
    pub app_version: String,
}

/// Another value for one input below `Values`.
#[derive(Clone, Debug)]
pub struct Override {
    /// The steps below `Values`, as [`Inputs::steps`](go_template::provenance::Inputs::steps) lists them.
    pub path: Vec<Step>,
    pub value: Tree,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            version: HelmVersion::default(),
            release: Release::default(),
            values: Table::new(),
            kube_version: None,
            api_versions: Vec::new(),
            skips_schema: false,
            allows_library: false,
            allows_missing: false,
            is_lint: false,
            is_tolerant: false,
            provenance: true,
            chart_version: None,
            app_version: None,
            dependency_versions: Vec::new(),
            only: None,
            overrides: Vec::new(),
            seed: 0,
            now: Host::NOW,
            max_stack: 1 << 20,
            max_output: 256 << 20,
            max_steps: 50_000_000,
        }
    }
}

impl Release {
    /// Whether Helm accepts the name (`pkg/chart/common/util/validate_name.go`).
    ///
    /// # Errors
    ///
    /// Helm's words.
    pub fn check_name(&self, version: HelmVersion) -> Result<(), Error> {
        /// Room for what charts append to the name.
        const LONGEST: usize = 53;
        let is_part = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
        let is_label = |label: &str| {
            let ends = label.starts_with('-') || label.ends_with('-');
            !label.is_empty() && !ends && label.bytes().all(is_part)
        };
        let name = &self.name;
        if name.len() <= LONGEST && name.split('.').all(is_label) {
            return Ok(());
        }
        let problem = match name.is_empty() {
            true => "no name provided".to_owned(),
            false => format!(
                "invalid release name, must match regex \
                 ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$ \
                 and the length must not be longer than {LONGEST}"
            ),
        };
        let error = Error::new(
            Reason::Values,
            format!("release name {}: {problem}", quote(name.as_bytes())),
        );
        Err(match version {
            HelmVersion::V3 => error,
            HelmVersion::V4 => error.prefixed("release name check failed"),
        })
    }
}

impl Default for Release {
    /// As `helm template CHART`.
    fn default() -> Self {
        Self {
            name: "release-name".into(),
            namespace: "default".into(),
            revision: 1,
            is_upgrade: false,
        }
    }
}
