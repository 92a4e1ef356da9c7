//! A finding with everything resolved: what formats print.

use std::sync::Arc;

use job_lifecycle::ObjectName;
use yaml_spans::{Edit, Location, Source};

use crate::{
    finding::{Applicability, Confidence, PerDeployer, Severity},
    rules::Rule,
};

/// A finding with everything resolved: places in files, severity, masked texts. What formats print.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub confidence: Confidence,
    pub message: String,
    pub help: String,
    pub location: Location,
    pub label: String,
    pub secondary: Vec<(Location, String)>,
    pub workload: Option<ObjectName>,
    pub deployers: Vec<PerDeployer>,
    /// The deployer was assumed, not found in the tree or the settings.
    pub assumed: bool,
    pub fixes: Vec<Fix>,
    pub fingerprint: String,
    /// What flowed into the place, where something was rendered: `Values.image.tag`, `Chart.Version`.
    pub inputs: Vec<String>,
    /// The sets of values it holds for, where something was rendered.
    pub value_sets: Vec<Arc<str>>,
    /// Where rules saw it: the places in rendered texts, or the location itself.
    pub raised: Vec<Location>,
    /// Less than the settings ask for: it only tells whether an ignore has something to ignore.
    pub hidden: bool,
}

/// A fix in one file.
#[derive(Clone, Debug)]
pub struct Fix {
    pub title: String,
    pub applicability: Applicability,
    pub source: Arc<Source>,
    pub edits: Vec<Edit>,
}
