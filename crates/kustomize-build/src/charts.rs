//! Charts that a kustomization inflates. Helm is not part of this crate: whoever builds passes a renderer.

use std::{fmt, ops::Range, path::PathBuf, sync::Arc};

use yaml_spans::{Location, Source, Value};

use crate::{
    node::{Data, Node},
    scalar::Tag,
};

/// Renders the charts of `helmCharts`. Without one they are errors, as in `kustomize build` without `--enable-helm`.
pub trait Charts: fmt::Debug + Send + Sync {
    /// What `helm template` prints for a chart.
    ///
    /// # Errors
    /// Where Helm fails, with its message and, where known, the text to change.
    fn render(&self, release: &ChartRelease) -> Result<RenderedChart, ChartError>;
}

/// A chart with its options, as an entry of `helmCharts` states them.
#[derive(Clone, Debug)]
pub struct ChartRelease {
    /// The folder of the chart, absolute.
    pub folder: PathBuf,
    /// The folder as it is shown.
    pub shown: String,
    /// The name of the release. Without one, Helm generates a name.
    pub name: Option<String>,
    /// The namespace of the release, empty for Helm's default.
    pub namespace: String,
    /// The values, later ones over earlier ones.
    pub values: Vec<ChartValues>,
    /// Additional `.Capabilities.APIVersions`.
    pub api_versions: Vec<String>,
    /// The version of Kubernetes, empty for Helm's default.
    pub kube_version: String,
    /// `--include-crds`
    pub include_crds: bool,
    /// `--skip-tests`
    pub skip_tests: bool,
    /// `--no-hooks`
    pub skip_hooks: bool,
}

/// Values for a chart.
#[derive(Clone, Debug)]
pub enum ChartValues {
    /// A file.
    File(Arc<Source>),
    /// What kustomize made of a file and `valuesInline`.
    Merged(ChartValue),
}

/// A value for a chart and where it is written.
#[derive(Clone, Debug)]
pub struct ChartValue {
    /// The value.
    pub data: ChartData,
    /// The text that sets it.
    pub at: Option<Location>,
}

/// The data of a value for a chart.
#[derive(Clone, Debug)]
pub enum ChartData {
    /// A value that is neither a list nor a map.
    Scalar(Value),
    /// A list.
    List(Vec<ChartValue>),
    /// A map.
    Map(Vec<(Arc<str>, ChartValue)>),
}

/// The output of a chart.
pub struct RenderedChart {
    /// What `helm template` prints.
    pub text: String,
    /// The texts that a range of the output comes from, the one to edit first.
    pub places: Box<dyn Fn(Range<usize>) -> Vec<Location>>,
}

impl fmt::Debug for RenderedChart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderedChart").field("text", &self.text).finish_non_exhaustive()
    }
}

/// Why a chart does not render.
#[derive(Clone, Debug)]
pub struct ChartError {
    /// Helm's message.
    pub message: String,
    /// The text to change, where known.
    pub at: Option<Location>,
    /// Whether the chart exceeds a limit of the renderer.
    pub is_limit: bool,
}

impl ChartValue {
    /// A value of a kustomization.
    pub(crate) fn of(node: &Node) -> Self {
        let data = match &node.data {
            Data::Map(entries) => ChartData::Map(
                entries.iter().map(|entry| (entry.key.clone(), Self::of(&entry.value))).collect(),
            ),
            Data::Seq(items) => ChartData::List(items.iter().map(Self::of).collect()),
            Data::Scalar(scalar) => ChartData::Scalar(match scalar.resolved() {
                Tag::Str | Tag::Timestamp => Value::Str(scalar.string().into()),
                _ => yaml_spans::resolve(&scalar.text),
            }),
        };
        let at = node.origin.parts().first().map(|part| part.at.clone());
        Self { data, at }
    }
}
