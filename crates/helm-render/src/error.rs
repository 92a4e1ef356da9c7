//! Errors of loading and rendering, in Helm's words.

use std::{fmt, sync::Arc};

use go_template::Limit;
use yaml_spans::Location;

use crate::documents::NO_SEPARATOR;

/// Why a chart does not load or render: the message that Helm prints after `Error: `, with its
/// location.
#[derive(Clone, Debug)]
pub struct Error {
    /// The step that failed.
    pub reason: Reason,
    /// The message, without `Error: `.
    pub message: String,
    /// The template line or the range in another file of the chart, where known.
    pub at: Option<Location>,
    /// The template that fails by itself, by its name in `# Source:`; `None` if another step failed, or if templates before
    /// it wrote what it may read.
    pub template: Option<Arc<str>>,
}

/// What Helm 4 says of the `apiVersion` of a chart that it does not load. Helm 3 loads any.
pub(crate) const REFUSED_BY_HELM_4: [&str; 2] =
    ["invalid chart apiVersion", "unsupported chart version"];

/// The step that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The chart cannot be read.
    Chart,
    /// A link in the chart leads to nothing, or where nothing is read. The location is the link.
    Link,
    /// A values file or flag cannot be read, or its values do not fit the chart.
    Values,
    /// Dependencies are missing in `charts/`.
    Dependencies,
    /// The values violate the chart's schema.
    Schema,
    /// The chart's `kubeVersion` excludes the version of Kubernetes.
    KubeVersion,
    /// A template does not parse.
    Parse,
    /// A template called `required`.
    Required,
    /// A template called `fail`.
    Fail,
    /// A template failed for another reason.
    Execution,
    /// A template printed invalid YAML, or YAML that is not an object.
    Manifest,
    /// A template printed a value that nobody set, as `%!s(<nil>)` or as nothing, and no YAML came of it.
    Unset,
    /// The chart needs more than the budget of the render.
    Limit(Limit),
}

impl Reason {
    /// Whether the step belongs to rendering rather than to loading the chart and its values.
    pub fn is_of_templates(self) -> bool {
        match self {
            Self::Chart | Self::Link | Self::Values | Self::Dependencies | Self::Schema => false,
            Self::KubeVersion
            | Self::Parse
            | Self::Required
            | Self::Fail
            | Self::Execution
            | Self::Manifest
            | Self::Unset
            | Self::Limit(_) => true,
        }
    }
}

impl Error {
    /// An error without a location.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), at: None, template: None }
    }

    /// The same error at a location.
    pub fn at(mut self, at: Option<Location>) -> Self {
        self.at = at;
        self
    }

    /// Whether only Helm 4 refuses the chart: its `apiVersion`, or a line of its values that begins with `---`.
    pub fn is_for_helm_3(&self) -> bool {
        REFUSED_BY_HELM_4.contains(&self.message.as_str()) || self.is_of_separator()
    }

    /// Whether Helm 4 takes a line of the values for the end of a document, and Helm 3 for text.
    pub fn is_of_separator(&self) -> bool {
        self.message.contains(NO_SEPARATOR)
    }

    /// Whether templates called each other more deeply than the stack allows.
    pub fn is_too_deep(&self) -> bool {
        self.message.contains(go_template::TOO_DEEP)
    }

    /// The same error with a prefix before its message.
    pub(crate) fn prefixed(mut self, prefix: impl fmt::Display) -> Self {
        self.message = format!("{prefix}: {}", self.message);
        self
    }
}

impl From<Limit> for Error {
    fn from(limit: Limit) -> Self {
        Self::new(Reason::Limit(limit), format!("the chart {limit}"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
