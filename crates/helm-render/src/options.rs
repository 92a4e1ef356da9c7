//! The options of a render.

use std::sync::Arc;

use go_template::{Budget, provenance::Step, quote::quote};

use crate::{
    Error, HelmVersion, KubeVersion, Reason, Rendered,
    functions::Host,
    values::{Table, Tree},
};

/// How to render a chart.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// The version of Helm to reproduce.
    pub version: HelmVersion,
    /// The release to render for.
    pub release: Release,
    /// The values that the user sets; see [`crate::values::collect`].
    pub values: Table,
    /// The version of Kubernetes; that of Helm's libraries if `None`.
    pub kube_version: Option<KubeVersion>,
    /// Additional API versions for `.Capabilities.APIVersions`.
    pub api_versions: Vec<String>,
    /// API versions that `.Capabilities.APIVersions` lacks although Helm's libraries know them: a
    /// Helm that is connected to a cluster asks that for its own.
    pub lacking_api_versions: Vec<String>,
    /// Skip validation by `values.schema.json`.
    pub skips_schema: bool,
    /// Render library charts too. They contain partials only.
    pub allows_library: bool,
    /// Render even if dependencies are missing in `charts/`.
    pub allows_missing: bool,
    /// Let `required` return a placeholder and `fail` an empty string, where `helm lint` takes an empty string for both. A
    /// template that a missing dependency may define prints the placeholder too.
    pub is_lint: bool,
    /// With `is_lint`: let `fail` fail all the same.
    pub honours_fail: bool,
    /// Skip what fails and report it in [`Rendered::failures`](crate::Rendered::failures).
    pub is_tolerant: bool,
    /// Take a text from which `fromYaml` reads one field, such as the name of a CustomResourceDefinition, to be valid behind
    /// that. Helm fails where it is not.
    pub trusts_files: bool,
    /// Whether to parse the manifests.
    pub parsing: Parsing,
    /// Record the provenance of every byte.
    pub provenance: bool,
    /// Overrides `.Chart.Version` of the root chart.
    pub chart_version: Option<String>,
    /// Overrides `.Chart.AppVersion` of the root chart.
    pub app_version: Option<String>,
    /// Overrides the versions of charts below the root.
    pub dependency_versions: Vec<ChartVersions>,
    /// Another render of the chart, from which templates are taken that read nothing which is different now. It makes the
    /// render faster and changes nothing else.
    pub known: Option<Arc<Rendered>>,
    /// The templates to execute, by their names in `# Source:`; all if `None`.
    pub only: Option<Arc<[Arc<str>]>>,
    /// Values that replace whatever else sets them.
    pub overrides: Vec<Override>,
    /// Seeds the random functions: equal seeds give equal results.
    pub seed: u64,
    /// The current time (`now`), in nanoseconds since 1970.
    pub now: i128,
    /// Limit for the native stack that templates use, in bytes.
    pub max_stack: usize,
    /// Steps, bytes and time, shared with all other renders that get a clone of these options.
    pub budget: Budget,
}

/// Whether a render parses the manifests that it prints. Those that are left unparsed are in the order of their templates:
/// heads, hooks and YAML errors stay unknown.
#[derive(Clone, Copy, Debug, Default)]
pub enum Parsing {
    /// All are parsed.
    #[default]
    All,
    /// All are parsed if this holds for one of them, else none.
    If(fn(&str) -> bool),
    /// None is parsed.
    None,
}

/// The release that the chart is rendered for.
#[derive(Clone, Debug)]
pub struct Release {
    /// `.Release.Name`.
    pub name: String,
    /// `.Release.Namespace`.
    pub namespace: String,
    /// `.Release.Revision`.
    pub revision: i64,
    /// `.Release.IsUpgrade`; `.Release.IsInstall` is the opposite.
    pub is_upgrade: bool,
}

/// The versions that a chart below the root gets instead of its own.
#[derive(Clone, Debug)]
pub struct ChartVersions {
    /// The chart, as the prefix of its template names: `shop/charts/db`.
    pub chart: String,
    /// Its `.Chart.Version`.
    pub version: String,
    /// Its `.Chart.AppVersion`.
    pub app_version: String,
}

/// A value that replaces one input below `Values`.
#[derive(Clone, Debug)]
pub struct Override {
    /// The path below `Values`, as [`Inputs::steps`](go_template::provenance::Inputs::steps) lists
    /// it.
    pub path: Vec<Step>,
    /// The new value.
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
            lacking_api_versions: Vec::new(),
            skips_schema: false,
            allows_library: false,
            allows_missing: false,
            is_lint: false,
            honours_fail: false,
            is_tolerant: false,
            trusts_files: false,
            parsing: Parsing::default(),
            provenance: true,
            chart_version: None,
            app_version: None,
            dependency_versions: Vec::new(),
            known: None,
            only: None,
            overrides: Vec::new(),
            seed: 0,
            now: Host::NOW,
            max_stack: 1 << 20,
            budget: Budget::default(),
        }
    }
}

impl Release {
    /// Checks the name as Helm does (`pkg/chart/common/util/validate_name.go`).
    ///
    /// # Errors
    ///
    /// [`Reason::Values`] with Helm's message.
    pub fn check_name(&self, version: HelmVersion) -> Result<(), Error> {
        /// Leaves room for suffixes that charts add to the name.
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
    /// The release of `helm template CHART`.
    fn default() -> Self {
        Self {
            name: "release-name".into(),
            namespace: "default".into(),
            revision: 1,
            is_upgrade: false,
        }
    }
}
