//! Findings as rules raise them, with the scales of severity, confidence and applicability.

use std::sync::Arc;

use job_lifecycle::{Deployer, Tool, deployer::OptionName, kubernetes::FieldError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use yaml_spans::{Edit, Source, Span};

use crate::words::continued;

pub use shell_effects::Confidence;

/// How bad a finding is: `info`, `warning` or `error`.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
// Docs of the variants would appear in `--help` and in the settings schema, where the names say enough.
#[allow(missing_docs)]
pub enum Severity {
    Info,
    Warning,
    Error,
}

impl Severity {
    /// All severities, the worst last.
    pub(crate) const ALL: [Self; 3] = [Self::Info, Self::Warning, Self::Error];

    /// The name in flags, settings and output.
    pub fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// Who may apply a fix; ordered from `Display` to `Safe`.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// The fix is only shown.
    Display,
    /// A person has to review it: `--fix --unsafe-fixes`.
    Unsafe,
    /// It cannot change what the manifest means: `--fix`.
    Safe,
}

impl Applicability {
    /// The name in rule files and output.
    pub fn name(self) -> &'static str {
        match self {
            Applicability::Display => "display",
            Applicability::Unsafe => "unsafe",
            Applicability::Safe => "safe",
        }
    }
}

/// A finding as a rule raises it. Spans are byte ranges in the text of the checked object, unless a label or fix
/// names another source.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The text of the primary span; that of the checked object when absent.
    pub source: Option<Arc<Source>>,
    /// The primary span.
    pub span: Span,
    /// What is wrong at the span, in terms of the user's values.
    pub label: String,
    /// The headline; the summary of the rule when absent.
    pub message: Option<String>,
    /// How to fix it; the first sentence of the rule's remedy when absent.
    pub help: Option<String>,
    /// The severity; that of the rule when absent.
    pub severity: Option<Severity>,
    /// The severity that the settings state for this very finding, which counts more than the one for its rule.
    pub stated_severity: Option<Severity>,
    /// The confidence; that of the rule when absent.
    pub confidence: Option<Confidence>,
    /// Whether it is reported with `--pedantic` only, although its rule is not.
    pub pedantic: bool,
    /// Secondary locations.
    pub secondary: Vec<Label>,
    /// Possible fixes, the preferred one first.
    pub fixes: Vec<RaisedFix>,
    /// What it means per deployer; empty when it does not depend on the deployer.
    pub deployers: Vec<PerDeployer>,
    /// The labels already explain the cause, so that no labels are added for helpers and values.
    pub is_explained: bool,
    /// What a helper prints at the span is wrong where the template calls it.
    pub at_call: bool,
}

/// A secondary location: the cause, or the other half of a conflict.
#[derive(Clone, Debug)]
pub struct Label {
    /// The source of the span; that of the checked object when absent.
    pub source: Option<Arc<Source>>,
    /// The location in the source.
    pub span: Span,
    /// What the label says.
    pub text: String,
}

/// What a finding means under one deployer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerDeployer {
    /// The deployer.
    pub tool: Tool,
    /// The severity under this deployer.
    pub severity: Severity,
    /// What happens under this deployer; may be empty.
    pub text: String,
}

impl PerDeployer {
    /// The meaning of a finding under one deployer.
    pub(crate) fn new(tool: Tool, severity: Severity, text: impl Into<String>) -> Self {
        Self { tool, severity, text: text.into() }
    }

    /// The common text of all entries; `None` when they differ.
    pub(crate) fn common(all: &[Self]) -> Option<&str> {
        let first = &all.first()?.text;
        all.iter().all(|one| one.text == *first).then_some(first)
    }

    /// The name of the first deployer for messages; "Helm" when Helm 3 and 4 do the same.
    pub(crate) fn subject(entries: &[PerDeployer]) -> &'static str {
        match entries {
            [first, second, ..]
                if (first.tool, second.tool) == (Tool::Helm3, Tool::Helm4)
                    && first.text == second.text =>
            {
                "Helm"
            }
            [first, ..] => first.tool.title(),
            [] => "",
        }
    }
}

/// A fix in the text of the checked object, or in the template that renders it.
#[derive(Clone, Debug)]
pub struct RaisedFix {
    /// What the fix does, as an imperative: "remove it".
    pub title: String,
    /// Who may apply it.
    pub applicability: Applicability,
    /// The file to edit. Absent for an edit of the checked text, which is carried over to a file if it is rendered.
    pub source: Option<Arc<Source>>,
    /// Edits in bytes of the source; they do not overlap.
    pub edits: Vec<Edit>,
}

