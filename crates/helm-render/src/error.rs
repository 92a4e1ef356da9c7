//! Why a chart does not render, in Helm's words.

use std::fmt;

use yaml_spans::Location;

/// What Helm prints after `Error: `, and the place it is about.
#[derive(Clone, Debug)]
pub struct Error {
    pub reason: Reason,
    pub message: String,
    /// The template line, or the place in a file of the chart.
    pub at: Option<Location>,
}

/// The step at which a chart failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The chart cannot be read.
    Chart,
    /// A values file or flag cannot be read, or does not fit the chart.
    Values,
    /// Dependencies are not there.
    Dependencies,
    /// The values do not fit the chart's schema.
    Schema,
    /// The chart is not for this version of Kubernetes.
    KubeVersion,
    /// A template does not parse.
    Parse,
    /// A template called `required`.
    Required,
    /// A template called `fail`.
    Fail,
    /// A template failed otherwise.
    Execution,
    /// What a template printed is no YAML, or no object.
    Manifest,
}

impl Reason {
    /// Whether Helm had begun to render.
    pub fn is_of_templates(self) -> bool {
        match self {
            Self::Chart | Self::Values | Self::Dependencies | Self::Schema => false,
            Self::KubeVersion
            | Self::Parse
            | Self::Required
            | Self::Fail
            | Self::Execution
            | Self::Manifest => true,
        }
    }
}

impl Error {
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), at: None }
    }

    pub fn at(mut self, at: Option<Location>) -> Self {
        self.at = at;
        self
    }

    /// Whether templates called each other deeper than the stack allows.
    pub fn is_too_deep(&self) -> bool {
        self.message.contains(go_template::TOO_DEEP)
    }

    /// The same with Helm's words around it.
    pub(crate) fn prefixed(mut self, prefix: impl fmt::Display) -> Self {
        self.message = format!("{prefix}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
