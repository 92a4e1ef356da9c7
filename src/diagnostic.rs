//! Diagnostics: findings located in the files that people wrote.

use std::sync::Arc;

use job_lifecycle::ObjectName;
use yaml_spans::{Edit, Location, Source};

use crate::{
    finding::{Applicability, Confidence, PerDeployer, Severity},
    rules::Rule,
};

/// A finding with its final severity, texts and locations. Formats print it after
/// [redaction](crate::report::RedactedReport).
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// The rule that raised it.
    pub rule: &'static Rule,
    /// The severity after settings.
    pub severity: Severity,
    /// How likely the finding is true; at most medium for an assumed deployer.
    pub confidence: Confidence,
    /// The headline: names the object and says what will happen.
    pub message: String,
    /// The value sets in which it occurs, as the headline says it in parentheses: `with ci/ha-values.yaml`. Empty if
    /// it occurs in all of them.
    pub note: String,
    /// One imperative sentence: how to fix it. May be empty.
    pub help: String,
    /// The primary location.
    pub location: Location,
    /// What is wrong at the primary location. May be empty.
    pub label: String,
    /// Other locations that explain the finding, each with its label.
    pub secondary: Vec<(Location, String)>,
    /// The object that the finding is about.
    pub workload: Option<ObjectName>,
    /// Where the name of the object is written: the key `name` in a template or manifest.
    pub named_at: Option<Location>,
    /// The other objects with the same cause, one finding per cause.
    pub also: Vec<Also>,
    /// The chart, folder or overlay in which it was found; empty for findings about the run.
    pub unit: Arc<str>,
    /// What the finding means per deployer; empty when it does not depend on the deployer.
    pub deployers: Vec<PerDeployer>,
    /// The deployer is assumed: neither the tree nor the settings state it.
    pub assumed: bool,
    /// Possible fixes, the preferred one first.
    pub fixes: Vec<Fix>,
    /// A stable identifier; empty until [`fingerprint::fill`](crate::fingerprint::fill) sets it.
    pub fingerprint: String,
    /// The template inputs that the text at the location depends on: `Values.image.tag`, `Chart.Version`.
    pub inputs: Vec<String>,
    /// The value sets in which it occurs; empty when nothing was rendered.
    pub value_sets: Vec<Arc<str>>,
    /// Where rules raised it: locations in rendered texts, or the primary location itself.
    pub raised_at: Vec<Location>,
    /// Not reported because of the settings; kept only to tell whether an ignore matches anything.
    pub hidden: bool,
}

/// Another object that a finding is about.
#[derive(Clone, Debug)]
pub struct Also {
    /// Its name.
    pub workload: ObjectName,
    /// Where the rule reports it.
    pub location: Location,
    /// Its own fixes, the preferred one first.
    pub fixes: Vec<Fix>,
    /// The fingerprint of its own finding, by which a baseline accepts it.
    pub fingerprint: String,
}

/// A fix in one file.
#[derive(Clone, Debug)]
pub struct Fix {
    /// What the fix does, as an imperative: "remove it".
    pub title: String,
    /// Who may apply it.
    pub applicability: Applicability,
    /// The file that it changes.
    pub source: Arc<Source>,
    /// Edits in bytes of the file; they do not overlap.
    pub edits: Vec<Edit>,
}