/// A validation error becomes a finding in the API server's words.
impl From<FieldError> for Finding {
    fn from(error: FieldError) -> Self {
        Self { help: error.help, ..Self::new(error.span, error.message) }
    }
}

impl Finding {
    /// A finding with the defaults of its rule.
    pub(crate) fn new(span: Span, label: impl Into<String>) -> Self {
        Self {
            source: None,
            span,
            label: label.into(),
            message: None,
            help: None,
            severity: None,
            stated_severity: None,
            confidence: None,
            pedantic: false,
            secondary: Vec::new(),
            fixes: Vec::new(),
            deployers: Vec::new(),
            is_explained: false,
            at_call: false,
        }
    }

    /// A finding in another text than that of the checked object.
    pub(crate) fn new_in(source: &Arc<Source>, span: Span, label: impl Into<String>) -> Self {
        Self { source: Some(source.clone()), ..Self::new(span, label) }
    }

    /// Sets the headline.
    pub(crate) fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }

    /// Sets the help.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the severity.
    pub(crate) fn severity(mut self, severity: Severity) -> Self {
        self.severity = Some(severity);
        self
    }

    /// Sets the confidence.
    pub(crate) fn confidence(mut self, confidence: Confidence) -> Self {
        self.confidence = Some(confidence);
        self
    }

    /// Reports it with `--pedantic` only.
    pub(crate) fn pedantic(mut self) -> Self {
        self.pedantic = true;
        self
    }

    /// Suppresses the automatic labels for helpers and values.
    pub(crate) fn explained(mut self) -> Self {
        self.is_explained = true;
        self
    }

    /// Places it where the template calls the helper that prints the span.
    pub(crate) fn at_call(mut self) -> Self {
        self.at_call = true;
        self
    }

    /// Adds a secondary label in the same text.
    pub(crate) fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { source: None, span, text: text.into() });
        self
    }

    /// Adds a secondary label in another text.
    pub(crate) fn label_in(
        mut self,
        source: &Arc<Source>,
        span: Span,
        text: impl Into<String>,
    ) -> Self {
        self.secondary.push(Label { source: Some(source.clone()), span, text: text.into() });
        self
    }

    /// Adds another finding about the same thing: its labels, and what to do besides.
    pub(crate) fn with(mut self, other: Finding) -> Self {
        let Finding { source, span, label, help, secondary, .. } = other;
        self.secondary.push(Label { source, span, text: label });
        self.secondary.extend(secondary);
        self.help = match (self.help, help) {
            (Some(own), Some(other)) if own != other => {
                Some(format!("{own}, and {}", continued(&other)))
            }
            (own, other) => own.or(other),
        };
        self
    }

    /// Adds a secondary label at the line of the GitOps object that sets a deployer option; none if none sets it.
    pub(crate) fn because(self, deployer: &Deployer, option: OptionName, effect: &str) -> Self {
        let Some(at) = deployer.because(option) else { return self };
        let written = at.source.slice(at.span).lines().next().unwrap_or_default();
        self.label_in(&at.source, at.span, format!("`{written}` here {effect}"))
    }

    /// Adds a fix of one edit.
    pub(crate) fn fix(
        self,
        title: impl Into<String>,
        applicability: Applicability,
        edit: Edit,
    ) -> Self {
        self.fix_all(title, applicability, vec![edit])
    }

    /// Adds a fix of one edit, if there is one.
    pub(crate) fn fix_if(
        self,
        title: impl Into<String>,
        applicability: Applicability,
        edit: Option<Edit>,
    ) -> Self {
        match edit {
            Some(edit) => self.fix(title, applicability, edit),
            None => self,
        }
    }

    /// Adds a fix of several edits, which are applied together.
    pub(crate) fn fix_all(
        mut self,
        title: impl Into<String>,
        applicability: Applicability,
        edits: Vec<Edit>,
    ) -> Self {
        self.fixes.push(RaisedFix { title: title.into(), applicability, source: None, edits });
        self
    }

    /// Sets what it means per deployer. The worst severity becomes that of the finding unless one is set.
    pub(crate) fn deployers(mut self, deployers: Vec<PerDeployer>) -> Self {
        self.severity = self.severity.or(deployers.iter().map(|one| one.severity).max());
        self.deployers = deployers;
        self
    }
}
